"""Reads the exported tables with engines, and compares their answers with those of the program.

Usage: python engines.py RUNLOG RUNS_DIR WORK_DIR

Exports the runs to Parquet, SQLite and CSV below WORK_DIR, and reads the Parquet files through the
views of `runlog export --to ddl`. Prints one line per comparison and exits with 1 if one fails. It
needs the package `duckdb`. With the package `chdb`, it also tries the views for ClickHouse; with
`pyspark` and Java, Spark over the Parquet files; with PostgreSQL, a server of its own with the CSV
files loaded. What is not there is reported as SKIPPED.
"""

import json
import os
import sqlite3
import subprocess
import sys

import duckdb
import engine_hosts
from questions import TOKENS, Comparison, micros, without_nul

TABLES = ["runs", "calls", "usage", "events", "findings", "files"]
failures = []


def check(what, found, wanted):
    """Compares two answers."""
    found, wanted = without_nul(found), without_nul(wanted)
    if isinstance(found, list) and isinstance(wanted, list):
        found, wanted = sorted(found, key=str), sorted(wanted, key=str)
    same = found == wanted
    print(f"{'ok' if same else 'DIFFERS'}: {what}")
    if not same:
        failures.append(what)
        if isinstance(found, list) and isinstance(wanted, list):
            one, other = set(map(str, found)), set(map(str, wanted))
            print("  only found:", sorted(one - other)[:8], "\n  only wanted:", sorted(other - one)[:8])
        else:
            print("  found:", found, "\n  wanted:", wanted)


class Program:
    """The program on a runs directory."""

    def __init__(self, path, runs_dir):
        self.path, self.runs_dir = path, runs_dir

    def __call__(self, *arguments):
        """What the program prints."""
        command = [self.path, "--runs-dir", self.runs_dir, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout

    def stats(self, *by):
        """The groups of `runlog stats`, by their names, and the total."""
        stats = self.document("stats", "--by", ",".join(by))
        return stats["rows"], stats["total"]

    def document(self, *arguments):
        """A document that the program prints as JSON."""
        return json.loads(self(*arguments, "--format", "json"))


class Answers:
    """What the questions need of the program."""

    def __init__(self, program):
        self.program = program

    def stats(self, by, *runs):
        """The groups of `runlog stats`."""
        return self.program.document("stats", *runs, "--by", by)["rows"]

    def runs(self):
        """The ids of all runs."""
        return sorted(row["run"] for row in self.stats("run"))

    def events(self, run, *conditions):
        """Events of a run."""
        lines = self.program("show", run, "--format", "jsonl", *conditions).split("\n")
        return [json.loads(line) for line in lines if line]


def compare_tables(name, query, program):
    """Asks the questions that the tables answer."""
    groups, total = program.stats("model")
    sums = query(
        """select sum(input_tokens), sum(output_tokens), sum(cache_read_tokens),
           sum(cache_creation_tokens), sum(cost_usd), count(*) filter (where kind in ('call', 'calls'))
           from usage where first_seen"""
    )[0]
    names = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens"]
    check(f"{name}: tokens", [n or 0 for n in sums[:4]], [total[key] or 0 for key in names])
    check(f"{name}: cost", micros(sums[4]), micros(total["cost_usd"]))
    check(f"{name}: model calls", sums[5], total["model_calls"])
    by_model = query(
        """select model, sum(input_tokens), sum(output_tokens), sum(cost_usd)
           from usage where first_seen group by model"""
    )
    found = sorted((str(m), i or 0, o or 0, micros(c)) for m, i, o, c in by_model)
    wanted = sorted(
        (str(g["model"]), g["input_tokens"] or 0, g["output_tokens"] or 0, micros(g["cost_usd"]))
        for g in groups
        if g["model_calls"] or g["input_tokens"] or g["output_tokens"]
    )
    check(f"{name}: usage by model", [f for f in found if f[1] or f[2]], [w for w in wanted if w[1] or w[2]])
    groups, _ = program.stats("tool")
    by_tool = query(
        """select tool, count(*), count(*) filter (where status = 'failed'),
           count(*) filter (where is_retry), count(*) filter (where is_repeat)
           from calls where first_seen group by tool"""
    )
    keys = ["tool", "calls", "failures", "retries", "repeats"]
    wanted = sorted(tuple(g[key] for key in keys) for g in groups if g["calls"])
    check(f"{name}: calls by tool", sorted(tuple(row) for row in by_tool), wanted)
    groups, _ = program.stats("file")
    files = query("select path, count(*) from files where action <> 'deliverable' group by path")
    check(f"{name}: files", sorted(f[0] for f in files), sorted(g["file"] for g in groups if g["file"]))


def state(runs_dir, run):
    """The `run.json` of a run."""
    with open(os.path.join(runs_dir, run, "run.json"), encoding="utf-8") as file:
        return json.load(file)


def compare_runs(name, query, columns, runs_dir):
    """Compares the table of runs with each `run.json`."""
    rows = query(f"select run_id, {', '.join(columns)} from runs")
    found = sorted(tuple(row) for row in rows)
    wanted = []
    for run in sorted(os.listdir(runs_dir)):
        counts = state(runs_dir, run)["counts"]
        wanted.append((run, *(counts.get(column) for column in columns)))
    check(f"{name}: the counts of run.json", found, sorted(wanted))


COUNTS = ["events", "prompts", "tool_calls", "tool_failures", "errors", "warnings"]


def main():
    """Exports and compares."""
    runlog, runs_dir, work = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    program = Program(runlog, runs_dir)
    lake, database, csv = (os.path.join(work, name) for name in ["lake", "runs.db", "csv"])
    program("export", "--to", "parquet", "--out", lake)
    program("export", "--to", "sqlite", "--out", database)
    program("export", "--to", "csv", "--out", csv)

    duck = duckdb.connect()
    duck.execute("set timezone = 'UTC'")
    duck.execute(program("export", "--to", "ddl", "duckdb", lake))
    query = lambda sql: duck.execute(sql).fetchall()
    compare_tables("Parquet", query, program)
    compare_runs("Parquet", query, COUNTS + TOKENS, runs_dir)
    check("Parquet: JSON is readable", query("select count(*) from events where not json_valid(data)"), [(0,)])
    began = query("select count(*) from runs where date <> strftime(started_at, '%Y-%m-%d')")
    check("Parquet: partitions by day", began, [(0,)])
    lines = "select run_id, sequence, event_id, type from lines order by 1, 2"
    events = "select run_id, sequence, event_id, event_type from events order by 1, 2"
    check("DuckDB: lines of the logs", query(lines), query(events))

    lite = sqlite3.connect(database)
    ask = lambda sql: [tuple(row) for row in lite.execute(sql).fetchall()]
    compare_tables("SQLite", ask, program)
    compare_runs("SQLite", ask, COUNTS + TOKENS, runs_dir)
    check("SQLite: integrity", ask("pragma integrity_check"), [("ok",)])
    same = ask("select (select count(*) from events) = (select count(*) from transcript_events)")
    check("SQLite: transcript events", same, [(1,)])

    loaded = duckdb.connect()
    loaded.execute("set timezone = 'UTC'")
    for table in TABLES:
        kinds = duck.execute(f"describe {table}").fetchall()
        kinds = {name: kind for name, kind, *_ in kinds if name != "date"}
        spec = ", ".join(f"'{name}': '{kind}'" for name, kind in kinds.items())
        loaded.execute(
            f"create table {table} as select * from read_csv('{csv}/{table}.csv', "
            f"columns = {{{spec}}}, header = true, max_line_size = 20000000)"
        )
        # An apostrophe before what a spreadsheet would take for a formula is not part of the text.
        for column in (name for name, kind in kinds.items() if kind == "VARCHAR"):
            loaded.execute(
                f"update {table} set {column} = substr({column}, 2) where {column} like '\'\'%' and "
                f"ltrim({column}, '\'\'')[1] in ('=', '+', '-', '@', chr(9), chr(10), chr(13), "
                f"'＝', '＋', '－', '＠')"
            )
    compare_tables("CSV", lambda sql: loaded.execute(sql).fetchall(), program)

    try:
        from chdb.session import Session
    except ImportError:
        print("SKIPPED: ClickHouse (no package chdb)")
        session = None
    else:
        session = Session()
        session.query("create database if not exists r")
        session.query("use r")
        session.query("set prefer_column_name_to_alias = 1, cast_keep_nullable = 1")
        # The engine runs several statements, but reports the error of the last one only.
        for statement in program("export", "--to", "ddl", "clickhouse", lake).split(";\n\n"):
            if statement.strip():
                session.query(statement)

    print("asking the ten questions")
    ten = Comparison(Answers(program))
    ten.engine("Parquet", asked(duck))
    ten.engine("SQLite", asked(lite))
    ten.engine("CSV", asked(loaded))
    if session is not None:
        ten.engine("ClickHouse", asked_of_clickhouse(session))
    others(ten, program, lake, csv)
    ten.table()
    failed = len(failures) + ten.failed
    print(f"{failed} failed" if failed else "all equal")
    sys.exit(1 if failed else 0)


def asked(connection):
    """A function that asks a connection of Python's database interface."""

    def query(sql):
        answer = connection.execute(sql)
        return [column[0] for column in answer.description], answer.fetchall()

    return query


def others(ten, program, lake, csv):
    """Asks the engines that may not be installed."""
    programs = engine_hosts.find_postgres()
    if programs is None:
        print("SKIPPED: PostgreSQL (no initdb or no psql)")
    else:
        with engine_hosts.Postgres(programs) as server:
            server.psql("-f", "-", input=program("export", "--to", "ddl", "postgres"), cwd=csv)
            ten.engine("Postgres", server.query)
    spark = engine_hosts.spark(lake, TABLES)
    if spark is None:
        print("SKIPPED: Spark (no package pyspark, or no Java)")
    else:
        ten.engine("Spark", spark)
        spark.stop()


def asked_of_clickhouse(session):
    """A function that asks ClickHouse."""

    def query(sql):
        text = session.query(sql, "JSONCompactEachRowWithNamesAndTypes").bytes().decode()
        names, kinds, *rows = [json.loads(line) for line in text.splitlines()]
        # Numbers of 64 bits are text in its JSON.
        is_number = [any(word in kind for word in ("Int", "Decimal", "Float")) for kind in kinds]
        read = lambda cell, number: json.loads(cell) if number and isinstance(cell, str) else cell
        return names, [tuple(map(read, row, is_number)) for row in rows]

    return query


main()
