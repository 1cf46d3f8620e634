#!/usr/bin/env python3
"""Checks what is kept in the house: no large file, and none that some program built or fetched.

usage: files.py ROOT         exit 1 and one line per file; where ROOT is no Git checkout there is nothing to check
       files.py --self-test  shows that either kind is found
"""
import pathlib
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
    return breaches


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "small.md").write_text("words")
        (root / "large.md").write_bytes(bytes(MOST_BYTES + 1))
        (root / "package.whl").write_text("built")
        subprocess.run(["git", "-C", root, "init", "-q"], check=True)
        subprocess.run(["git", "-C", root, "add", "."], check=True)
        found = [breach.partition(":")[0] for breach in breaches_in(root)]
    return 0 if found == ["large.md", "package.whl"] else 1


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    breaches = breaches_in(pathlib.Path(sys.argv[1]))
    for breach in breaches:
        print(breach)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
