"""Holds JSON that the programs write to docs/schema."""
import functools
import json
import pathlib

import jsonschema

DIRECTORY = pathlib.Path(__file__).resolve().parents[2] / "docs" / "schema"


def closed(schema):
    """The same, where an object has no other keys than those that are named: readers must bear keys of later
    versions, but what is written today is documented."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: closed(value) for key, value in schema.items()}
    return {"additionalProperties": False, **inner} if isinstance(schema.get("properties"), dict) else inner


def within_one(schema, name):
    """A file's schema as a part of one that has all of them among its $defs: how a validator comes by other files
    is another matter in every version of jsonschema, and what is within one file is the same in all."""
    if isinstance(schema, list):
        return [within_one(item, name) for item in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: within_one(value, name) for key, value in schema.items()}
    if isinstance(inner.get("$ref"), str):
        file, _, pointer = inner["$ref"].partition("#")
        inner["$ref"] = f"#/$defs/{file or name}{pointer}"
    return inner


@functools.cache
def by_name():
    """Every schema, closed, by the name of its file."""
    read = {path.name: json.loads(path.read_text("utf-8")) for path in DIRECTORY.glob("*.json")}
    for name, schema in read.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        # References are names of files; a validator resolves them beside the identifier.
        if schema.pop("$id") != name:
            raise ValueError(f"{name}: $id is not the file's name")
    return {name: closed(within_one(schema, name)) for name, schema in read.items()}


def mistakes(document, kind, part=None):
    """What is not as KIND-v1.json says, a text each; with a part, as that one of its $defs does."""
    asked = f"#/$defs/{kind}-v1.json" + (f"/$defs/{part}" if part else "")
    validator = jsonschema.Draft202012Validator({"$ref": asked, "$defs": by_name()})
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]
