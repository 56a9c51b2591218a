complete --keep-order --exclusive --command runlog --arguments "(RUNLOG_COMPLETE=fish runlog -- (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token))"
