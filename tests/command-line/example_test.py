#!/usr/bin/env python3
"""Runs one example and compares its figures with expected.json.

usage: example_test.py FOLDER EXIT_CODE [--update]

Only figures that mean something to a reader are kept: where the result came from is left out, and
numbers are compared to six digits. The search is the fast one: the test is about the program.
--update writes expected.json anew.
"""
import json
import os
import pathlib
import subprocess
import sys

KEPT_METRICS = ["cross_zone_bytes", "lower_bound_bytes", "gap", "communication_seconds",
                "binding_link", "servers", "racks", "zones"]


def rounded(value):
    return float(f"{value:.6g}") if isinstance(value, float) else value


def metrics(found):
    return found and {name: rounded(found[name]) for name in KEPT_METRICS if name in found}


def figures(value):
    """The same, with numbers to six digits."""
    if isinstance(value, dict):
        return {name: figures(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [figures(inner) for inner in value]
    return rounded(value)


def normalised(result):
    if result["schema"] == "zonecut.simulation/v1":
        result.pop("provenance")
        return figures(result)
    if result["schema"] == "zonecut.refusal/v1":
        result.pop("provenance", None)
        return result
    placement = result["placement"]
    return {"schema": result["schema"], "job": placement["job"],
            "metrics": metrics(placement["metrics"]),
            "baselines": {baseline["name"]: metrics(baseline.get("metrics"))
                          for baseline in result["baselines"]}}


def main():
    folder, expected_code = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    words = ["--effort", "fast", "--json"]
    if " simulate " not in (folder / "run.sh").read_text(encoding="utf-8"):
        words.append("-")  # elsewhere the option takes a file
    process = subprocess.run([folder / "run.sh", *words], capture_output=True, text=True,
                             stdin=subprocess.DEVNULL, env=dict(os.environ), check=False)
    if process.returncode != expected_code:
        sys.exit(f"exit code {process.returncode}, expected {expected_code}\n{process.stderr}")
    found = normalised(json.loads(process.stdout))
    path = folder / "expected.json"
    if "--update" in sys.argv:
        path.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        return
    expected = json.loads(path.read_text(encoding="utf-8"))
    if found != expected:
        print(json.dumps(found, indent=2))
        sys.exit(f"differs from {path}; when the change is meant, run with --update")


if __name__ == "__main__":
    main()
