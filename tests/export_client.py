"""Reads exported runs with the packages of other people.

Usage: python export_client.py DIRECTORY

Reads each *.otlp.json in the directory with the package `opentelemetry-proto`, and each *.atif.json
with the package `harbor`. Prints one line per package and exits with 1 if a file is refused. A package
that is not there is skipped, and said so.
"""

import sys
from pathlib import Path


def spans(path):
    """The number of spans in a file."""
    from google.protobuf import json_format
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
        ExportTraceServiceRequest,
    )

    request = json_format.Parse(path.read_text(), ExportTraceServiceRequest())
    found = [
        span
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    for span in found:
        assert span.start_time_unix_nano <= span.end_time_unix_nano, f"{path}: {span.name}"
    assert found, f"{path}: no spans"
    return len(found)


def steps(path):
    """The number of steps in a file."""
    from harbor.models.trajectories import Trajectory
    from harbor.utils.trajectory_validator import TrajectoryValidator

    validator = TrajectoryValidator()
    assert validator.validate(path), f"{path}: {validator.errors}"
    return len(Trajectory.model_validate_json(path.read_text()).steps)


def main():
    directory = Path(sys.argv[1])
    readers = [
        ("opentelemetry-proto", "*.otlp.json", spans),
        ("harbor", "*.atif.json", steps),
    ]
    for package, pattern, reader in readers:
        paths = sorted(directory.glob(pattern))
        assert paths, f"no {pattern} in {directory}"
        try:
            counts = [reader(path) for path in paths]
        except ImportError as missing:
            print(f"SKIPPED: {package}: {missing}")
            continue
        print(f"{package}: {sum(counts)} parts of {len(paths)} files")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as refused:
        print(refused)
        sys.exit(1)
