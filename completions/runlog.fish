# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_runlog_global_optspecs
    string join \n runs-dir= color= q/quiet h/help V/version
end

function __fish_runlog_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_runlog_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_runlog_using_subcommand
    set -l cmd (__fish_runlog_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c runlog -n "__fish_runlog_needs_command" -l runs-dir -d 'The directory that holds the runs [default: runs]' -r -F
complete -c runlog -n "__fish_runlog_needs_command" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c runlog -n "__fish_runlog_needs_command" -s q -l quiet -d 'Say nothing but errors and warnings'
complete -c runlog -n "__fish_runlog_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c runlog -n "__fish_runlog_needs_command" -s V -l version -d 'Print version'
complete -c runlog -n "__fish_runlog_needs_command" -f -a "emit" -d 'Record an event, or a stream of them'
complete -c runlog -n "__fish_runlog_needs_command" -f -a "exec" -d 'Run a command and record it as a tool call'
complete -c runlog -n "__fish_runlog_needs_command" -f -a "summarize" -d 'Fill in summaries, and show what happened'
complete -c runlog -n "__fish_runlog_needs_command" -f -a "chapter" -d 'Fold finished tasks into chapters, and browse them'
complete -c runlog -n "__fish_runlog_needs_command" -f -a "transcript" -d 'Write transcript.md: the run as a person wants to read it'
complete -c runlog -n "__fish_runlog_needs_command" -f -a "validate" -d 'Tell whether a run holds'
complete -c runlog -n "__fish_runlog_needs_command" -f -a "show" -d 'Print the events of a run'
complete -c runlog -n "__fish_runlog_needs_command" -f -a "list" -d 'Print the runs'
complete -c runlog -n "__fish_runlog_needs_command" -f -a "catalogue" -d 'Print the table of event types'
complete -c runlog -n "__fish_runlog_needs_command" -f -a "completions" -d 'Print the completion script of a shell'
complete -c runlog -n "__fish_runlog_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l run -d 'The run\'s exact id; for run.created the id to be used, else one is made' -r
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l data -d 'The event\'s data: a JSON object, or @FILE, or - for standard input (values that are too long for a command line go there)' -r
complete -c runlog -n "__fish_runlog_using_subcommand emit" -s f -l field -d 'Add a string to data; dots make nested fields' -r
complete -c runlog -n "__fish_runlog_using_subcommand emit" -s F -l json-field -d 'Add any JSON value to data; dots make nested fields' -r
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l summary -d 'One line for people; default: the template of the type' -r
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l actor -d 'Who: runtime, agent, tool, user, … Default: by the type' -r
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l severity -d 'How grave. Default: by the type' -r -f -a "debug\t''
info\t''
warning\t''
error\t''"
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l session -d 'The session; default: the run\'s own' -r
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l task -d 'The task; default: the run\'s own' -r
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l correlation-id -d 'Ties the events of one call together' -r
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l parent -d 'The event that led to this one' -r
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l branch -d 'Hierarchical scope, as app/agent/tool' -r
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l event-id -d 'The event\'s id; makes a repetition of the command safe' -r
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l timestamp -d 'When it happened (RFC 3339 with a zone); default: now' -r
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l print -d 'What to print of each event. Default: its id; nothing with --stdin' -r -f -a "id\t'The event\'s id'
run\t'The run\'s id'
sequence\t'The event\'s sequence'
event\t'The event\'s id'
none\t'Nothing'"
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l from -d 'What the lines are: native envelopes, another run\'s log (runlog), another program\'s (claude-code), or auto' -r
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l receipt -d 'Write the receipt as JSON to a file' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l secret-rules -d 'Further rules for secrets: a TOML file of [name], prefix, pattern. Default: those of runlog.toml beside the runs directory' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l inline-limit -d 'Strings of more bytes go to blobs/ (as 4096, 16k, 1M)' -r
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l durability -d 'What an acknowledged event survives: a power cut (disk) or the death of processes' -r -f -a "disk\t''
process\t''"
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l lock-timeout -d 'How long to wait for the run\'s lock (as 500ms, 10s, 2m)' -r
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l runs-dir -d 'The directory that holds the runs [default: runs]' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l create -d 'Make the run if it does not exist'
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l stdin -d 'Read events from standard input, one JSON object a line'
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l strict -d 'Stop at the first line that cannot be taken'
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l no-source -d 'Do not keep the source lines in the events'
complete -c runlog -n "__fish_runlog_using_subcommand emit" -l no-redact -d 'Record secrets as they are (`validate` finds them)'
complete -c runlog -n "__fish_runlog_using_subcommand emit" -s q -l quiet -d 'Say nothing but errors and warnings'
complete -c runlog -n "__fish_runlog_using_subcommand emit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c runlog -n "__fish_runlog_using_subcommand exec" -l run -d 'The run\'s exact id; with --run-new the id to be used. Default: RUNLOG_RUN' -r
complete -c runlog -n "__fish_runlog_using_subcommand exec" -l tool -d 'The tool\'s name. Default: the command\'s' -r
complete -c runlog -n "__fish_runlog_using_subcommand exec" -l session -d 'The session; default: the run\'s own' -r
complete -c runlog -n "__fish_runlog_using_subcommand exec" -l task -d 'The task; default: the run\'s own' -r
complete -c runlog -n "__fish_runlog_using_subcommand exec" -l parent -d 'The event that led to the call' -r
complete -c runlog -n "__fish_runlog_using_subcommand exec" -l branch -d 'Hierarchical scope, as app/agent/tool' -r
complete -c runlog -n "__fish_runlog_using_subcommand exec" -l from -d 'Record the command\'s standard output as events too: native ones, another program\'s (claude-code), or auto' -r
complete -c runlog -n "__fish_runlog_using_subcommand exec" -l receipt -d 'Write the receipt as JSON to a file' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand exec" -l secret-rules -d 'Further rules for secrets: a TOML file of [name], prefix, pattern. Default: those of runlog.toml beside the runs directory' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand exec" -l inline-limit -d 'Strings of more bytes go to blobs/ (as 4096, 16k, 1M)' -r
complete -c runlog -n "__fish_runlog_using_subcommand exec" -l durability -d 'What an acknowledged event survives: a power cut (disk) or the death of processes' -r -f -a "disk\t''
process\t''"
complete -c runlog -n "__fish_runlog_using_subcommand exec" -l lock-timeout -d 'How long to wait for the run\'s lock (as 500ms, 10s, 2m)' -r
complete -c runlog -n "__fish_runlog_using_subcommand exec" -l runs-dir -d 'The directory that holds the runs [default: runs]' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand exec" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c runlog -n "__fish_runlog_using_subcommand exec" -l run-new -d 'Make a run for this command, start it and end it; its id is told on standard error'
complete -c runlog -n "__fish_runlog_using_subcommand exec" -l no-source -d 'Do not keep the source lines in the events'
complete -c runlog -n "__fish_runlog_using_subcommand exec" -l no-redact -d 'Record secrets as they are (`validate` finds them)'
complete -c runlog -n "__fish_runlog_using_subcommand exec" -s q -l quiet -d 'Say nothing but errors and warnings'
complete -c runlog -n "__fish_runlog_using_subcommand exec" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c runlog -n "__fish_runlog_using_subcommand summarize" -l format -d 'How to print the overview' -r -f -a "table\t''
json\t''"
complete -c runlog -n "__fish_runlog_using_subcommand summarize" -l templates -d 'Add or override summary templates: a TOML file of ["event.type"], template = "…"' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand summarize" -l prices -d 'What tokens cost, for calls that report no cost: a TOML file of ["model"], input = …, output = … (dollars for a million tokens)' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand summarize" -l llm-cmd -d 'Also fill in what wants a model, through this command line' -r
complete -c runlog -n "__fish_runlog_using_subcommand summarize" -l window -d 'Events within this time go into one call' -r
complete -c runlog -n "__fish_runlog_using_subcommand summarize" -l max-batch -d 'Most events in one call' -r
complete -c runlog -n "__fish_runlog_using_subcommand summarize" -l llm-timeout -d 'How long one call may take' -r
complete -c runlog -n "__fish_runlog_using_subcommand summarize" -l prompt-file -d 'A prompt of your own, with {events} where the events go' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand summarize" -l sort -d 'Sort the rows: names from A, everything else from the newest or greatest' -r -f -a "name\t''
created\t''
time\t''
events\t''
calls\t''
failed\t''
tokens\t''
cost\t''
pending\t''"
complete -c runlog -n "__fish_runlog_using_subcommand summarize" -l status -d 'Show only runs with this status: created, running, paused, completed, failed, incomplete, cancelled (may be repeated)' -r
complete -c runlog -n "__fish_runlog_using_subcommand summarize" -l durability -d 'What an acknowledged event survives: a power cut (disk) or the death of processes' -r -f -a "disk\t''
process\t''"
complete -c runlog -n "__fish_runlog_using_subcommand summarize" -l lock-timeout -d 'How long to wait for the run\'s lock (as 500ms, 10s, 2m)' -r
complete -c runlog -n "__fish_runlog_using_subcommand summarize" -l runs-dir -d 'The directory that holds the runs [default: runs]' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand summarize" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c runlog -n "__fish_runlog_using_subcommand summarize" -l all -d 'All runs'
complete -c runlog -n "__fish_runlog_using_subcommand summarize" -l dry-run -d 'Say what would be appended and asked, and do neither'
complete -c runlog -n "__fish_runlog_using_subcommand summarize" -l follow -d 'Stay and serve a live run, until it ends'
complete -c runlog -n "__fish_runlog_using_subcommand summarize" -l reverse -d 'Sort the other way round'
complete -c runlog -n "__fish_runlog_using_subcommand summarize" -s q -l quiet -d 'Say nothing but errors and warnings'
complete -c runlog -n "__fish_runlog_using_subcommand summarize" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and not __fish_seen_subcommand_from index add list show remove ls cat help" -l runs-dir -d 'The directory that holds the runs [default: runs]' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and not __fish_seen_subcommand_from index add list show remove ls cat help" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and not __fish_seen_subcommand_from index add list show remove ls cat help" -s q -l quiet -d 'Say nothing but errors and warnings'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and not __fish_seen_subcommand_from index add list show remove ls cat help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and not __fish_seen_subcommand_from index add list show remove ls cat help" -f -a "index" -d 'Print the numbered tasks'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and not __fish_seen_subcommand_from index add list show remove ls cat help" -f -a "add" -d 'Fold tasks into a chapter'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and not __fish_seen_subcommand_from index add list show remove ls cat help" -f -a "list" -d 'Print the chapters'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and not __fish_seen_subcommand_from index add list show remove ls cat help" -f -a "show" -d 'Print what stands for a chapter in an agent\'s context'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and not __fish_seen_subcommand_from index add list show remove ls cat help" -f -a "remove" -d 'Unfold a chapter again'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and not __fish_seen_subcommand_from index add list show remove ls cat help" -f -a "ls" -d 'List a folder of the chapters\' tree'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and not __fish_seen_subcommand_from index add list show remove ls cat help" -f -a "cat" -d 'Print a file of the chapters\' tree'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and not __fish_seen_subcommand_from index add list show remove ls cat help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from index" -l format -d 'How to print it' -r -f -a "human\t''
json\t''"
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from index" -l runs-dir -d 'The directory that holds the runs [default: runs]' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from index" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from index" -s q -l quiet -d 'Say nothing but errors and warnings'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from index" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from add" -l start -d 'Number of the first task' -r
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from add" -l end -d 'Number of the last task' -r
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from add" -l name -d 'The chapter\'s name' -r
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from add" -l message -d 'What is worth knowing of these tasks' -r
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from add" -l durability -d 'What an acknowledged event survives: a power cut (disk) or the death of processes' -r -f -a "disk\t''
process\t''"
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from add" -l lock-timeout -d 'How long to wait for the run\'s lock (as 500ms, 10s, 2m)' -r
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from add" -l runs-dir -d 'The directory that holds the runs [default: runs]' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from add" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Say nothing but errors and warnings'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from list" -l format -d 'How to print it' -r -f -a "human\t''
json\t''"
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from list" -l runs-dir -d 'The directory that holds the runs [default: runs]' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from list" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Say nothing but errors and warnings'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from show" -l runs-dir -d 'The directory that holds the runs [default: runs]' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from show" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from show" -s q -l quiet -d 'Say nothing but errors and warnings'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from remove" -l durability -d 'What an acknowledged event survives: a power cut (disk) or the death of processes' -r -f -a "disk\t''
process\t''"
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from remove" -l lock-timeout -d 'How long to wait for the run\'s lock (as 500ms, 10s, 2m)' -r
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from remove" -l runs-dir -d 'The directory that holds the runs [default: runs]' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from remove" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from remove" -s q -l quiet -d 'Say nothing but errors and warnings'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from ls" -l runs-dir -d 'The directory that holds the runs [default: runs]' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from ls" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from ls" -s q -l quiet -d 'Say nothing but errors and warnings'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from ls" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from cat" -l runs-dir -d 'The directory that holds the runs [default: runs]' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from cat" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from cat" -s q -l quiet -d 'Say nothing but errors and warnings'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from cat" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from help" -f -a "index" -d 'Print the numbered tasks'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from help" -f -a "add" -d 'Fold tasks into a chapter'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from help" -f -a "list" -d 'Print the chapters'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from help" -f -a "show" -d 'Print what stands for a chapter in an agent\'s context'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from help" -f -a "remove" -d 'Unfold a chapter again'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from help" -f -a "ls" -d 'List a folder of the chapters\' tree'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from help" -f -a "cat" -d 'Print a file of the chapters\' tree'
complete -c runlog -n "__fish_runlog_using_subcommand chapter; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c runlog -n "__fish_runlog_using_subcommand transcript" -s o -l output -d 'Write elsewhere; - is standard output' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand transcript" -l runs-dir -d 'The directory that holds the runs [default: runs]' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand transcript" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c runlog -n "__fish_runlog_using_subcommand transcript" -s q -l quiet -d 'Say nothing but errors and warnings'
complete -c runlog -n "__fish_runlog_using_subcommand transcript" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c runlog -n "__fish_runlog_using_subcommand validate" -l format -d 'How to print the findings' -r -f -a "human\t''
json\t''"
complete -c runlog -n "__fish_runlog_using_subcommand validate" -l explain -d 'Say what a check finds, why it matters, and how to mend it (a code, or `all`)' -r
complete -c runlog -n "__fish_runlog_using_subcommand validate" -l runs-dir -d 'The directory that holds the runs [default: runs]' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand validate" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c runlog -n "__fish_runlog_using_subcommand validate" -l all -d 'All runs'
complete -c runlog -n "__fish_runlog_using_subcommand validate" -l strict -d 'Count warnings as errors'
complete -c runlog -n "__fish_runlog_using_subcommand validate" -s v -l verbose -d 'Show notes one by one'
complete -c runlog -n "__fish_runlog_using_subcommand validate" -s q -l quiet -d 'Say nothing but errors and warnings'
complete -c runlog -n "__fish_runlog_using_subcommand validate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c runlog -n "__fish_runlog_using_subcommand show" -l type -d 'Only types that fit; * stands for anything (as tool.*)' -r
complete -c runlog -n "__fish_runlog_using_subcommand show" -l severity -d 'Only this severity' -r -f -a "debug\t''
info\t''
warning\t''
error\t''"
complete -c runlog -n "__fish_runlog_using_subcommand show" -l actor -d 'Only this actor' -r
complete -c runlog -n "__fish_runlog_using_subcommand show" -l task -d 'Only this task' -r
complete -c runlog -n "__fish_runlog_using_subcommand show" -l tail -d 'Only the last N of what is left' -r
complete -c runlog -n "__fish_runlog_using_subcommand show" -l format -d 'How to print them: lines for people, or whole events with their effective summaries' -r -f -a "human\t''
jsonl\t''
json\t''"
complete -c runlog -n "__fish_runlog_using_subcommand show" -l runs-dir -d 'The directory that holds the runs [default: runs]' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand show" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c runlog -n "__fish_runlog_using_subcommand show" -l full -d 'Put large values back in place of their references (whole events: implies jsonl)'
complete -c runlog -n "__fish_runlog_using_subcommand show" -l head -d 'Print SEQUENCE:HASH of the last event, to hold against `run.json` or keep elsewhere'
complete -c runlog -n "__fish_runlog_using_subcommand show" -s q -l quiet -d 'Say nothing but errors and warnings'
complete -c runlog -n "__fish_runlog_using_subcommand show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c runlog -n "__fish_runlog_using_subcommand list" -l format -d 'How to print them' -r -f -a "table\t''
json\t''"
complete -c runlog -n "__fish_runlog_using_subcommand list" -l runs-dir -d 'The directory that holds the runs [default: runs]' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand list" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c runlog -n "__fish_runlog_using_subcommand list" -s q -l quiet -d 'Say nothing but errors and warnings'
complete -c runlog -n "__fish_runlog_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c runlog -n "__fish_runlog_using_subcommand catalogue" -l format -d 'How to print it' -r -f -a "table\t''
json\t''"
complete -c runlog -n "__fish_runlog_using_subcommand catalogue" -l runs-dir -d 'The directory that holds the runs [default: runs]' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand catalogue" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c runlog -n "__fish_runlog_using_subcommand catalogue" -s q -l quiet -d 'Say nothing but errors and warnings'
complete -c runlog -n "__fish_runlog_using_subcommand catalogue" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c runlog -n "__fish_runlog_using_subcommand completions" -l runs-dir -d 'The directory that holds the runs [default: runs]' -r -F
complete -c runlog -n "__fish_runlog_using_subcommand completions" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c runlog -n "__fish_runlog_using_subcommand completions" -s q -l quiet -d 'Say nothing but errors and warnings'
complete -c runlog -n "__fish_runlog_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c runlog -n "__fish_runlog_using_subcommand help; and not __fish_seen_subcommand_from emit exec summarize chapter transcript validate show list catalogue completions help" -f -a "emit" -d 'Record an event, or a stream of them'
complete -c runlog -n "__fish_runlog_using_subcommand help; and not __fish_seen_subcommand_from emit exec summarize chapter transcript validate show list catalogue completions help" -f -a "exec" -d 'Run a command and record it as a tool call'
complete -c runlog -n "__fish_runlog_using_subcommand help; and not __fish_seen_subcommand_from emit exec summarize chapter transcript validate show list catalogue completions help" -f -a "summarize" -d 'Fill in summaries, and show what happened'
complete -c runlog -n "__fish_runlog_using_subcommand help; and not __fish_seen_subcommand_from emit exec summarize chapter transcript validate show list catalogue completions help" -f -a "chapter" -d 'Fold finished tasks into chapters, and browse them'
complete -c runlog -n "__fish_runlog_using_subcommand help; and not __fish_seen_subcommand_from emit exec summarize chapter transcript validate show list catalogue completions help" -f -a "transcript" -d 'Write transcript.md: the run as a person wants to read it'
complete -c runlog -n "__fish_runlog_using_subcommand help; and not __fish_seen_subcommand_from emit exec summarize chapter transcript validate show list catalogue completions help" -f -a "validate" -d 'Tell whether a run holds'
complete -c runlog -n "__fish_runlog_using_subcommand help; and not __fish_seen_subcommand_from emit exec summarize chapter transcript validate show list catalogue completions help" -f -a "show" -d 'Print the events of a run'
complete -c runlog -n "__fish_runlog_using_subcommand help; and not __fish_seen_subcommand_from emit exec summarize chapter transcript validate show list catalogue completions help" -f -a "list" -d 'Print the runs'
complete -c runlog -n "__fish_runlog_using_subcommand help; and not __fish_seen_subcommand_from emit exec summarize chapter transcript validate show list catalogue completions help" -f -a "catalogue" -d 'Print the table of event types'
complete -c runlog -n "__fish_runlog_using_subcommand help; and not __fish_seen_subcommand_from emit exec summarize chapter transcript validate show list catalogue completions help" -f -a "completions" -d 'Print the completion script of a shell'
complete -c runlog -n "__fish_runlog_using_subcommand help; and not __fish_seen_subcommand_from emit exec summarize chapter transcript validate show list catalogue completions help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c runlog -n "__fish_runlog_using_subcommand help; and __fish_seen_subcommand_from chapter" -f -a "index" -d 'Print the numbered tasks'
complete -c runlog -n "__fish_runlog_using_subcommand help; and __fish_seen_subcommand_from chapter" -f -a "add" -d 'Fold tasks into a chapter'
complete -c runlog -n "__fish_runlog_using_subcommand help; and __fish_seen_subcommand_from chapter" -f -a "list" -d 'Print the chapters'
complete -c runlog -n "__fish_runlog_using_subcommand help; and __fish_seen_subcommand_from chapter" -f -a "show" -d 'Print what stands for a chapter in an agent\'s context'
complete -c runlog -n "__fish_runlog_using_subcommand help; and __fish_seen_subcommand_from chapter" -f -a "remove" -d 'Unfold a chapter again'
complete -c runlog -n "__fish_runlog_using_subcommand help; and __fish_seen_subcommand_from chapter" -f -a "ls" -d 'List a folder of the chapters\' tree'
complete -c runlog -n "__fish_runlog_using_subcommand help; and __fish_seen_subcommand_from chapter" -f -a "cat" -d 'Print a file of the chapters\' tree'
