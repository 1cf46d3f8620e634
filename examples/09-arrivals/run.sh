#!/usr/bin/env bash
# Eighty jobs that come to a cluster within a day, placed by zonecut and as others do.
# Options go to zonecut simulate: run.sh --json, run.sh --policy all
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec "${ZONECUT:-zonecut}" simulate --cluster "$here/cluster.yaml" --trace "$here/arrivals.csv" \
  --work "$here/work.yaml" "$@"
