"""Compares what two builds of the program say about the same inputs.

    python3 tests/oracle.py OLD NEW [--random N] [PATH...]

A PATH is a session file, a directory that is searched for such files, or a directory with runs. Each
file is imported whole and, in a second run, as a stream. A run is copied and its derived files are
rebuilt. --random adds logs of random events: used again are ids, ends come without ids, calls are
denied, runs are resumed. For each run, every view in VIEWS is compared, and the files beside the log.

Prints each view that differs with the first line that does, and exits 1 if there is one.
"""

import argparse
import datetime
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path

GROUPS = ["run", "agent", "model", "prompt", "tool", "file", "day", "status"]
VIEWS = {
    "list": ["list", "--format", "json"],
    **{f"stats {by}": ["stats", "--by", by, "--format", "json"] for by in GROUPS},
    "summarize": ["summarize", "latest", "--dry-run", "--format", "json"],
    "show": ["show", "latest", "--format", "jsonl"],
    "chapters": ["chapter", "index", "latest", "--format", "json"],
    **{f"transcript {form}": ["transcript", "latest", "--format", form, "-o", "-"]
       for form in ["markdown", "text", "html", "json"]},
    "context": ["context", "latest", "--format", "messages"],
    "validate": ["validate", "latest", "--format", "json"],
    "tables": ["export", "--to", "csv", "-o", "tables"],
    "atif": ["export", "latest", "--to", "atif"],
}
FILES = ["run.json", "events.jsonl", "logs/tools.jsonl", "logs/errors.jsonl", "logs/rejected.jsonl"]

# What differs between two calls of one build: times of recording, generated ids, hashes of lines.
NOW = re.compile(r"20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?Z?")
CLOCK = re.compile(r"\b\d\d:\d\d:\d\d\b")
OTHERWISE = [
    (re.compile(r'data-began="\d+"'), "BEGAN"),
    (re.compile(r"evt_[0-9a-f-]{36}"), "EVENT"),
    (re.compile(r"\b(run|sess|task)_\d{8}T\d{6}Z_[a-z0-9]+"), r"\1"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "HASH"),
]
BEGAN = datetime.datetime.now(datetime.timezone.utc).isoformat()


def plain(text, directory):
    """The text without what differs between two calls."""
    text = text.replace(str(directory), "DIR")
    text = NOW.sub(lambda found: "NOW" if found[0][:10] >= BEGAN[:10] else found[0], text)
    now = datetime.datetime.now(datetime.timezone.utc).isoformat()
    text = CLOCK.sub(lambda found: "NOW" if BEGAN[11:19] <= found[0] <= now[11:19] else found[0], text)
    for pattern, word in OTHERWISE:
        text = pattern.sub(word, text)
    return text


def call(program, directory, arguments, given=b""):
    env = {"PATH": os.environ["PATH"], "HOME": str(directory), "RUNLOG_RUNS_DIR": str(directory / "runs")}
    done = subprocess.run([program, *arguments], input=given, capture_output=True, cwd=directory, env=env)
    return f"{done.stdout.decode(errors='replace')}exit status {done.returncode}\n"


def views_of(program, directory):
    """What a build says about the runs in a directory."""
    said = {name: call(program, directory, view) for name, view in VIEWS.items()}
    for table in sorted((directory / "tables").glob("*.csv")):
        said[f"table {table.stem}"] = table.read_text(errors="replace")
    for run in sorted((directory / "runs").glob("*")):
        for name in FILES:
            if (run / name).exists():
                said[name] = said.get(name, "") + (run / name).read_text(errors="replace")
    return {name: plain(text, directory) for name, text in said.items()}


def make(program, directory, case):
    """Records a case with a build."""
    kind, name, given = case
    (directory / "runs").mkdir(parents=True)
    if kind == "import":
        call(program, directory, ["import", str(name)])
    elif kind == "stream":
        stream = ["emit", "--stdin", "--from", "auto", "--create", "--run", "r", "--end-run"]
        call(program, directory, stream, Path(name).read_bytes())
    elif kind == "run":
        shutil.copytree(name, directory / "runs" / Path(name).name)
        call(program, directory, ["validate", "--all", "--fix"])
    elif kind == "at once":
        call(program, directory, ["emit", "--stdin", "--create", "--run", "r"], "\n".join(given).encode())
    else:
        for line in given:
            call(program, directory, ["emit", "--stdin", "--create", "--run", "r"], line.encode())


def random_events(seed):
    """A log of events whose ids are used again, with ends that have none."""
    chance = random.Random(seed)
    lines = [{"type": "run.created", "data": {"metadata": {"agent": "a"}}}, {"type": "run.started", "data": {}}]
    for line in lines:
        line["timestamp"] = "2026-03-01T08:59:00Z"
    for at in range(chance.randrange(4, 40)):
        call_id = chance.choice(["c1", "c2", "c3", None])
        tool = chance.choice(["bash", "read", "edit"])
        data = {"tool_name": tool, "path": f"f{chance.randrange(3)}", "model": chance.choice(["m-1", "m-2"])}
        usage = {"message_id": f"m{chance.randrange(5)}", "model": data["model"]}
        usage |= {name: chance.randrange(99) for name in ["input_tokens", "output_tokens", "cache_read_tokens"]}
        kind, data = chance.choice([
            ("tool.started", data), ("tool.completed", data | {"result": "ok"}),
            ("tool.failed", data | {"error": chance.choice(["denied", "gone"])}), ("tool.blocked", data),
            ("message.user", {"text": f"do {at}"}), ("message.assistant", {"text": f"done {at}"}),
            ("llm.usage", usage), ("llm.usage", usage | {"agent_id": "sub"}),
            ("error", {"message": "oh"}), ("run.completed", {}), ("run.failed", {}), ("run.resumed", {}),
            ("task.started", {"message": "t"}), ("task.succeeded", {}), ("file.written", {"path": "w"}),
        ])
        line = {"type": kind, "data": data, "actor": "user" if kind == "message.user" else "agent",
                "event_id": f"e{at}", "timestamp": f"2026-03-01T09:{at // 60:02}:{at % 60:02}Z"}
        if call_id and kind.startswith("tool."):
            line["correlation_id"] = call_id
        lines.append(line)
    return [json.dumps(line) for line in lines]


def cases_in(paths, number):
    for path in map(Path, paths):
        if (path / "events.jsonl").exists() and (path / "run.json").exists():
            yield "run", path, None
        elif path.is_dir():
            yield from cases_in(sorted(path.iterdir()), 0)
        elif path.suffix in (".jsonl", ".json"):
            yield "import", path.absolute(), None
            yield "stream", path.absolute(), None
    for seed in range(number):
        yield "at once", f"random {seed}", random_events(seed)
        if seed % 10 == 0:
            yield "one by one", f"random {seed}", random_events(seed)


def difference(old, new):
    """The first lines that differ, from shortly before the place where they do."""
    before, after = next(pair for pair in zip_longest(old, new, fillvalue="") if pair[0] != pair[1])
    same = max(0, len(os.path.commonprefix([before, after])) - 80)
    return [f"- {before[same:same + 300]}", f"+ {after[same:same + 300]}"]


def compare(builds, case, only):
    """The views of a case that differ, and how. Those that differ only once differ by the clock."""
    found = compare_once(builds, case, only)
    for _ in range(3):
        found = found and [one for one in compare_once(builds, case, only) if one[0] in dict(found)]
    return found


def compare_once(builds, case, only):
    with tempfile.TemporaryDirectory(prefix="oracle") as place:
        said = []
        for at, build in enumerate(builds):
            directory = Path(place) / str(at) / "oracle"
            make(build, directory, case)
            said.append(views_of(build, directory))
    old, new = said
    found = []
    for name in sorted(old.keys() | new.keys()):
        before, after = old.get(name, ""), new.get(name, "")
        if before == after or not re.search(only, name):
            continue
        found.append((f"{case[0]} {case[1]}: {name}", difference(before.splitlines(), after.splitlines())))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builds", nargs=2, metavar="BUILD")
    parser.add_argument("paths", nargs="*", metavar="PATH")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="number of random logs")
    parser.add_argument("--views", default="", metavar="PATTERN", help="only views whose name matches")
    options = parser.parse_intermixed_args()
    builds = [str(Path(build).absolute()) for build in options.builds]
    cases = list(cases_in(options.paths, options.random))
    different = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(lambda case: compare(builds, case, options.views), cases):
            for title, lines in found:
                different += 1
                print(title, *(f"    {line}" for line in lines), sep="\n")
    print(f"{len(cases)} cases, {different} views differ")
    return 1 if different or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
