"""Reads sample reports with a strict XML parser and a JSON parser, and holds them to docs/schema.

usage: check_samples.py WRITE_SAMPLES
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unicodedata
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import schemas  # noqa: E402

XHTML = "{http://www.w3.org/1999/xhtml}"
VOID = {"meta", "br", "hr", "link", "img", "input", "col"}
SHAPES = {"rect", "path", "circle", "line"}

def off_diagonal(matrix):
    return sum(b for i, row in enumerate(matrix) for j, b in enumerate(row) if i != j)


def figure_mistakes(figures, where):
    if off_diagonal(figures["zone_matrix"]["bytes"]) != figures["metrics"]["cross_zone_bytes"]:
        yield f"{where}: the zone matrix does not add up to the cut"
    total = sum(level["bytes"] for level in figures["bytes_by_level"])
    if total != sum(phase["bytes"] for phase in figures["phases"]):
        yield f"{where}: levels and phases do not add up to the same"


def json_mistakes(path):
    kind = path.name.split(".")[-2]
    document = json.loads(path.read_text("utf-8"))
    yield from schemas.mistakes(document, kind)
    if kind == "placement":
        yield from figure_mistakes(document, "placement")
    if kind == "report":
        yield from figure_mistakes(document["placement"], "placement")
        for baseline in document["baselines"]:
            if baseline["found_room"]:
                yield from figure_mistakes(baseline, baseline["name"])


def html_mistakes(path):
    text = path.read_text("utf-8")
    root = ElementTree.fromstring(text)
    for element in root.iter():
        tag = element.tag.removeprefix(XHTML)
        if tag == "script":
            yield "a script"
        # An HTML parser ignores the slash of <td/>, so only these may be written that way.
        is_empty = len(element) == 0 and not element.text
        if is_empty and tag not in VOID | SHAPES and f"<{tag}/>" in text:
            yield f"<{tag}/> is no empty element in HTML"
        for name in ("src", "href", "onload", "onclick"):
            if name in element.attrib:
                yield f"<{tag}> has {name}"
    ids = [e.attrib["id"] for e in root.iter() if "id" in e.attrib]
    if len(ids) != len(set(ids)):
        yield "an id stands twice"
    if "nan" in text.lower().split() or ">inf" in text:
        yield "a figure that is none"


def text_mistakes(path):
    width = int(path.name.split(".")[-2])
    for line in path.read_text("utf-8").splitlines():
        columns = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
        if columns > width:
            yield f"{columns} columns: {line}"
        if any(unicodedata.category(c) in ("Cc", "Cs") for c in line):
            yield f"a control character: {line!r}"


def main():
    program, = sys.argv[1:]
    found = []
    checked = 0
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([program, directory], check=True)
        for path in sorted(pathlib.Path(directory).iterdir()):
            check = {".html": html_mistakes, ".txt": text_mistakes,
                     ".json": json_mistakes}[path.suffix]
            try:
                found += [f"{path.name}: {mistake}" for mistake in check(path)]
            except (ElementTree.ParseError, UnicodeDecodeError, json.JSONDecodeError) as error:
                found.append(f"{path.name}: {error}")
            checked += 1
    print("\n".join(found) or f"{checked} files are as documented")
    return 1 if found or checked < 30 else 0


if __name__ == "__main__":
    sys.exit(main())
