"""Results kept on disk as they come, so that a long measurement goes on where it stopped."""
import pickle


class Kept:
    """Results by key. With a path they are appended to that file, which is ours alone: whoever can
    write it can run code here. A result that was cut off while it was written counts as none."""

    def __init__(self, path=None):
        self.path, self.results = path, {}
        try:
            with open(path or "/dev/null", "rb") as file:
                end = 0
                while file.peek(1):
                    key, result = pickle.load(file)
                    self.results[key], end = result, file.tell()
        except FileNotFoundError:
            return
        except (EOFError, pickle.UnpicklingError):
            with open(path, "r+b") as file:
                file.truncate(end)

    def get(self, key, measure):
        """The result of that key; measured, and kept, where there is none yet."""
        if key not in self.results:
            self.results[key] = measure()
            if self.path:
                with open(self.path, "ab") as file:
                    file.write(pickle.dumps((key, self.results[key])))
        return self.results[key]
