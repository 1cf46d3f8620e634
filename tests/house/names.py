#!/usr/bin/env python3
"""Checks that no two libraries define types of one name: a program that links both would be undefined.

Each library compiles alone, and the linker merges what the compiler emits for the two types (their
destructors, vectors of them) without a word. What is in an unnamed namespace or in a function is
seen by its own file only.

usage: names.py ROOT         exit 1 and one line for each name that two libraries define
       names.py --self-test  shows that it is found, and what is no breach
"""
import collections
import pathlib
import re
import sys

TOPS = ["topology-model", "partition", "scheduler", "plugins"]
# Comments and literals, which may hold braces. Of a raw string any delimiter.
NO_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
DIGITS = re.compile(r"(?<=\d)'(?=\d)")
TOKEN = re.compile(r"""
    \bnamespace\s*(?P<namespace>[\w:]*)\s*\{
  | (?P<c>\bextern\s*\{)
  | (?<![<,]\s)(?<![<,])\b(?:struct|class|union|enum(?:\s+class)?)\s+(?P<type>[\w:]+)[^;{}()=<>]*(?:<[^;{}()=]*)?\{
  | (?P<open>\{)
  | (?P<close>\})""", re.VERBOSE)


def library_of(path):
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "plugins" else parts[0]


def types_in(text):
    """The qualified names of the types that a file defines with external linkage."""
    code = TOKEN.finditer(NO_CODE.sub("", DIGITS.sub("", text)))
    scopes = []  # names; None: a function, an initialiser or an unnamed namespace
    for token in code:
        if token["close"]:
            if scopes:
                scopes.pop()
        elif token["namespace"] is not None:
            scopes.append(token["namespace"] or None)
        elif token["c"]:
            scopes.append("")
        elif token["type"]:
            if None not in scopes:
                yield "::".join(filter(None, [*scopes, token["type"]]))
            scopes.append(token["type"])
        else:
            scopes.append(None)


def breaches_in(house):
    defined = collections.defaultdict(dict)  # name -> library -> the first file that defines it
    for path, text in house:
        for name in types_in(text):
            defined[name].setdefault(library_of(path), path)
    return [f"{name} is defined in {' and in '.join(files.values())}, expected one of them to have another name"
            for name, files in sorted(defined.items()) if len(files) > 1]


def sources(root):
    for top in TOPS:
        for path in sorted(pathlib.Path(root, top).rglob("*")):
            if path.suffix in {".hpp", ".cpp", ".h"}:
                yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")


def self_test():
    twice = "namespace zonecut {\n/// A '{' of it.\nstruct Part {\n  int a = 1'000;\n};\n}\n"
    house = [
        ("partition/src/bound/a.hpp", twice),
        ("scheduler/src/b.hpp", twice),
        ("partition/src/c.hpp", "namespace zonecut::grid { enum class Kind : int { A }; }"),
        ("scheduler/src/d.hpp", "namespace zonecut { namespace grid { class Kind final : public K {}; } }"),
    ]
    fine = [
        ("partition/src/e.cpp", "namespace zonecut { namespace { struct Own {}; } struct Outer { struct In {}; }; }"),
        ("scheduler/src/f.cpp", "namespace zonecut { namespace { struct Own {}; } struct In {}; struct Later; }"),
        ("partition/src/g.cpp", "namespace zonecut { void f() { struct Local {}; } }"),
        ("scheduler/src/h.cpp", "namespace zonecut { void g() { struct Local {}; } }"),
        ("partition/src/i.hpp", "namespace zonecut { template <int n, class T> class Vector { T t; }; }"),
        ("scheduler/src/j.hpp", "namespace zonecut { template <class T> struct Other : Base<T> { T t; }; }"),
        ("partition/src/k.cpp", 'namespace zonecut { const char* s = "{"; struct Real {}; }'),
        ("scheduler/src/l.cpp", 'namespace zonecut { const char* s = R"x({{")x"; struct T {}; }'),
    ]
    names = {name for _, text in fine for name in types_in(text)}
    assert {"zonecut::Real", "zonecut::T", "zonecut::Outer::In", "zonecut::Vector"} <= names, names
    assert not breaches_in(fine), breaches_in(fine)
    found = [breach.partition(" ")[0] for breach in breaches_in(house)]
    assert found == ["zonecut::Part", "zonecut::grid::Kind"], found
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root, = sys.argv[1:]
    breaches = breaches_in(sources(pathlib.Path(root)))
    print("\n".join(breaches), end="\n" if breaches else "")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
