#!/usr/bin/env python3
"""Installs a build into an empty folder and builds and runs a project that uses it.

usage: consumer.py BUILD_FOLDER CONSUMER_SOURCE
"""
import pathlib
import subprocess
import sys
import tempfile


def main():
    build, source = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        prefix, out = pathlib.Path(folder, "prefix"), pathlib.Path(folder, "build")
        for command in [
            ["cmake", "--install", build, "--prefix", prefix],
            ["cmake", "-S", source, "-B", out, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}"],
            ["cmake", "--build", out],
            [out / "consumer"],
            [prefix / "bin" / "zonecut", "--version"],
        ]:
            subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
