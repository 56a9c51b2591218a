"""Runs commands of runlog on a terminal, and fails if one prints a character that acts on it."""

import fcntl
import os
import pty
import re
import struct
import sys
import termios

RUNLOG = sys.argv[1]
COMMANDS = """
list
list --format tsv
list --format json
list --format ids
summarize r
summarize --all
summarize r --format json
stats --by agent,tool
stats --by agent,tool --format csv
stats --by agent,tool --format json
show r
show r --full
show r --format json
show r --format transcript-events
show r --folded
show r --waterfall
show r --waterfall --format json
show r --event 2
search start
search start --format json
transcript r --format text
transcript r --format json -o -
transcript r -o -
transcript r --format html -o -
export r --to atif --out -
export r --to aos --out -
export r --to otlp --out -
validate r
validate r --format json
validate r --format junit
validate r --format github
graph r
graph r --format json
context r
context r --format messages
chapter index r
top --once --all
top --once --all --format json
""".strip().splitlines()
# A style (`ESC [ 31 m`), and what a terminal makes of a line feed.
HARMLESS = re.compile(r"\x1b\[[0-9;]*m|\r\n")
LIVE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)


def printed(command, options):
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(RUNLOG, [RUNLOG, *options, *command.split()])
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
    output = b""
    while True:
        try:
            part = os.read(fd, 65536)
        except OSError:
            break
        if not part:
            break
        output += part
    os.waitpid(pid, 0)
    return output.decode()


for command in COMMANDS:
    for options in [[], ["--color", "never"], ["--color", "always"]]:
        output = printed(command, options)
        if not output.strip():
            sys.exit(f"{command}: printed nothing")
        found = sorted({ascii(one) for one in LIVE.findall(HARMLESS.sub("\n", output))})
        if found:
            sys.exit(f"{options} {command}: printed {found}: {output[:3000]!r}")
