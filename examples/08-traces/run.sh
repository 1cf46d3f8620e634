#!/usr/bin/env bash
# A job known by its traces only: 16 ranks, PyTorch execution traces of one step (make_traces.py wrote them).
# Options go to zonecut report: run.sh --html report.html
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
zonecut=${ZONECUT:-zonecut}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$zonecut" job import --from pytorch-et --name traced "$here/traces" -o "$work/job.yaml"
"$zonecut" report --cluster "$here/cluster.yaml" --job "$work/job.yaml" "$@"
