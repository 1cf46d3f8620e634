"""The pages for administrators and users say what the program says."""
import re
import unittest

import deployment
from deployment import CHART, PLUGIN, SOURCE, yaml

ADMIN = (SOURCE / "docs" / "kubernetes-admin.md").read_text()
USER = (SOURCE / "docs" / "kubernetes-user.md").read_text()
SERVE = PLUGIN / "src"


def source(name):
    return (SERVE / name).read_text()


class Texts(unittest.TestCase):
    def test_every_metric_is_explained_and_no_other(self):
        metrics = set(re.findall(r'"(zonecut_\w+)"', source("server/metrics.cpp")))
        self.assertGreater(len(metrics), 10)
        explained = set(re.findall(r"^\| `(zonecut_\w+)` \|", ADMIN, re.M))
        self.assertEqual(explained, metrics)
        named = set(re.findall(r"\bzonecut_[a-z_]+", ADMIN + USER))
        self.assertLessEqual(named, metrics)

    def test_every_refusal_is_explained_word_for_word(self):
        refusals = set(re.findall(r'constexpr const char\* k\w+ = "(zonecut: [^"]+)"',
                                  source("desk/desk.hpp")))
        self.assertIn("zonecut: the pod was deleted", refusals)
        self.assertEqual(set(re.findall(r"^\| `(zonecut: [^`]+)` \|", ADMIN, re.M)), refusals)
        self.assertLessEqual(set(re.findall(r"`(zonecut: [^`]+)`", USER)), refusals)

    def test_every_reason_of_an_event_is_explained(self):
        text = "".join(source(f"desk/{name}.cpp") for name in ["gates", "answers", "words"])
        reasons = set(re.findall(r'"(Gang[A-Z]\w+)"', text))
        self.assertEqual(set(re.findall(r"^\| `(Gang\w+)` \|", ADMIN, re.M)), reasons)

    def test_every_word_that_users_may_write_is_explained(self):
        text = "".join(path.read_text() for path in sorted(SERVE.rglob("*.[ch]pp")))
        words = set(re.findall(r'"(zonecut\.dev/[a-z-]+)"', text)) - {"zonecut.dev/zonecut"}
        self.assertIn("zonecut.dev/job", words)
        self.assertEqual(set(re.findall(r"zonecut\.dev/[a-z-]+", USER)), words)

    def test_every_annotation_that_is_looked_up_is_kept(self):
        text = "".join(path.read_text() for path in sorted(SERVE.rglob("*.[ch]pp")))
        looked_up = set(re.findall(r'\b(?:word_of|annotation_of)\(pod, "([^"]+)"\)', text))
        looked_up |= set(re.findall(r'\bk\w*Word = "([^"]+)"', text))
        self.assertIn("zonecut.dev/server", looked_up)
        kept = re.findall(r'^    "([^"]+)",$', source("objects/read_words.cpp"), re.M)
        self.assertEqual(set(kept), looked_up)

    def test_flags_exist(self):
        known = deployment.flags_of_serve()
        for flag in ["--reserve", "--patience", "--ahead", "--effort", "--oversubscription", "--levels",
                     "--zone-level", "--nic-bandwidth", "--client-ca", "--token-file", "--cluster",
                     "--lease", "--gates", "--bind", "--threads", "--gpu-resource"]:
            self.assertIn(f"`{flag}", ADMIN)
            self.assertIn(flag, known)

    def test_values_of_the_chart_that_are_named_exist(self):
        values = yaml.safe_load((CHART / "values.yaml").read_text())
        named = re.findall(r"--set ([\w.]+)=", ADMIN)
        named += ["networkPolicy.apiServerPorts", "service.clusterIP", "gates"]
        for name in named:
            self.assertIn(f"{name}", ADMIN)
            tree = values
            for part in name.split("."):
                self.assertIn(part, tree, name)
                tree = tree[part]

    def test_what_is_pointed_at_is_there(self):
        for text in [ADMIN, USER]:
            for target in re.findall(r"\]\(([^)#]+)", text):
                self.assertTrue((SOURCE / "docs" / target).exists(), target)
            for path in re.findall(r"`?\b((?:plugins|tests|examples)/[\w./-]+\w)", text):
                self.assertTrue((SOURCE / path).exists(), path)


if __name__ == "__main__":
    deployment.main()
