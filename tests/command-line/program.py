"""Runs the real program for tests, and makes the files they need."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
PROGRAM = os.environ.get("ZONECUT", "zonecut")
SOURCE = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = SOURCE / "examples"
SMALL = EXAMPLES / "02-small"
# For predict, which does not search; and for place and report.
SMALL_CASE = ["--cluster", str(SMALL / "cluster.yaml"), "--job", str(SMALL / "job.yaml")]
SMALL_JOB = [*SMALL_CASE, "--effort", "fast"]

# A ring of four vertices and room for six in two zones.
GRAPH = "4 4 1\n2 10 4 1\n1 10 3 10\n2 10 4 10\n3 10 1 1\n"
TREE = "0 0 2\n0 1 2\n0 1 2\n"


def run(*words, stdin="", **environment):
    """The finished process; the environment is fixed but for what is given. Asserts nothing."""
    fixed = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "COLUMNS": "80"}
    for name in ["ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"]:
        if name in os.environ:
            fixed[name] = os.environ[name]
    return subprocess.run([PROGRAM, *map(str, words)], input=stdin, text=True, timeout=100,
                          capture_output=True, errors="replace", env={**fixed, **environment}, check=False)


class InFolder(unittest.TestCase):
    """Each case has a folder of its own, self.folder, with the files `graph` and `tree`."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.graph = self.write("graph", GRAPH)
        self.tree = self.write("tree", TREE)
        self.map = ["map", "--graph", self.graph, "--tree", self.tree, "--effort", "fast"]

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path


def main():
    if "ZONECUT" not in os.environ:
        sys.exit("set ZONECUT to the program under test")
    unittest.main(verbosity=1)
