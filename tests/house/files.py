#!/usr/bin/env python3
"""Checks what is kept in the house: no large file, none that some program built or fetched, and no script that does
not run by itself though it says what runs it.

usage: files.py ROOT         exit 1 and one line per file; where ROOT is no Git checkout there is nothing to check
       files.py --self-test  shows that each kind is found
"""
import pathlib
import stat
import subprocess
import sys
import tempfile

MOST_BYTES = 512 * 1024
BUILT = {".a", ".gz", ".o", ".pyc", ".so", ".tar", ".whl", ".zip"}


def breaches_in(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True, check=False)
    breaches = []
    for name in filter(None, listed.stdout.split("\0")):
        path = root / name
        size = path.stat().st_size if path.is_file() else 0
        if size > MOST_BYTES:
            breaches.append(f"{name}: {size} bytes, expected {MOST_BYTES} at most")
        if path.suffix in BUILT:
            breaches.append(f"{name}: built or fetched, expected only what people wrote")
        if path.is_file() and says_what_runs_it(path) != bool(path.stat().st_mode & stat.S_IXUSR):
            breaches.append(f"{name}: executable, or begins with #!, expected both or neither")
    return breaches


def says_what_runs_it(path):
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "small.md").write_text("words")
        (root / "large.md").write_bytes(bytes(MOST_BYTES + 1))
        (root / "package.whl").write_text("built")
        (root / "script").write_text("#!/bin/sh\n")
        (root / "words").write_text("words")
        (root / "words").chmod(0o755)
        subprocess.run(["git", "-C", root, "init", "-q"], check=True)
        subprocess.run(["git", "-C", root, "add", "."], check=True)
        found = [breach.partition(":")[0] for breach in breaches_in(root)]
    return 0 if found == ["large.md", "package.whl", "script", "words"] else 1


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    breaches = breaches_in(pathlib.Path(sys.argv[1]))
    for breach in breaches:
        print(breach)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
