"""Results are kept as they come, and whatever was cut off is measured again."""
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
from kept import Kept  # noqa: E402


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "results"
        first = Kept(path)
        assert first.get("a", lambda: [1]) == [1]
        whole = path.stat().st_size
        first.get(("b", 2), lambda: {"seconds": 1.5})
        written = path.read_bytes()
        for end in range(whole, len(written)):
            path.write_bytes(written[:end])
            assert Kept(path).results == {"a": [1]}, end
            assert path.stat().st_size == whole, "what is cut off makes way for what comes next"
        again = Kept(path)
        assert again.get("a", lambda: sys.exit("measured twice")) == [1]
        again.get("c", lambda: 3)
        assert Kept(path).results == {"a": [1], "c": 3}
    assert Kept().get("a", lambda: 7) == 7, "without a file nothing is kept"


main()
