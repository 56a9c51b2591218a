#!/usr/bin/env python3
"""Writes invented session files of a coding agent, for measurements over many runs.

Usage: fleet.py FOLDER SESSIONS

Each session has 1 to 6 prompts, with model calls, tool calls, failures, retries and edits. The
same number of sessions gives the same files. `runlog import FOLDER` makes runs of them.
"""

import datetime
import json
import os
import random
import sys

MODELS = ["claude-opus-4-5", "claude-sonnet-4-5", "claude-haiku-4-5"]
PROJECTS = [f"/home/dev/project-{number}" for number in range(40)]
TOOLS = ["Read", "Bash", "Edit", "Grep", "Bash", "Read"]
WORDS = "fix the parser so that it reads long lines and add a test for each case".split()


def text(chance, length):
    return " ".join(chance.choice(WORDS) for _ in range(length))


def arguments(chance, tool):
    path = f"src/module_{chance.randrange(30)}.py"
    if tool == "Bash":
        return {"command": chance.choice(["pytest -q", "ls", "git status", f"cat {path}"])}
    if tool == "Edit":
        return {"file_path": path, "old_string": text(chance, 6), "new_string": text(chance, 9)}
    if tool == "Grep":
        return {"pattern": chance.choice(WORDS)}
    return {"file_path": path}


def session(number):
    chance = random.Random(number)
    name = f"{number:08x}-0000-4000-8000-{number:012x}"
    begin = datetime.datetime(2026, 1, 1) + datetime.timedelta(minutes=5 * number % 400_000)
    clock = [begin]
    project, model = chance.choice(PROJECTS), chance.choice(MODELS)

    def line(kind, message, **more):
        clock[0] += datetime.timedelta(milliseconds=chance.randrange(200, 30_000))
        uuid = f"{chance.getrandbits(64):016x}"
        time = clock[0].isoformat(timespec="milliseconds") + "Z"
        return json.dumps({
            "type": kind, "uuid": uuid, "sessionId": name, "timestamp": time, "cwd": project,
            "version": "2.0.27", "gitBranch": "main", "message": message, **more,
        })

    for prompt in range(chance.randrange(1, 7)):
        yield line("user", {"role": "user", "content": text(chance, 12)})
        for turn in range(chance.randrange(1, 6)):
            reply = f"msg_{number}_{prompt}_{turn}"
            usage = {
                "input_tokens": chance.randrange(3, 300), "output_tokens": chance.randrange(20, 900),
                "cache_read_input_tokens": chance.randrange(10_000, 90_000),
                "cache_creation_input_tokens": chance.randrange(0, 4_000),
            }
            tool, call = chance.choice(TOOLS), f"toolu_{number}_{prompt}_{turn}"
            content = [
                {"type": "text", "text": text(chance, 20)},
                {"type": "tool_use", "id": call, "name": tool, "input": arguments(chance, tool)},
            ]
            yield line(
                "assistant",
                {"role": "assistant", "id": reply, "model": model, "content": content, "usage": usage},
                requestId=f"req_{number}_{prompt}_{turn}",
            )
            result = {"type": "tool_result", "tool_use_id": call, "content": text(chance, 60)}
            if chance.random() < 0.12:
                result["is_error"] = True
            yield line("user", {"role": "user", "content": [result]})


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, sessions = sys.argv[1], int(sys.argv[2])
    for number in range(sessions):
        where = os.path.join(folder, f"{number // 1000:03d}")
        os.makedirs(where, exist_ok=True)
        with open(os.path.join(where, f"{number:08x}.jsonl"), "w", encoding="utf-8") as file:
            file.writelines(one + "\n" for one in session(number))


if __name__ == "__main__":
    main()
