#!/usr/bin/env python3
"""Makes the npm packages: `runlog-cli`, and one package per platform that holds its executable.

Usage: pack.py OUT [PLATFORM=EXECUTABLE...]   for example  pack.py dist/npm linux-x64=target/release/runlog

The main package names all platform packages as optional dependencies. npm installs the one whose
`os` and `cpu` fit. Without an executable, only the main package is made.
"""

import json
import pathlib
import re
import shutil
import sys

PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"]
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def cargo(key: str) -> str:
    """A string of the section [package] of Cargo.toml."""
    found = re.search(rf'^{key} = "(.*)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)
    if not found:
        sys.exit(f"pack.py: Cargo.toml has no {key}")
    return found[1]


def package(folder: pathlib.Path, name: str, **more: object) -> None:
    """Makes the folder of a package with what all packages have."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for text in [ROOT / "LICENSE-MIT", ROOT / "LICENSE-APACHE", ROOT / "packaging" / "README.md"]:
        shutil.copyfile(text, folder / text.name)
    manifest = {
        "name": name,
        "version": cargo("version"),
        "description": cargo("description"),
        "license": cargo("license"),
        # Yarn would leave the package in an archive, where no program can start it.
        "preferUnplugged": True,
        **more,
    }
    (folder / "package.json").write_text(json.dumps(manifest, indent=2) + "\n")


def executable(source: pathlib.Path, folder: pathlib.Path) -> None:
    """Puts an executable into a package."""
    shutil.copyfile(source, folder / "runlog")
    (folder / "runlog").chmod(0o755)


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    for argument in sys.argv[2:]:
        platform, _, source = argument.partition("=")
        if platform not in PLATFORMS:
            sys.exit(f"pack.py: unknown platform {platform}; known: {', '.join(PLATFORMS)}")
        system, cpu = platform.split("-")
        folder = out / f"runlog-cli-{platform}"
        package(folder, folder.name, os=[system], cpu=[cpu], files=["runlog"])
        executable(pathlib.Path(source), folder)
    folder = out / "runlog-cli"
    optional = {f"runlog-cli-{platform}": cargo("version") for platform in PLATFORMS}
    package(
        folder,
        folder.name,
        keywords=["agent", "audit", "jsonl", "log", "transcript"],
        bin={"runlog": "runlog"},
        files=["runlog"],
        os=["linux", "darwin"],
        optionalDependencies=optional,
    )
    executable(HERE / "runlog", folder)


main()
