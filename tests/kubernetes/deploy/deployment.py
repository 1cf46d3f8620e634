"""What the tests of manifests, chart and image share: where things are, and how to read them."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

try:
    import yaml
except ImportError:
    print("SKIPPED: python3-yaml is not installed", file=sys.stderr)
    sys.exit(77)

SOURCE = pathlib.Path(__file__).resolve().parents[3]
PLUGIN = SOURCE / "plugins" / "kubernetes"
MANIFESTS = PLUGIN / "manifests"
CHART = PLUGIN / "chart"
MODES = ["second-scheduler", "extender", "gates"]


def program():
    return os.environ["ZONECUT"]


def renderers():
    """Commands of helm and of kustomize: those that the tests with a real Kubernetes have built, else
    those of the machine. One that is None is at neither place, and the last of the three says why."""
    built = subprocess.run(["bash", SOURCE / "tests" / "real" / "kubernetes" / "run", "--programs"],
                           capture_output=True, text=True, check=False)
    if built.returncode == 0:
        folder = pathlib.Path(built.stdout.strip())
        return [folder / "helm"], [folder / "kustomize", "build"], ""
    helm, kubectl = shutil.which("helm"), shutil.which("kubectl")
    return helm and [helm], kubectl and [kubectl, "kustomize"], built.stderr.strip()


def flags_of_serve():
    text = subprocess.run([program(), "serve", "--help"], capture_output=True, text=True,
                          check=True).stdout
    return set(re.findall(r"^ +(?:-\w, )?(--[\w-]+)", text, re.M))


def documents(path):
    return [document for document in yaml.safe_load_all(path.read_text()) if document is not None]


def resources(folder):
    """The files that a kustomization names, and those of the ones it names, outermost last."""
    described = documents(folder / "kustomization.yaml")[0]
    for name in described.get("resources", []):
        path = (folder / name).resolve()
        yield from resources(path) if path.is_dir() else [path]


def objects(mode):
    """Before patches."""
    return [document for path in resources(MANIFESTS / "overlays" / mode)
            for document in documents(path)]


def of_kind(kind, among):
    return [one for one in among if one["kind"] == kind]


def merged(base, patch):
    """A strategic merge, of as much as our patches use: lists of things with names, and $patch."""
    if isinstance(base, dict) and isinstance(patch, dict):
        if patch.get("$patch") == "replace":
            return {key: value for key, value in patch.items() if key != "$patch"}
        both = dict(base)
        for key, value in patch.items():
            both[key] = merged(base[key], value) if key in base else value
        return both
    if isinstance(base, list) and isinstance(patch, list) and all(
            isinstance(one, dict) and "name" in one for one in base + patch):
        both = {one["name"]: one for one in base}
        for one in patch:
            both[one["name"]] = merged(both[one["name"]], one) if one["name"] in both else one
        return list(both.values())
    return patch


def deployment(mode):
    folder = MANIFESTS / "overlays" / mode
    result = of_kind("Deployment", objects(mode))[0]
    for patch in documents(folder / "kustomization.yaml")[0]["patches"]:
        result = merged(result, documents(folder / patch["path"])[0])
    return result


def container(mode, name="zonecut"):
    containers = deployment(mode)["spec"]["template"]["spec"]["containers"]
    return next(one for one in containers if one["name"] == name)


def values_of(arguments, flag):
    return [one.split("=", 1)[1] for one in arguments if one.startswith(flag + "=")]


def main():
    """A file of which a test was skipped counts as skipped, unless one fails."""
    result = unittest.main(verbosity=2, exit=False).result
    if result.skipped and result.wasSuccessful():
        for why in sorted({why for _, why in result.skipped}):
            print(f"SKIPPED: {why.removeprefix('SKIPPED: ')}", file=sys.stderr)
        sys.exit(77)
    sys.exit(not result.wasSuccessful())
