//! What a command line does: reads files, searches, or anything else.

/// Programs that only read files.
const READERS: &[&str] = &["cat", "sed", "nl", "head", "tail", "less", "bat", "wc", "file", "stat"];
/// Programs that only show what there is.
const LOOKERS: &[&str] = &["ls", "find", "fd", "tree", "pwd", "which", "du"];
/// Programs that search. Their exit status 1 means that nothing was found.
const SEARCHERS: &[&str] = &["rg", "grep", "egrep", "fgrep", "ag", "ack"];

/// The command after changes of the directory and settings: `cd x && make` is `make`.
pub(super) fn real_command(line: &str) -> &str {
    let mut rest = line.trim();
    while let Some((first, behind)) = rest.split_once("&&").or_else(|| rest.split_once(';')) {
        let first = first.trim();
        if !(first.starts_with("cd ") || first.starts_with("export ") || first.starts_with("set "))
        {
            break;
        }
        rest = behind.trim();
    }
    rest
}

fn program(line: &str) -> &str {
    let mut words = real_command(line).split_whitespace();
    let first = words.next().unwrap_or_default();
    if first == "git" {
        words.next().filter(|word| *word == "grep").map_or(first, |_| "grep")
    } else {
        first
    }
}

/// Whether the command only searches.
pub(super) fn searches(line: &str) -> bool {
    SEARCHERS.contains(&program(line))
}

/// Whether the command changes nothing: it reads, searches or lists.
pub(super) fn only_looks(line: &str) -> bool {
    let is_looker = LOOKERS.contains(&program(line)) && !line.contains('>');
    is_looker || searches(line) || !files_read(line).is_empty()
}

/// What a search looks for: its first word that is no option.
pub(super) fn pattern(line: &str) -> String {
    let command = real_command(line);
    let at = command.find(['"', '\'']);
    if let Some(at) = at {
        let mark = &command[at..=at];
        if let Some(end) = command[at + 1..].find(mark) {
            return command[at + 1..at + 1 + end].to_owned();
        }
    }
    let mut words = command.split_whitespace().skip(1).skip_while(|word| *word == "grep");
    words.find(|word| !word.starts_with('-')).unwrap_or_default().to_owned()
}

/// The files that a command reads, if it does nothing else.
pub(super) fn files_read(line: &str) -> Vec<&str> {
    let command = real_command(line);
    if !READERS.contains(&program(command)) || command.contains('>') {
        return Vec::new();
    }
    // Behind a pipe, the output is only filtered.
    let command = command.split('|').next().unwrap_or_default();
    let words = command.split_whitespace().skip(1);
    let words = words.map(|word| word.trim_matches(['"', '\'']));
    let is_path = |word: &&str| {
        !word.starts_with('-') && word.contains(['/', '.']) && !word.contains(['*', '$'])
    };
    words.filter(is_path).collect()
}

#[cfg(test)]
mod tests {
    use super::{files_read, only_looks, pattern, real_command, searches};

    /// If this fails, a digest takes a search for an error, or lists files that nobody read.
    #[test]
    fn what_a_command_does() {
        assert_eq!(real_command("cd app && export A=1; make test"), "make test");
        assert!(searches("cd x && rg -n \"Multi Select\" src") && searches("git grep x"));
        assert!(!searches("make grep") && !searches("cargo test"));
        assert_eq!(pattern("rg -n \"Multi Select\" src"), "Multi Select");
        assert_eq!(pattern("cd a && grep -rn main src"), "main");
        assert_eq!(files_read("sed -n '1,200p' docs/a.md"), ["docs/a.md"]);
        assert_eq!(files_read("sed -n '1,9p' 'src/(a)/b.ts'"), ["src/(a)/b.ts"]);
        assert!(only_looks("ls -la src") && !only_looks("ls > out.txt") && !only_looks("make"));
        assert_eq!(files_read("cat a/b.rs c.toml | head -5"), ["a/b.rs", "c.toml"]);
        assert!(files_read("cat a.txt > b.txt").is_empty() && files_read("rm a.txt").is_empty());
    }
}
