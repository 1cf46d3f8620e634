"""What the tests with a real Kubernetes have built: what is used stays, the rest goes."""
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

SCRIPT = pathlib.Path(__file__).with_name("run")
DAY = 86_400
KEYS = [digit * 16 for digit in "0123456789abcdef"]


def run(argument, cache=None):
    environment = dict(os.environ) if cache is None else {**os.environ, "XDG_CACHE_HOME": str(cache)}
    return subprocess.run(["bash", SCRIPT, argument], env=environment, capture_output=True, text=True,
                          check=False)


class Kept(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = pathlib.Path(folder.name)
        self.kept = self.cache / "zonecut"

    def put(self, name, days, folder=False):
        path = self.kept / name
        path.parent.mkdir(exist_ok=True)
        if folder:
            path.mkdir()
            (path / "helm").touch()
        else:
            path.touch()
        used = time.time() - days * DAY
        os.utime(path, (used, used))
        return name

    def names(self):
        return {path.name for path in self.kept.iterdir()} - {"kubernetes-used.lock"}

    def test_what_no_run_has_used_for_three_days_goes(self):
        for number, kind in enumerate(["test", "render", "test.new", "any"]):
            self.put(f"kubernetes-{KEYS[number]}.{kind}", 4)
        self.put(f"kubernetes-{KEYS[9]}.programs", 4, folder=True)
        self.put(f"kubernetes-{KEYS[9]}.programs.new", 4, folder=True)
        stay = {self.put(f"kubernetes-{KEYS[0]}.programs", 2, folder=True),
                self.put(f"kubernetes-{KEYS[1]}.test", 0), self.put("kubernetes-modules.log", 9),
                self.put("kubernetes.lock", 9), self.put("notes", 9)}
        result = run("--clean", self.cache)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual(self.names(), stay)

    def test_no_cache_is_clean(self):
        self.assertEqual(run("--clean", self.cache).returncode, 0)
        self.assertFalse(self.kept.exists())

    def test_what_is_asked_for_is_used(self):
        found = run("--programs")
        if found.returncode == 77:
            self.skipTest(found.stderr.strip())
        name = self.put(pathlib.Path(found.stdout.strip()).name, 9, folder=True)
        self.assertEqual(run("--programs", self.cache).stdout.strip(), str(self.kept / name))
        self.assertEqual(run("--clean", self.cache).returncode, 0)
        self.assertEqual(self.names(), {name})

    def test_nothing_is_removed_while_another_run_marks_what_it_uses(self):
        self.put(f"kubernetes-{KEYS[0]}.test", 4)
        lock = self.kept / "kubernetes-used.lock"
        with subprocess.Popen(["flock", lock, "sh", "-c", "echo held; read line"], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
            self.assertEqual(other.stdout.readline(), "held\n")
            environment = {**os.environ, "XDG_CACHE_HOME": str(self.cache)}
            with subprocess.Popen(["bash", SCRIPT, "--clean"], env=environment) as clean:
                with self.assertRaises(subprocess.TimeoutExpired):
                    clean.wait(0.5)
                self.assertEqual(len(self.names()), 1)
                other.communicate("go\n")
                self.assertEqual(clean.wait(20), 0)
        self.assertEqual(self.names(), set())


if __name__ == "__main__":
    unittest.main(verbosity=2)
