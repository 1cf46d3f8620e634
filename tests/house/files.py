#!/usr/bin/env python3
"""Checks what is kept in the house: no large file, and none that some program built or fetched.

usage: files.py ROOT    exit 1 and one line per file; where ROOT is no Git checkout there is nothing to check
"""
import pathlib
import subprocess
import sys

MOST_BYTES = 512 * 1024
BUILT = {".a", ".gz", ".o", ".pyc", ".so", ".tar", ".whl", ".zip"}


def main():
    root = pathlib.Path(sys.argv[1])
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        print("no Git checkout")
        return 0
    breaches = []
    for name in filter(None, listed.stdout.split("\0")):
        path = root / name
        size = path.stat().st_size if path.is_file() else 0
        if size > MOST_BYTES:
            breaches.append(f"{name}: {size} bytes, expected {MOST_BYTES} at most")
        if path.suffix in BUILT:
            breaches.append(f"{name}: built or fetched, expected only what people wrote")
    print("\n".join(breaches))
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
