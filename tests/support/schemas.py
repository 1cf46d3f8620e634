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


@functools.cache
def by_name():
    """Every schema, closed, by the name of its file."""
    read = {path.name: json.loads(path.read_text("utf-8")) for path in DIRECTORY.glob("*.json")}
    for name, schema in read.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        # References are names of files; a validator resolves them beside the identifier.
        if schema.get("$id") != name:
            raise ValueError(f"{name}: $id is {schema.get('$id')!r}, expected the file's name")
    return {name: closed(schema) for name, schema in read.items()}


def mistakes(document, kind, part=None):
    """What is not as KIND-v1.json says, a text each; with a part, as that one of its $defs does."""
    schema = by_name()[f"{kind}-v1.json"]
    resolver = jsonschema.RefResolver(schema["$id"], schema, store=by_name())
    asked = schema if part is None else schema["$defs"][part]
    validator = jsonschema.Draft202012Validator(asked, resolver=resolver)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]
