#!/usr/bin/env python3
"""Checks that no property is stated in vain: rc::check() says by its value alone that one is false.

usage: properties.py ROOT         exit 1 and one line per breach
       properties.py --self-test  shows that a breach is found
"""
import pathlib
import re
import sys

IN_VAIN = re.compile(r"(?<!CHECK\()(?<!REQUIRE\()\brc::check\(")


def lines_in_vain(text):
    return [text.count("\n", 0, found.start()) + 1 for found in IN_VAIN.finditer(text)]


def self_test():
    assert lines_in_vain("\n  rc::check([] {});\n") == [2]
    assert lines_in_vain("const bool holds = rc::check([] {});") == [1]
    assert lines_in_vain("CHECK(rc::check([] {}));\nREQUIRE(rc::check([] {}));") == []


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root, = sys.argv[1:]
    breaches = [f"{path}:{line}: rc::check() outside CHECK() or REQUIRE() fails no test"
                for path in sorted(pathlib.Path(root, "tests").rglob("*.cpp"))
                for line in lines_in_vain(path.read_text("utf-8"))]
    print("\n".join(breaches), end="\n" if breaches else "")
    sys.exit(1 if breaches else 0)


if __name__ == "__main__":
    main()
