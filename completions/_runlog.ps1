
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'runlog' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'runlog'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'runlog' {
            [CompletionResult]::new('--runs-dir', '--runs-dir', [CompletionResultType]::ParameterName, 'The directory that holds the runs [default: runs]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('emit', 'emit', [CompletionResultType]::ParameterValue, 'Record an event, or a stream of them')
            [CompletionResult]::new('exec', 'exec', [CompletionResultType]::ParameterValue, 'Run a command and record it as a tool call')
            [CompletionResult]::new('summarize', 'summarize', [CompletionResultType]::ParameterValue, 'Fill in summaries, and show what happened')
            [CompletionResult]::new('chapter', 'chapter', [CompletionResultType]::ParameterValue, 'Fold finished tasks into chapters, and browse them')
            [CompletionResult]::new('transcript', 'transcript', [CompletionResultType]::ParameterValue, 'Write transcript.md: the run as a person wants to read it')
            [CompletionResult]::new('validate', 'validate', [CompletionResultType]::ParameterValue, 'Tell whether a run holds')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print the events of a run')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'Print the runs')
            [CompletionResult]::new('catalogue', 'catalogue', [CompletionResultType]::ParameterValue, 'Print the table of event types')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print the completion script of a shell')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'runlog;emit' {
            [CompletionResult]::new('--run', '--run', [CompletionResultType]::ParameterName, 'The run''s exact id; for run.created the id to be used, else one is made')
            [CompletionResult]::new('--data', '--data', [CompletionResultType]::ParameterName, 'The event''s data: a JSON object, or @FILE, or - for standard input (values that are too long for a command line go there)')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Add a string to data; dots make nested fields')
            [CompletionResult]::new('--field', '--field', [CompletionResultType]::ParameterName, 'Add a string to data; dots make nested fields')
            [CompletionResult]::new('-F', '-F ', [CompletionResultType]::ParameterName, 'Add any JSON value to data; dots make nested fields')
            [CompletionResult]::new('--json-field', '--json-field', [CompletionResultType]::ParameterName, 'Add any JSON value to data; dots make nested fields')
            [CompletionResult]::new('--summary', '--summary', [CompletionResultType]::ParameterName, 'One line for people; default: the template of the type')
            [CompletionResult]::new('--actor', '--actor', [CompletionResultType]::ParameterName, 'Who: runtime, agent, tool, user, … Default: by the type')
            [CompletionResult]::new('--severity', '--severity', [CompletionResultType]::ParameterName, 'How grave. Default: by the type')
            [CompletionResult]::new('--session', '--session', [CompletionResultType]::ParameterName, 'The session; default: the run''s own')
            [CompletionResult]::new('--task', '--task', [CompletionResultType]::ParameterName, 'The task; default: the run''s own')
            [CompletionResult]::new('--correlation-id', '--correlation-id', [CompletionResultType]::ParameterName, 'Ties the events of one call together')
            [CompletionResult]::new('--parent', '--parent', [CompletionResultType]::ParameterName, 'The event that led to this one')
            [CompletionResult]::new('--branch', '--branch', [CompletionResultType]::ParameterName, 'Hierarchical scope, as app/agent/tool')
            [CompletionResult]::new('--event-id', '--event-id', [CompletionResultType]::ParameterName, 'The event''s id; makes a repetition of the command safe')
            [CompletionResult]::new('--timestamp', '--timestamp', [CompletionResultType]::ParameterName, 'When it happened (RFC 3339 with a zone); default: now')
            [CompletionResult]::new('--print', '--print', [CompletionResultType]::ParameterName, 'What to print of each event. Default: its id; nothing with --stdin')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'What the lines are: native envelopes, another run''s log (runlog), another program''s (claude-code), or auto')
            [CompletionResult]::new('--receipt', '--receipt', [CompletionResultType]::ParameterName, 'Write the receipt as JSON to a file')
            [CompletionResult]::new('--secret-rules', '--secret-rules', [CompletionResultType]::ParameterName, 'Further rules for secrets: a TOML file of [name], prefix, pattern. Default: those of runlog.toml beside the runs directory')
            [CompletionResult]::new('--inline-limit', '--inline-limit', [CompletionResultType]::ParameterName, 'Strings of more bytes go to blobs/ (as 4096, 16k, 1M)')
            [CompletionResult]::new('--durability', '--durability', [CompletionResultType]::ParameterName, 'What an acknowledged event survives: a power cut (disk) or the death of processes')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for the run''s lock (as 500ms, 10s, 2m)')
            [CompletionResult]::new('--runs-dir', '--runs-dir', [CompletionResultType]::ParameterName, 'The directory that holds the runs [default: runs]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--create', '--create', [CompletionResultType]::ParameterName, 'Make the run if it does not exist')
            [CompletionResult]::new('--stdin', '--stdin', [CompletionResultType]::ParameterName, 'Read events from standard input, one JSON object a line')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Stop at the first line that cannot be taken')
            [CompletionResult]::new('--no-source', '--no-source', [CompletionResultType]::ParameterName, 'Do not keep the source lines in the events')
            [CompletionResult]::new('--no-redact', '--no-redact', [CompletionResultType]::ParameterName, 'Record secrets as they are (`validate` finds them)')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'runlog;exec' {
            [CompletionResult]::new('--run', '--run', [CompletionResultType]::ParameterName, 'The run''s exact id; with --run-new the id to be used. Default: RUNLOG_RUN')
            [CompletionResult]::new('--tool', '--tool', [CompletionResultType]::ParameterName, 'The tool''s name. Default: the command''s')
            [CompletionResult]::new('--session', '--session', [CompletionResultType]::ParameterName, 'The session; default: the run''s own')
            [CompletionResult]::new('--task', '--task', [CompletionResultType]::ParameterName, 'The task; default: the run''s own')
            [CompletionResult]::new('--parent', '--parent', [CompletionResultType]::ParameterName, 'The event that led to the call')
            [CompletionResult]::new('--branch', '--branch', [CompletionResultType]::ParameterName, 'Hierarchical scope, as app/agent/tool')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Record the command''s standard output as events too: native ones, another program''s (claude-code), or auto')
            [CompletionResult]::new('--receipt', '--receipt', [CompletionResultType]::ParameterName, 'Write the receipt as JSON to a file')
            [CompletionResult]::new('--secret-rules', '--secret-rules', [CompletionResultType]::ParameterName, 'Further rules for secrets: a TOML file of [name], prefix, pattern. Default: those of runlog.toml beside the runs directory')
            [CompletionResult]::new('--inline-limit', '--inline-limit', [CompletionResultType]::ParameterName, 'Strings of more bytes go to blobs/ (as 4096, 16k, 1M)')
            [CompletionResult]::new('--durability', '--durability', [CompletionResultType]::ParameterName, 'What an acknowledged event survives: a power cut (disk) or the death of processes')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for the run''s lock (as 500ms, 10s, 2m)')
            [CompletionResult]::new('--runs-dir', '--runs-dir', [CompletionResultType]::ParameterName, 'The directory that holds the runs [default: runs]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--run-new', '--run-new', [CompletionResultType]::ParameterName, 'Make a run for this command, start it and end it; its id is told on standard error')
            [CompletionResult]::new('--no-source', '--no-source', [CompletionResultType]::ParameterName, 'Do not keep the source lines in the events')
            [CompletionResult]::new('--no-redact', '--no-redact', [CompletionResultType]::ParameterName, 'Record secrets as they are (`validate` finds them)')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'runlog;summarize' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to print the overview')
            [CompletionResult]::new('--templates', '--templates', [CompletionResultType]::ParameterName, 'Add or override summary templates: a TOML file of ["event.type"], template = "…"')
            [CompletionResult]::new('--prices', '--prices', [CompletionResultType]::ParameterName, 'What tokens cost, for calls that report no cost: a TOML file of ["model"], input = …, output = … (dollars for a million tokens)')
            [CompletionResult]::new('--llm-cmd', '--llm-cmd', [CompletionResultType]::ParameterName, 'Also fill in what wants a model, through this command line')
            [CompletionResult]::new('--window', '--window', [CompletionResultType]::ParameterName, 'Events within this time go into one call')
            [CompletionResult]::new('--max-batch', '--max-batch', [CompletionResultType]::ParameterName, 'Most events in one call')
            [CompletionResult]::new('--llm-timeout', '--llm-timeout', [CompletionResultType]::ParameterName, 'How long one call may take')
            [CompletionResult]::new('--prompt-file', '--prompt-file', [CompletionResultType]::ParameterName, 'A prompt of your own, with {events} where the events go')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'Sort the rows: names from A, everything else from the newest or greatest')
            [CompletionResult]::new('--status', '--status', [CompletionResultType]::ParameterName, 'Show only runs with this status: created, running, paused, completed, failed, incomplete, cancelled (may be repeated)')
            [CompletionResult]::new('--durability', '--durability', [CompletionResultType]::ParameterName, 'What an acknowledged event survives: a power cut (disk) or the death of processes')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for the run''s lock (as 500ms, 10s, 2m)')
            [CompletionResult]::new('--runs-dir', '--runs-dir', [CompletionResultType]::ParameterName, 'The directory that holds the runs [default: runs]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'All runs')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be appended and asked, and do neither')
            [CompletionResult]::new('--follow', '--follow', [CompletionResultType]::ParameterName, 'Stay and serve a live run, until it ends')
            [CompletionResult]::new('--reverse', '--reverse', [CompletionResultType]::ParameterName, 'Sort the other way round')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'runlog;chapter' {
            [CompletionResult]::new('--runs-dir', '--runs-dir', [CompletionResultType]::ParameterName, 'The directory that holds the runs [default: runs]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('index', 'index', [CompletionResultType]::ParameterValue, 'Print the numbered tasks')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Fold tasks into a chapter')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'Print the chapters')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print what stands for a chapter in an agent''s context')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Unfold a chapter again')
            [CompletionResult]::new('ls', 'ls', [CompletionResultType]::ParameterValue, 'List a folder of the chapters'' tree')
            [CompletionResult]::new('cat', 'cat', [CompletionResultType]::ParameterValue, 'Print a file of the chapters'' tree')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'runlog;chapter;index' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to print it')
            [CompletionResult]::new('--runs-dir', '--runs-dir', [CompletionResultType]::ParameterName, 'The directory that holds the runs [default: runs]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'runlog;chapter;add' {
            [CompletionResult]::new('--start', '--start', [CompletionResultType]::ParameterName, 'Number of the first task')
            [CompletionResult]::new('--end', '--end', [CompletionResultType]::ParameterName, 'Number of the last task')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'The chapter''s name')
            [CompletionResult]::new('--message', '--message', [CompletionResultType]::ParameterName, 'What is worth knowing of these tasks')
            [CompletionResult]::new('--durability', '--durability', [CompletionResultType]::ParameterName, 'What an acknowledged event survives: a power cut (disk) or the death of processes')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for the run''s lock (as 500ms, 10s, 2m)')
            [CompletionResult]::new('--runs-dir', '--runs-dir', [CompletionResultType]::ParameterName, 'The directory that holds the runs [default: runs]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'runlog;chapter;list' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to print it')
            [CompletionResult]::new('--runs-dir', '--runs-dir', [CompletionResultType]::ParameterName, 'The directory that holds the runs [default: runs]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'runlog;chapter;show' {
            [CompletionResult]::new('--runs-dir', '--runs-dir', [CompletionResultType]::ParameterName, 'The directory that holds the runs [default: runs]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'runlog;chapter;remove' {
            [CompletionResult]::new('--durability', '--durability', [CompletionResultType]::ParameterName, 'What an acknowledged event survives: a power cut (disk) or the death of processes')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for the run''s lock (as 500ms, 10s, 2m)')
            [CompletionResult]::new('--runs-dir', '--runs-dir', [CompletionResultType]::ParameterName, 'The directory that holds the runs [default: runs]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'runlog;chapter;ls' {
            [CompletionResult]::new('--runs-dir', '--runs-dir', [CompletionResultType]::ParameterName, 'The directory that holds the runs [default: runs]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'runlog;chapter;cat' {
            [CompletionResult]::new('--runs-dir', '--runs-dir', [CompletionResultType]::ParameterName, 'The directory that holds the runs [default: runs]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'runlog;chapter;help' {
            [CompletionResult]::new('index', 'index', [CompletionResultType]::ParameterValue, 'Print the numbered tasks')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Fold tasks into a chapter')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'Print the chapters')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print what stands for a chapter in an agent''s context')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Unfold a chapter again')
            [CompletionResult]::new('ls', 'ls', [CompletionResultType]::ParameterValue, 'List a folder of the chapters'' tree')
            [CompletionResult]::new('cat', 'cat', [CompletionResultType]::ParameterValue, 'Print a file of the chapters'' tree')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'runlog;chapter;help;index' {
            break
        }
        'runlog;chapter;help;add' {
            break
        }
        'runlog;chapter;help;list' {
            break
        }
        'runlog;chapter;help;show' {
            break
        }
        'runlog;chapter;help;remove' {
            break
        }
        'runlog;chapter;help;ls' {
            break
        }
        'runlog;chapter;help;cat' {
            break
        }
        'runlog;chapter;help;help' {
            break
        }
        'runlog;transcript' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write elsewhere; - is standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write elsewhere; - is standard output')
            [CompletionResult]::new('--runs-dir', '--runs-dir', [CompletionResultType]::ParameterName, 'The directory that holds the runs [default: runs]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'runlog;validate' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to print the findings')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say what a check finds, why it matters, and how to mend it (a code, or `all`)')
            [CompletionResult]::new('--runs-dir', '--runs-dir', [CompletionResultType]::ParameterName, 'The directory that holds the runs [default: runs]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'All runs')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Count warnings as errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show notes one by one')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show notes one by one')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'runlog;show' {
            [CompletionResult]::new('--type', '--type', [CompletionResultType]::ParameterName, 'Only types that fit; * stands for anything (as tool.*)')
            [CompletionResult]::new('--severity', '--severity', [CompletionResultType]::ParameterName, 'Only this severity')
            [CompletionResult]::new('--actor', '--actor', [CompletionResultType]::ParameterName, 'Only this actor')
            [CompletionResult]::new('--task', '--task', [CompletionResultType]::ParameterName, 'Only this task')
            [CompletionResult]::new('--tail', '--tail', [CompletionResultType]::ParameterName, 'Only the last N of what is left')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to print them: lines for people, or whole events with their effective summaries')
            [CompletionResult]::new('--runs-dir', '--runs-dir', [CompletionResultType]::ParameterName, 'The directory that holds the runs [default: runs]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Put large values back in place of their references (whole events: implies jsonl)')
            [CompletionResult]::new('--head', '--head', [CompletionResultType]::ParameterName, 'Print SEQUENCE:HASH of the last event, to hold against `run.json` or keep elsewhere')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'runlog;list' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to print them')
            [CompletionResult]::new('--runs-dir', '--runs-dir', [CompletionResultType]::ParameterName, 'The directory that holds the runs [default: runs]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'runlog;catalogue' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to print it')
            [CompletionResult]::new('--runs-dir', '--runs-dir', [CompletionResultType]::ParameterName, 'The directory that holds the runs [default: runs]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'runlog;completions' {
            [CompletionResult]::new('--runs-dir', '--runs-dir', [CompletionResultType]::ParameterName, 'The directory that holds the runs [default: runs]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but errors and warnings')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'runlog;help' {
            [CompletionResult]::new('emit', 'emit', [CompletionResultType]::ParameterValue, 'Record an event, or a stream of them')
            [CompletionResult]::new('exec', 'exec', [CompletionResultType]::ParameterValue, 'Run a command and record it as a tool call')
            [CompletionResult]::new('summarize', 'summarize', [CompletionResultType]::ParameterValue, 'Fill in summaries, and show what happened')
            [CompletionResult]::new('chapter', 'chapter', [CompletionResultType]::ParameterValue, 'Fold finished tasks into chapters, and browse them')
            [CompletionResult]::new('transcript', 'transcript', [CompletionResultType]::ParameterValue, 'Write transcript.md: the run as a person wants to read it')
            [CompletionResult]::new('validate', 'validate', [CompletionResultType]::ParameterValue, 'Tell whether a run holds')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print the events of a run')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'Print the runs')
            [CompletionResult]::new('catalogue', 'catalogue', [CompletionResultType]::ParameterValue, 'Print the table of event types')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print the completion script of a shell')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'runlog;help;emit' {
            break
        }
        'runlog;help;exec' {
            break
        }
        'runlog;help;summarize' {
            break
        }
        'runlog;help;chapter' {
            [CompletionResult]::new('index', 'index', [CompletionResultType]::ParameterValue, 'Print the numbered tasks')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Fold tasks into a chapter')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'Print the chapters')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print what stands for a chapter in an agent''s context')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Unfold a chapter again')
            [CompletionResult]::new('ls', 'ls', [CompletionResultType]::ParameterValue, 'List a folder of the chapters'' tree')
            [CompletionResult]::new('cat', 'cat', [CompletionResultType]::ParameterValue, 'Print a file of the chapters'' tree')
            break
        }
        'runlog;help;chapter;index' {
            break
        }
        'runlog;help;chapter;add' {
            break
        }
        'runlog;help;chapter;list' {
            break
        }
        'runlog;help;chapter;show' {
            break
        }
        'runlog;help;chapter;remove' {
            break
        }
        'runlog;help;chapter;ls' {
            break
        }
        'runlog;help;chapter;cat' {
            break
        }
        'runlog;help;transcript' {
            break
        }
        'runlog;help;validate' {
            break
        }
        'runlog;help;show' {
            break
        }
        'runlog;help;list' {
            break
        }
        'runlog;help;catalogue' {
            break
        }
        'runlog;help;completions' {
            break
        }
        'runlog;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
