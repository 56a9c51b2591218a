"""The ten questions of docs/queries: the answers of the program and those of engines."""

import datetime
import decimal
import json
import os

TOKENS = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens"]
QUERIES = os.path.join(os.path.dirname(__file__), "..", "docs", "queries")


def without_nul(value):
    """A value as CSV has it: U+FFFD in place of NUL, which PostgreSQL cannot hold."""
    if isinstance(value, (list, tuple)):
        return type(value)(without_nul(one) for one in value)
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value


def number(value):
    """A number that is 0 if it is unknown."""
    return value or 0


def micros(dollars):
    """Dollars as a whole number."""
    return None if dollars is None else round(float(dollars) * 1_000_000)


def counted(row):
    """Whether a group of `stats` has anything but copies."""
    known = [row.get(name) for name in [*TOKENS, "cost_usd"]]
    return row.get("model_calls") or row.get("calls") or any(one is not None for one in known)


def cost(program):
    """Question 1."""
    for row in program.stats("model,day,project"):
        # A group that has only tool calls is no answer to a question about cost.
        if row["model_calls"] or any(row[name] is not None for name in [*TOKENS, "cost_usd"]):
            tokens = [row[name] for name in TOKENS]
            dollars = micros(row["cost_usd"])
            yield row["model"], row["day"], row["project"], row["model_calls"], *tokens, dollars


def tools(program):
    """Question 2."""
    for row in program.stats("tool"):
        if row["calls"]:
            yield tuple(row[name] for name in ["tool", "calls", "failures", "median_ms", "p95_ms", "duration_ms"])


def retries(program):
    """Question 3."""
    for row in program.stats("model"):
        if row["model_calls"] or any(row[name] is not None for name in [*TOKENS, "cost_usd"]):
            tokens = sum(number(row[name]) for name in TOKENS)
            yield row["model"], tokens, row["retry_tokens"], row["repeat_tokens"]


def differences(program):
    """Question 4."""
    names = ["project", "run", "version", "status", "calls", "failures", "retries", "model_calls"]
    for row in program.stats("project,run,version,status"):
        values = [row[name] for name in [*names, "input_tokens", "output_tokens"]]
        yield *values, micros(row["cost_usd"])


def files(program):
    """Question 5, about files."""
    for row in program.stats("file,run"):
        yield tuple(row[name] for name in ["file", "run", "reads", "changes", "added", "removed"])


def pull_requests(program):
    """Question 5, about pull requests."""
    rows = program.stats("pull-request,run")
    return [(row["pull-request"], row["run"]) for row in rows if row["pull-request"] is not None]


def context(program):
    """Question 6."""
    for row in program.stats("run,prompt"):
        if counted(row):
            prompt = None if row["prompt"] is None else int(row["prompt"])
            yield row["run"], prompt, row["largest_context"], row["result_bytes"]


def tested(program):
    """Question 7."""
    return [(row["run"], row["edited_runs"], row["tested_runs"]) for row in program.stats("run")]


def subagents(program):
    """Question 8."""
    names = ["subagent", "calls", "failures", "model_calls", "input_tokens", "output_tokens"]
    return [tuple(row[name] for name in names) for row in program.stats("subagent") if counted(row)]


def copies(program):
    """Question 9."""
    rows = [(row["run"], row["copied_tokens"], row["copied_calls"]) for row in program.stats("run")]
    return [row for row in rows if row[1] or row[2]]


def errors(program):
    """Question 10."""
    for run in program.runs():
        tasks, number_of_task = {}, 1
        while events := program.events(run, "--task", str(number_of_task)):
            tasks.update((event["sequence"], number_of_task) for event in events)
            number_of_task += 1
        for event in program.events(run, "--severity", "error"):
            sequence = event["sequence"]
            yield run, tasks.get(sequence), sequence, event["type"], event["summary"]


# The file with the query, the answer of the program, and the columns of the query to compare: all
# but those that the program prints in another place.
QUESTIONS = [
    ("01-cost", cost, None),
    ("02-tools", tools, None),
    ("03-retries", retries, None),
    ("04-what-differs", differences, None),
    ("05-files", files, None),
    ("05-pull-requests", pull_requests, None),
    ("06-context", context, None),
    ("07-tested", tested, None),
    ("08-subagents", subagents, None),
    ("09-copies", copies, None),
    ("10-errors", errors, [0, 1, 2, 3, 5]),
]


def cell(value, is_cost):
    """A value that compares equal in whatever type an engine has it."""
    if is_cost:
        return micros(value)
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()[:10]
    if isinstance(value, (bool, decimal.Decimal)):
        return int(value)
    return value


def text_of(query):
    """The SQL of a query."""
    with open(os.path.join(QUERIES, query + ".sql"), encoding="utf-8") as file:
        return file.read().strip().rstrip(";")


def answers(program):
    """The answers of the program, by query."""
    return {query: ordered(answer(program)) for query, answer, _ in QUESTIONS}


def ordered(rows):
    """The rows in an order that all engines share."""
    return sorted((without_nul(tuple(row)) for row in rows), key=json.dumps)


def ask(query, columns, run):
    """The answer of an engine. `run` takes SQL and returns the names of columns and the rows."""
    names, rows = run(text_of(query))
    picked = columns or range(len(names))
    return ordered([cell(row[at], names[at] == "cost_usd") for at in picked] for row in rows)


class Comparison:
    """Which engine gave which answer."""

    def __init__(self, program):
        self.wanted = answers(program)
        self.engines, self.results, self.failed = [], {}, 0

    def engine(self, name, run, without=()):
        """Asks an engine all questions. Those in `without` need columns that it does not have."""
        self.engines.append(name)
        for query, _, columns in QUESTIONS:
            if query in without:
                self.results[query, name] = "-"
                continue
            try:
                found = ask(query, columns, run)
            except Exception as error:  # Each engine has its own errors.
                self.failed += 1
                self.results[query, name] = "ERROR"
                print(f"{name}, {query}: {str(error)[:500]}")
                continue
            same = found == self.wanted[query]
            self.results[query, name] = "equal" if same else "DIFFERS"
            if not same:
                self.failed += 1
                self.show(f"{name}, {query}", found, self.wanted[query])

    @staticmethod
    def show(what, found, wanted):
        """Prints the first differences."""
        one, other = set(found), set(wanted)
        print(f"{what}: {len(found)} rows, not {len(wanted)}")
        print("  only found:", sorted(one - other, key=str)[:4])
        print("  only wanted:", sorted(other - one, key=str)[:4])

    def table(self):
        """Prints the results."""
        width = max(len(query) for query, _, _ in QUESTIONS)
        head = "  ".join(name.rjust(8) for name in self.engines)
        print(f"{'question'.ljust(width)}  rows  {head}")
        for query, _, _ in QUESTIONS:
            cells = [self.results[query, name].rjust(max(8, len(name))) for name in self.engines]
            print(f"{query.ljust(width)}  {len(self.wanted[query]):4}  {'  '.join(cells)}")
