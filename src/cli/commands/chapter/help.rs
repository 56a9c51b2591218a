//! The ends of the help of `runlog chapter …`: examples and exit statuses.

/// For `chapter index`.
pub(super) const INDEX: &str = "\
Examples:
  runlog chapter index                 the tasks of the newest run
  runlog chapter index fix-42 --format json

Exit status:
  0   the tasks were printed
  2   wrong usage
  66  there is no such run
  74  a file could not be read or written
  77  a path is unsafe, or permission is missing";

/// For `chapter add`.
pub(super) const ADD: &str = "\
Examples:
  runlog chapter add fix-42 --start 1 --end 3 --name Setup --message 'It works'
  runlog chapter add fix-42 --first 40 --last 95 --name Search --message @a.txt

Exit status:
  0   the chapter was added
  2   wrong usage
  65  the tasks cannot be folded; nothing was changed
  66  there is no such run
  74  a file could not be read or written
  77  a path is unsafe, or permission is missing";

/// For `chapter apply`.
pub(super) const APPLY: &str = "\
Examples:
  runlog chapter auto fix-42 | runlog chapter apply fix-42
  runlog chapter apply fix-42 chapters.json

Exit status:
  0   all chapters were added
  2   wrong usage
  65  the array, or one chapter in it, was rejected; nothing was changed
  66  there is no such run or file
  74  a file could not be read or written
  77  a path is unsafe, or permission is missing";

/// For `chapter remove`.
pub(super) const REMOVE: &str = "\
Examples:
  runlog chapter remove fix-42 setup

Exit status:
  0   the chapter was removed; its events are visible again
  2   wrong usage
  66  there is no such run or chapter
  74  a file could not be read or written
  77  a path is unsafe, or permission is missing";

/// For `chapter list`.
pub(super) const LIST: &str = "\
Examples:
  runlog chapter list fix-42

Exit status:
  0   the chapters were printed, also if there are none
  2   wrong usage
  66  there is no such run
  74  a file could not be read or written
  77  a path is unsafe, or permission is missing";

/// For `chapter show`.
pub(super) const SHOW: &str = "\
Examples:
  runlog chapter show fix-42 setup

Exit status:
  0   the chapter was printed
  2   wrong usage
  66  there is no such run or chapter
  74  a file could not be read or written
  77  a path is unsafe, or permission is missing";

/// For `chapter ls`.
pub(super) const LS: &str = "\
Examples:
  runlog chapter ls fix-42                      all chapters
  runlog chapter ls fix-42 /chapters/setup      what is in one

Exit status:
  0   the folder was listed
  2   wrong usage
  66  there is no such run or path
  74  a file could not be read or written
  77  a path is unsafe, or permission is missing";

/// For `chapter cat`.
pub(super) const CAT: &str = "\
Examples:
  runlog chapter cat fix-42 /chapters/setup/summary.md

Exit status:
  0   the file was printed
  2   wrong usage
  66  there is no such run or path, or it is a folder
  74  a file could not be read or written
  77  a path is unsafe, or permission is missing";

/// For `chapter export`.
pub(super) const EXPORT: &str = "\
Examples:
  runlog chapter export fix-42                  to runs/fix-42/chapters/
  runlog chapter export fix-42 --out /tmp/chapters

Exit status:
  0   the tree was written
  2   wrong usage
  66  there is no such run
  73  the directory has files of another run, or files that no export wrote
  74  a file could not be read or written
  75  another export writes to this directory
  77  a path is unsafe, or permission is missing";

/// For `chapter due`.
pub(super) const DUE: &str = "\
Examples:
  runlog chapter due fix-42 --trigger 100k && echo 'time to fold'

Exit status:
  0   the context is too large
  1   it is not
  2   wrong usage
  66  there is no such run
  74  a file could not be read or written
  77  a path is unsafe, or permission is missing";

/// For `chapter run`.
pub(super) const RUN: &str = "\
Examples:
  runlog chapter run fix-42 --trigger 100k --agent-cmd 'claude -p'

Exit status:
  0   the agent was asked, or the context is not too large
  2   wrong usage, or no agent was named
  66  there is no such run
  69  the agent failed, or its answer cannot be used
  74  a file could not be read or written
  75  another process asks an agent about this run
  77  a path is unsafe, or permission is missing";

/// For `chapter auto`.
pub(super) const AUTO: &str = "\
Examples:
  runlog chapter auto fix-42                    print the proposal
  runlog chapter auto fix-42 --apply            fold it

Exit status:
  0   the proposal was printed, or folded
  2   wrong usage
  66  there is no such run
  74  a file could not be read or written
  77  a path is unsafe, or permission is missing";

/// For `chapter` itself.
pub(super) const CHAPTER: &str = "\
Examples:
  runlog chapter index fix-42          the numbers of the tasks
  runlog chapter add fix-42 --start 1 --end 3 --name Setup --message 'It works'
  runlog chapter ls fix-42             the tree of chapters

Exit status:
  0   success
  2   wrong usage
  65  the tasks cannot be folded; nothing was changed
  66  there is no such run, chapter or path
  74  a file could not be read or written
  77  a path is unsafe, or permission is missing";
