"""The Helm chart as it is written: its values and its schema agree, and it says what the manifests say."""
import json
import re
import unittest

import deployment
from deployment import CHART, MANIFESTS, MODES, yaml

TEMPLATES = sorted((CHART / "templates").iterdir())


def values():
    return yaml.safe_load((CHART / "values.yaml").read_text())


class Values(unittest.TestCase):
    def leaves(self, tree, schema, where):
        for key, value in tree.items():
            self.assertIn(key, schema, where)
            inner = schema[key].get("properties")
            if isinstance(value, dict) and inner is not None:
                self.leaves(value, inner, f"{where}.{key}")
                self.assertEqual(set(inner), set(value), f"{where}.{key}")

    def test_the_schema_knows_every_value_and_no_other(self):
        schema = json.loads((CHART / "values.schema.json").read_text())
        self.leaves(values(), schema["properties"], "")
        self.assertEqual(set(schema["properties"]) - {"global"}, set(values()))
        self.assertEqual(schema["properties"]["mode"]["enum"], MODES)

    def test_templates_use_only_values_that_there_are(self):
        for path in TEMPLATES:
            for name in re.findall(r"\.Values((?:\.\w+)+)", path.read_text()):
                tree = values()
                for part in name[1:].split("."):
                    self.assertIn(part, tree, (path.name, name))
                    tree = tree[part]

    def test_every_flag_exists(self):
        text = (CHART / "templates" / "_parts.tpl").read_text()
        flags = set(re.findall(r"(--[a-z][\w-]+)=?", text))
        self.assertIn("--listen", flags)
        self.assertLessEqual(flags, deployment.flags_of_serve())

    def test_roles_are_those_of_the_manifests(self):
        def rules(text):
            return re.findall(r"^  - apiGroups:.*\n(?:    .*\n)+", text, re.M)
        in_chart = "".join(path.read_text() for path in TEMPLATES)
        for path in MANIFESTS.rglob("*role*.yaml"):
            for rule in rules(path.read_text()):
                self.assertIn(rule, in_chart, path)


if __name__ == "__main__":
    deployment.main()
