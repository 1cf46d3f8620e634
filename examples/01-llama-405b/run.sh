#!/usr/bin/env bash
# The main job: 16,384 GPUs in eight unevenly filled zones, beside seven other schedulers.
# Options go to zonecut report: run.sh --html report.html
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec "${ZONECUT:-zonecut}" report --cluster "$here/cluster.yaml" --job "$here/job.yaml" \
  --state "$here/state.yaml" "$@"
