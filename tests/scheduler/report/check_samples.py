"""Reads sample reports with a strict XML parser and a JSON parser, and holds them to docs/schema.

usage: check_samples.py WRITE_SAMPLES SCHEMA_DIRECTORY
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unicodedata
import xml.etree.ElementTree as ElementTree

XHTML = "{http://www.w3.org/1999/xhtml}"
VOID = {"meta", "br", "hr", "link", "img", "input", "col"}
SHAPES = {"rect", "path", "circle", "line"}
TYPES = {
    "object": dict, "array": list, "string": str, "boolean": bool,
    "integer": int, "number": (int, float), "null": type(None),
}


class Schemas:
    """The part of JSON Schema that docs/schema uses. Keys a schema does not name are mistakes: what
    is written is documented."""

    def __init__(self, directory):
        self.files = {p.name: json.loads(p.read_text("utf-8")) for p in directory.glob("*.json")}
        # References are names of files; a validator resolves them beside the identifier.
        for name, schema in self.files.items():
            if schema.get("$id") != name:
                raise ValueError(f"{name}: $id is {schema.get('$id')!r}, expected the file's name")

    def resolve(self, reference, file):
        name, _, pointer = reference.partition("#")
        file = name or file
        schema = self.files[file]
        for key in pointer.strip("/").split("/") if pointer else []:
            schema = schema[key]
        return schema, file

    def mistakes(self, value, schema, file, where="$"):
        if "$ref" in schema:
            target, target_file = self.resolve(schema["$ref"], file)
            yield from self.mistakes(value, target, target_file, where)
        if "anyOf" in schema:
            options = [list(self.mistakes(value, s, file, where)) for s in schema["anyOf"]]
            if all(options):
                yield from min(options, key=len)
        if "const" in schema and value != schema["const"]:
            yield f"{where}: {value!r} is not {schema['const']!r}"
        if "enum" in schema and value not in schema["enum"]:
            yield f"{where}: {value!r} is none of {schema['enum']!r}"
        if "type" in schema and not self.has_type(value, schema["type"]):
            yield f"{where}: {value!r} is no {schema['type']}"
            return
        if "minimum" in schema and value is not None and value < schema["minimum"]:
            yield f"{where}: {value} is below {schema['minimum']}"
        if isinstance(value, dict) and "properties" in schema:
            yield from self.member_mistakes(value, schema, file, where)
        if isinstance(value, list):
            if len(value) < schema.get("minItems", 0):
                yield f"{where}: too few items"
            for i, item in enumerate(value):
                yield from self.mistakes(item, schema.get("items", {}), file, f"{where}[{i}]")

    def member_mistakes(self, value, schema, file, where):
        for key in schema.get("required", []):
            if key not in value:
                yield f"{where}: {key} is missing"
        for key, member in value.items():
            if key not in schema["properties"]:
                yield f"{where}: {key} is not documented"
            else:
                yield from self.mistakes(member, schema["properties"][key], file, f"{where}.{key}")

    @staticmethod
    def has_type(value, names):
        names = [names] if isinstance(names, str) else names
        if isinstance(value, bool):
            return "boolean" in names
        return any(isinstance(value, TYPES[name]) for name in names)


def off_diagonal(matrix):
    return sum(b for i, row in enumerate(matrix) for j, b in enumerate(row) if i != j)


def figure_mistakes(figures, where):
    if off_diagonal(figures["zone_matrix"]["bytes"]) != figures["metrics"]["cross_zone_bytes"]:
        yield f"{where}: the zone matrix does not add up to the cut"
    total = sum(level["bytes"] for level in figures["bytes_by_level"])
    if total != sum(phase["bytes"] for phase in figures["phases"]):
        yield f"{where}: levels and phases do not add up to the same"


def json_mistakes(path, schemas):
    kind = path.name.split(".")[-2]
    file = f"{kind}-v1.json"
    document = json.loads(path.read_text("utf-8"))
    yield from schemas.mistakes(document, schemas.files[file], file)
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
    program, schema_directory = sys.argv[1:]
    schemas = Schemas(pathlib.Path(schema_directory))
    found = []
    checked = 0
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([program, directory], check=True)
        for path in sorted(pathlib.Path(directory).iterdir()):
            check = {".html": html_mistakes, ".txt": text_mistakes,
                     ".json": lambda p: json_mistakes(p, schemas)}[path.suffix]
            try:
                found += [f"{path.name}: {mistake}" for mistake in check(path)]
            except (ElementTree.ParseError, UnicodeDecodeError, json.JSONDecodeError) as error:
                found.append(f"{path.name}: {error}")
            checked += 1
    print("\n".join(found) or f"{checked} files are as documented")
    return 1 if found or checked < 30 else 0


if __name__ == "__main__":
    sys.exit(main())
