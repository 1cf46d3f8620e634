"""What cannot run here is skipped, and is not counted as passed."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import deployment

HERE = pathlib.Path(__file__).parent


class Skipped(unittest.TestCase):
    def test_the_rendered_chart_where_there_is_no_helm(self):
        with tempfile.TemporaryDirectory() as folder:
            # No cache with a helm that was built, and of what is installed only what says so.
            result = subprocess.run(
                [sys.executable, "-B", HERE / "rendered_chart_test.py"], capture_output=True, text=True,
                check=False, env={**os.environ, "XDG_CACHE_HOME": folder, "PATH": self.path_to(folder)})
        self.assertEqual(result.returncode, 77, result.stderr)
        self.assertRegex(result.stderr.splitlines()[-1], "^SKIPPED: .*")
        self.assertRegex(result.stderr, r"OK \(skipped=\d+\)")

    @staticmethod
    def path_to(folder):
        path = pathlib.Path(folder, "bin")
        path.mkdir()
        for name in ["bash", "cat", "cut", "dirname", "sed", "sha256sum"]:
            place = next(pathlib.Path(one, name) for one in os.get_exec_path() if pathlib.Path(one, name).exists())
            (path / name).symlink_to(place)
        return str(path)


if __name__ == "__main__":
    deployment.main()
