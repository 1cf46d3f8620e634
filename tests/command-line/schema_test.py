"""What commands print as JSON follows docs/schema: those outputs that no test of their own checks."""
import json
import re
import warnings

import program
import schemas
from program import SOURCE, run


class Outputs(program.InFolder):
    def follows(self, name, *words, code=0):
        result = run(*words)
        self.assertEqual(result.returncode, code, result.stderr)
        found = json.loads(result.stdout)
        self.assertEqual(schemas.mistakes(found, name), [])
        return found

    def test_mapping(self):
        tight = self.write("tight", "0 0 2\n0 1 2\n")
        words = ["map", "--graph", self.graph, "--json", "-o", self.folder / "out", "--tree"]
        found = self.follows("mapping", *words, tight)
        self.assertEqual((found["zone_cut"], found["gap"]), (11, 0))
        self.assertIsNone(found["largest_load_bound"])
        found = self.follows("mapping", *words, tight, "--objective", "bottleneck", "--uplinks", "1:2")
        self.assertEqual(found["largest_load"], 11)
        self.follows("mapping", *words, self.tree)

    def test_topology(self):
        cluster = program.SMALL / "cluster.yaml"
        found = self.follows("topology", "topology", "show", "--json", cluster)
        self.assertEqual([level["oversubscription"] is None for level in found["levels"]][0], True)
        self.follows("topology", "topology", "show", "--json",
                     program.EXAMPLES / "01-llama-405b" / "cluster.yaml")
        conf = self.write("topology.conf", "SwitchName=r0 Nodes=n[0-3]\n")
        imported = ["topology", "import", "--from", "slurm-conf", "--json", "-o", self.folder / "c.yaml", conf]
        self.assertEqual(self.follows("topology", *imported)["servers"], 4)

    def test_validation_and_errors(self):
        self.follows("validation", "topology", "validate", "--json", program.SMALL / "cluster.yaml")
        wrong = self.write("c.yaml", "format: cluster/v1\nnmae: x\ndomains: []\n")
        found = self.follows("error", "topology", "validate", "--json", wrong, code=2)
        self.assertGreater(len(found["problems"]), 1)
        self.follows("error", *self.map, "--json", "-o", self.folder, code=4)

    def test_slurm_order(self):
        conf = self.write("topology.conf", "SwitchName=r0 Nodes=n0,n2\nSwitchName=r1 Nodes=n1,n3\n"
                                           "SwitchName=top Switches=r0,r1\n")
        words = ["slurm-order", "--topology", conf, "--on", "n[0-3]", "--tasks", "4", "--json"]
        self.assertEqual(sorted(self.follows("slurm-order", *words)["servers"]), ["n0", "n1", "n2", "n3"])

    def test_an_assumed_model_is_said_wherever_its_traffic_is(self):
        cluster = program.SMALL / "cluster.yaml"
        order = self.folder / "order"
        asked = ["--cluster", cluster, "--job", "tp=8,pp=4,dp=4"]
        self.assertEqual(run("place", *asked, "--effort", "fast", "--format", "hostfile", "-o", order).returncode, 0)
        commands = {"placement": ["place", *asked, "--effort", "fast"],
                    "prediction": ["predict", *asked, "--order", order],
                    "whatif": ["whatif", *asked, "--order", order, "--if", "routing=ecmp"],
                    "attribution": ["attribute", *asked, "--order", order, "--measured", "2s"]}
        for schema, words in commands.items():
            found = self.follows(schema, *words, "--json")
            job = found["jobs"][0] if schema == "whatif" else found if schema == "attribution" else found["job"]
            self.assertRegex(job["assumed_model"], "^llama3-70b is assumed.* model=NAME")
            self.assertIn("model          " + job["assumed_model"], run(*words).stdout)
            words = [str(word).replace("dp=4", "dp=4,model=llama3-70b") for word in words]
            self.assertNotIn("assumed", run(*words).stdout)
        report = run("report", *asked, "--effort", "fast", "--html", self.folder / "report.html").stdout
        self.assertIn("llama3-70b is assumed", report)
        self.assertIn("llama3-70b is assumed", (self.folder / "report.html").read_text("utf-8"))

    def test_answers_are_held_to_schemas_by_what_jsonschema_keeps(self):
        schemas.by_name.cache_clear()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = schemas.mistakes({"provenance": 1, "other": 1}, "whatif")
        self.assertIn("$.provenance: 1 is not of type 'object'", found)  # says placement-v1.json
        self.assertIn("$: 'routing' is a required property", found)
        self.assertIn("$: Additional properties are not allowed ('other' was unexpected)", found)

    def test_every_schema_is_named_by_a_page(self):
        pages = "".join(p.read_text("utf-8") for folder in ["man", "formats"]
                        for p in (SOURCE / "docs" / folder).glob("*"))
        for name in schemas.by_name():
            words = re.sub(r"-v(\d+)\.json$", r"/v\1", name)
            self.assertTrue(f"zonecut.{words}" in pages or f"format: {words}" in pages or name in pages,
                            f"no page names {name}")


if __name__ == "__main__":
    program.main()
