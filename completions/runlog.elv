
set edit:completion:arg-completer[runlog] = { |@words|
    var index = (count $words)
    set index = (- $index 1)

    put (env _CLAP_IFS="\n" _CLAP_COMPLETE_INDEX=(to-string $index) RUNLOG_COMPLETE="elvish" runlog -- $@words) | to-lines
}

