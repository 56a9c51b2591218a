
use builtin;
use str;

set edit:completion:arg-completer[runlog] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'runlog'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'runlog'= {
            cand --runs-dir 'The directory that holds the runs [default: runs]'
            cand --color 'When to use colours'
            cand -q 'Say nothing but errors and warnings'
            cand --quiet 'Say nothing but errors and warnings'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand emit 'Record an event, or a stream of them'
            cand exec 'Run a command and record it as a tool call'
            cand summarize 'Fill in summaries, and show what happened'
            cand chapter 'Fold finished tasks into chapters, and browse them'
            cand transcript 'Write transcript.md: the run as a person wants to read it'
            cand validate 'Tell whether a run holds'
            cand show 'Print the events of a run'
            cand list 'Print the runs'
            cand catalogue 'Print the table of event types'
            cand completions 'Print the completion script of a shell'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'runlog;emit'= {
            cand --run 'The run''s exact id; for run.created the id to be used, else one is made'
            cand --data 'The event''s data: a JSON object, or @FILE, or - for standard input (values that are too long for a command line go there)'
            cand -f 'Add a string to data; dots make nested fields'
            cand --field 'Add a string to data; dots make nested fields'
            cand -F 'Add any JSON value to data; dots make nested fields'
            cand --json-field 'Add any JSON value to data; dots make nested fields'
            cand --summary 'One line for people; default: the template of the type'
            cand --actor 'Who: runtime, agent, tool, user, … Default: by the type'
            cand --severity 'How grave. Default: by the type'
            cand --session 'The session; default: the run''s own'
            cand --task 'The task; default: the run''s own'
            cand --correlation-id 'Ties the events of one call together'
            cand --parent 'The event that led to this one'
            cand --branch 'Hierarchical scope, as app/agent/tool'
            cand --event-id 'The event''s id; makes a repetition of the command safe'
            cand --timestamp 'When it happened (RFC 3339 with a zone); default: now'
            cand --print 'What to print of each event. Default: its id; nothing with --stdin'
            cand --from 'What the lines are: native envelopes, another run''s log (runlog), another program''s (claude-code), or auto'
            cand --receipt 'Write the receipt as JSON to a file'
            cand --secret-rules 'Further rules for secrets: a TOML file of [name], prefix, pattern. Default: those of runlog.toml beside the runs directory'
            cand --inline-limit 'Strings of more bytes go to blobs/ (as 4096, 16k, 1M)'
            cand --durability 'What an acknowledged event survives: a power cut (disk) or the death of processes'
            cand --lock-timeout 'How long to wait for the run''s lock (as 500ms, 10s, 2m)'
            cand --runs-dir 'The directory that holds the runs [default: runs]'
            cand --color 'When to use colours'
            cand --create 'Make the run if it does not exist'
            cand --stdin 'Read events from standard input, one JSON object a line'
            cand --strict 'Stop at the first line that cannot be taken'
            cand --no-source 'Do not keep the source lines in the events'
            cand --no-redact 'Record secrets as they are (`validate` finds them)'
            cand -q 'Say nothing but errors and warnings'
            cand --quiet 'Say nothing but errors and warnings'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'runlog;exec'= {
            cand --run 'The run''s exact id; with --run-new the id to be used. Default: RUNLOG_RUN'
            cand --tool 'The tool''s name. Default: the command''s'
            cand --session 'The session; default: the run''s own'
            cand --task 'The task; default: the run''s own'
            cand --parent 'The event that led to the call'
            cand --branch 'Hierarchical scope, as app/agent/tool'
            cand --from 'Record the command''s standard output as events too: native ones, another program''s (claude-code), or auto'
            cand --receipt 'Write the receipt as JSON to a file'
            cand --secret-rules 'Further rules for secrets: a TOML file of [name], prefix, pattern. Default: those of runlog.toml beside the runs directory'
            cand --inline-limit 'Strings of more bytes go to blobs/ (as 4096, 16k, 1M)'
            cand --durability 'What an acknowledged event survives: a power cut (disk) or the death of processes'
            cand --lock-timeout 'How long to wait for the run''s lock (as 500ms, 10s, 2m)'
            cand --runs-dir 'The directory that holds the runs [default: runs]'
            cand --color 'When to use colours'
            cand --run-new 'Make a run for this command, start it and end it; its id is told on standard error'
            cand --no-source 'Do not keep the source lines in the events'
            cand --no-redact 'Record secrets as they are (`validate` finds them)'
            cand -q 'Say nothing but errors and warnings'
            cand --quiet 'Say nothing but errors and warnings'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'runlog;summarize'= {
            cand --format 'How to print the overview'
            cand --templates 'Add or override summary templates: a TOML file of ["event.type"], template = "…"'
            cand --prices 'What tokens cost, for calls that report no cost: a TOML file of ["model"], input = …, output = … (dollars for a million tokens)'
            cand --llm-cmd 'Also fill in what wants a model, through this command line'
            cand --window 'Events within this time go into one call'
            cand --max-batch 'Most events in one call'
            cand --llm-timeout 'How long one call may take'
            cand --prompt-file 'A prompt of your own, with {events} where the events go'
            cand --sort 'Sort the rows: names from A, everything else from the newest or greatest'
            cand --status 'Show only runs with this status: created, running, paused, completed, failed, incomplete, cancelled (may be repeated)'
            cand --durability 'What an acknowledged event survives: a power cut (disk) or the death of processes'
            cand --lock-timeout 'How long to wait for the run''s lock (as 500ms, 10s, 2m)'
            cand --runs-dir 'The directory that holds the runs [default: runs]'
            cand --color 'When to use colours'
            cand --all 'All runs'
            cand --dry-run 'Say what would be appended and asked, and do neither'
            cand --follow 'Stay and serve a live run, until it ends'
            cand --reverse 'Sort the other way round'
            cand -q 'Say nothing but errors and warnings'
            cand --quiet 'Say nothing but errors and warnings'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'runlog;chapter'= {
            cand --runs-dir 'The directory that holds the runs [default: runs]'
            cand --color 'When to use colours'
            cand -q 'Say nothing but errors and warnings'
            cand --quiet 'Say nothing but errors and warnings'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand index 'Print the numbered tasks'
            cand add 'Fold tasks into a chapter'
            cand list 'Print the chapters'
            cand show 'Print what stands for a chapter in an agent''s context'
            cand remove 'Unfold a chapter again'
            cand ls 'List a folder of the chapters'' tree'
            cand cat 'Print a file of the chapters'' tree'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'runlog;chapter;index'= {
            cand --format 'How to print it'
            cand --runs-dir 'The directory that holds the runs [default: runs]'
            cand --color 'When to use colours'
            cand -q 'Say nothing but errors and warnings'
            cand --quiet 'Say nothing but errors and warnings'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'runlog;chapter;add'= {
            cand --start 'Number of the first task'
            cand --end 'Number of the last task'
            cand --name 'The chapter''s name'
            cand --message 'What is worth knowing of these tasks'
            cand --durability 'What an acknowledged event survives: a power cut (disk) or the death of processes'
            cand --lock-timeout 'How long to wait for the run''s lock (as 500ms, 10s, 2m)'
            cand --runs-dir 'The directory that holds the runs [default: runs]'
            cand --color 'When to use colours'
            cand -q 'Say nothing but errors and warnings'
            cand --quiet 'Say nothing but errors and warnings'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'runlog;chapter;list'= {
            cand --format 'How to print it'
            cand --runs-dir 'The directory that holds the runs [default: runs]'
            cand --color 'When to use colours'
            cand -q 'Say nothing but errors and warnings'
            cand --quiet 'Say nothing but errors and warnings'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'runlog;chapter;show'= {
            cand --runs-dir 'The directory that holds the runs [default: runs]'
            cand --color 'When to use colours'
            cand -q 'Say nothing but errors and warnings'
            cand --quiet 'Say nothing but errors and warnings'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'runlog;chapter;remove'= {
            cand --durability 'What an acknowledged event survives: a power cut (disk) or the death of processes'
            cand --lock-timeout 'How long to wait for the run''s lock (as 500ms, 10s, 2m)'
            cand --runs-dir 'The directory that holds the runs [default: runs]'
            cand --color 'When to use colours'
            cand -q 'Say nothing but errors and warnings'
            cand --quiet 'Say nothing but errors and warnings'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'runlog;chapter;ls'= {
            cand --runs-dir 'The directory that holds the runs [default: runs]'
            cand --color 'When to use colours'
            cand -q 'Say nothing but errors and warnings'
            cand --quiet 'Say nothing but errors and warnings'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'runlog;chapter;cat'= {
            cand --runs-dir 'The directory that holds the runs [default: runs]'
            cand --color 'When to use colours'
            cand -q 'Say nothing but errors and warnings'
            cand --quiet 'Say nothing but errors and warnings'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'runlog;chapter;help'= {
            cand index 'Print the numbered tasks'
            cand add 'Fold tasks into a chapter'
            cand list 'Print the chapters'
            cand show 'Print what stands for a chapter in an agent''s context'
            cand remove 'Unfold a chapter again'
            cand ls 'List a folder of the chapters'' tree'
            cand cat 'Print a file of the chapters'' tree'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'runlog;chapter;help;index'= {
        }
        &'runlog;chapter;help;add'= {
        }
        &'runlog;chapter;help;list'= {
        }
        &'runlog;chapter;help;show'= {
        }
        &'runlog;chapter;help;remove'= {
        }
        &'runlog;chapter;help;ls'= {
        }
        &'runlog;chapter;help;cat'= {
        }
        &'runlog;chapter;help;help'= {
        }
        &'runlog;transcript'= {
            cand -o 'Write elsewhere; - is standard output'
            cand --output 'Write elsewhere; - is standard output'
            cand --runs-dir 'The directory that holds the runs [default: runs]'
            cand --color 'When to use colours'
            cand -q 'Say nothing but errors and warnings'
            cand --quiet 'Say nothing but errors and warnings'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'runlog;validate'= {
            cand --format 'How to print the findings'
            cand --explain 'Say what a check finds, why it matters, and how to mend it (a code, or `all`)'
            cand --runs-dir 'The directory that holds the runs [default: runs]'
            cand --color 'When to use colours'
            cand --all 'All runs'
            cand --strict 'Count warnings as errors'
            cand -v 'Show notes one by one'
            cand --verbose 'Show notes one by one'
            cand -q 'Say nothing but errors and warnings'
            cand --quiet 'Say nothing but errors and warnings'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'runlog;show'= {
            cand --type 'Only types that fit; * stands for anything (as tool.*)'
            cand --severity 'Only this severity'
            cand --actor 'Only this actor'
            cand --task 'Only this task'
            cand --tail 'Only the last N of what is left'
            cand --format 'How to print them: lines for people, or whole events with their effective summaries'
            cand --runs-dir 'The directory that holds the runs [default: runs]'
            cand --color 'When to use colours'
            cand --full 'Put large values back in place of their references (whole events: implies jsonl)'
            cand --head 'Print SEQUENCE:HASH of the last event, to hold against `run.json` or keep elsewhere'
            cand -q 'Say nothing but errors and warnings'
            cand --quiet 'Say nothing but errors and warnings'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'runlog;list'= {
            cand --format 'How to print them'
            cand --runs-dir 'The directory that holds the runs [default: runs]'
            cand --color 'When to use colours'
            cand -q 'Say nothing but errors and warnings'
            cand --quiet 'Say nothing but errors and warnings'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'runlog;catalogue'= {
            cand --format 'How to print it'
            cand --runs-dir 'The directory that holds the runs [default: runs]'
            cand --color 'When to use colours'
            cand -q 'Say nothing but errors and warnings'
            cand --quiet 'Say nothing but errors and warnings'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'runlog;completions'= {
            cand --runs-dir 'The directory that holds the runs [default: runs]'
            cand --color 'When to use colours'
            cand -q 'Say nothing but errors and warnings'
            cand --quiet 'Say nothing but errors and warnings'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'runlog;help'= {
            cand emit 'Record an event, or a stream of them'
            cand exec 'Run a command and record it as a tool call'
            cand summarize 'Fill in summaries, and show what happened'
            cand chapter 'Fold finished tasks into chapters, and browse them'
            cand transcript 'Write transcript.md: the run as a person wants to read it'
            cand validate 'Tell whether a run holds'
            cand show 'Print the events of a run'
            cand list 'Print the runs'
            cand catalogue 'Print the table of event types'
            cand completions 'Print the completion script of a shell'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'runlog;help;emit'= {
        }
        &'runlog;help;exec'= {
        }
        &'runlog;help;summarize'= {
        }
        &'runlog;help;chapter'= {
            cand index 'Print the numbered tasks'
            cand add 'Fold tasks into a chapter'
            cand list 'Print the chapters'
            cand show 'Print what stands for a chapter in an agent''s context'
            cand remove 'Unfold a chapter again'
            cand ls 'List a folder of the chapters'' tree'
            cand cat 'Print a file of the chapters'' tree'
        }
        &'runlog;help;chapter;index'= {
        }
        &'runlog;help;chapter;add'= {
        }
        &'runlog;help;chapter;list'= {
        }
        &'runlog;help;chapter;show'= {
        }
        &'runlog;help;chapter;remove'= {
        }
        &'runlog;help;chapter;ls'= {
        }
        &'runlog;help;chapter;cat'= {
        }
        &'runlog;help;transcript'= {
        }
        &'runlog;help;validate'= {
        }
        &'runlog;help;show'= {
        }
        &'runlog;help;list'= {
        }
        &'runlog;help;catalogue'= {
        }
        &'runlog;help;completions'= {
        }
        &'runlog;help;help'= {
        }
    ]
    $completions[$command]
}
