"""Engines that need more than a package: PostgreSQL and Spark."""

import glob
import os
import pwd
import shutil
import subprocess
import tempfile


def find_postgres():
    """The directory with the programs of PostgreSQL; `None` if it is not installed."""
    found = shutil.which("initdb")
    places = [os.path.dirname(found)] if found else sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    places = [place for place in places if os.path.exists(os.path.join(place, "initdb"))]
    return places[-1] if places and shutil.which("psql") else None


class Postgres:
    """A PostgreSQL server for one test. It listens on a socket in its directory only."""

    def __init__(self, programs):
        self.programs = programs
        self.directory = tempfile.mkdtemp(prefix="runlog-pg-")
        # The server refuses to run as root.
        self.user = {}
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(self.directory, nobody.pw_uid, nobody.pw_gid)
            self.user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        self.started = False

    def __enter__(self):
        data = os.path.join(self.directory, "data")
        self._server("initdb", "-D", data, "-U", "runlog", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        options = f"-k {self.directory} -c listen_addresses= -c fsync=off -c timezone=UTC"
        self._server("pg_ctl", "-D", data, "-w", "-l", f"{self.directory}/log", "-o", options, "start")
        self.started = True
        return self

    def __exit__(self, *_):
        if self.started:
            self._server("pg_ctl", "-D", f"{self.directory}/data", "-m", "immediate", "stop")
        shutil.rmtree(self.directory, ignore_errors=True)

    def _server(self, program, *arguments):
        command = [os.path.join(self.programs, program), *arguments]
        # The server keeps the streams that it inherits, so they must not be pipes.
        with open(os.path.join(self.directory, "out"), "ab") as out:
            done = subprocess.run(
                command, cwd="/", stdin=subprocess.DEVNULL, stdout=out, stderr=out, **self.user
            )
        if done.returncode:
            with open(os.path.join(self.directory, "out"), encoding="utf-8") as out:
                raise RuntimeError(f"{program} failed: {out.read()[-2000:]}")

    def psql(self, *arguments, **more):
        """Calls psql."""
        command = ["psql", "-X", "-q", "-h", self.directory, "-U", "runlog", "-d", "postgres"]
        command += ["-v", "ON_ERROR_STOP=1", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, **more)
        if done.returncode:
            raise RuntimeError(f"psql failed: {done.stderr[-2000:]}")
        return done.stdout

    def query(self, sql):
        """The names of the columns, and the rows."""
        import json

        # As JSON, so that text, numbers and missing values are told apart.
        text = self.psql("-t", "-A", "-c", f"SELECT row_to_json(answer) FROM ({sql}) AS answer")
        rows = [json.loads(line) for line in text.splitlines() if line]
        names = list(rows[0]) if rows else []
        return names, [tuple(row.values()) for row in rows]


def spark(lake, tables):
    """A function that asks Spark; `None` if it is not installed."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        return None
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        return None
    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.log.level", "ERROR")
        .getOrCreate()
    )
    for table in tables:
        session.read.parquet(os.path.join(lake, table)).createOrReplaceTempView(table)

    def query(sql):
        answer = session.sql(sql)
        return answer.columns, [tuple(row) for row in answer.collect()]

    query.stop = session.stop
    return query
