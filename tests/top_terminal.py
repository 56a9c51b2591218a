"""Runs `runlog top` on a terminal of its own, and checks what it shows and what it leaves."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

RUNLOG = sys.argv[1]
LOG = "runs/fix-42/events.jsonl"
# Only a program that hangs takes so long.
DEADLINE = 60


class Terminal:
    def __init__(self, *args):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execv(RUNLOG, [RUNLOG, "top", "--interval", "100ms", *args])
        self.resize(24, 100)
        self.all = b""

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def has_line_mode(self):
        return bool(termios.tcgetattr(self.fd)[3] & termios.ICANON)

    def until(self, text):
        """Reads until new output has the text."""
        found, end = b"", time.time() + DEADLINE
        while text not in found:
            if time.time() > end:
                sys.exit(f"not shown: {text!r}; the end of the output: {found[-600:]!r}")
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    found += os.read(self.fd, 65536)
                except OSError:
                    sys.exit(f"ended before {text!r}: {found[-600:]!r}")
        self.all += found
        return found

    def status(self):
        return os.waitpid(self.pid, 0)[1]


def expect(what, truth):
    if not truth:
        sys.exit(f"wrong: {what}")


def main():
    top = Terminal()
    top.until(b"\x1b[?1049h")
    top.until(b"cargo test")
    expect("keys come one by one", not top.has_line_mode())

    # An appended event.
    options = ["--run", "fix-42", "--correlation-id", "new", "-f", "tool_name=New"]
    subprocess.run([RUNLOG, "emit", "tool.started", *options], check=True, stdout=subprocess.DEVNULL)
    top.until(b"4 calls")

    # A log that becomes shorter, one that disappears, and one that comes back.
    whole = open(LOG, "rb").read()
    lines = whole.splitlines(keepends=True)
    with open(LOG, "wb") as log:
        log.write(b"".join(lines[:3]))
    top.until(b"0 calls")
    os.rename("runs/fix-42", "moved")
    top.until(b"1 live run ")
    os.rename("moved", "runs/fix-42")
    with open(LOG, "wb") as log:
        log.write(whole)
    top.until(b"4 calls")

    # Suspended and continued.
    os.kill(top.pid, signal.SIGTSTP)
    top.until(b"\x1b[?1049l")
    os.waitpid(top.pid, os.WUNTRACED)
    expect("line mode while stopped", top.has_line_mode())
    os.kill(top.pid, signal.SIGCONT)
    top.until(b"\x1b[?1049h")
    top.until(b"q quits")
    expect("keys after a stop", not top.has_line_mode())

    # A small terminal, and other keys.
    top.resize(6, 60)
    top.until(b"more lines")
    os.write(top.fd, b"xj\x1b[A")
    top.until(b"calm")

    # A run that ends is still shown as such.
    subprocess.run([RUNLOG, "emit", "run.failed", "--run", "calm"], check=True, stdout=subprocess.DEVNULL)
    top.resize(24, 100)
    top.until(b"failed")
    os.write(top.fd, b"q")
    top.until(b"\x1b[?1049l")
    expect("line mode at the end", top.has_line_mode())
    expect("exit status 0", top.status() == 0)

    for number, status in [(signal.SIGINT, 0), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]:
        top = Terminal()
        top.until(b"q quits")
        os.kill(top.pid, number)
        top.until(b"\x1b[?1049l")
        expect(f"line mode after signal {number}", top.has_line_mode())
        expect(f"exit status {status}", os.waitstatus_to_exitcode(top.status()) == status)


main()
