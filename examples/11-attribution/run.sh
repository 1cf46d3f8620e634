#!/usr/bin/env bash
# A job that communicates for 1.9 s an iteration: how much of it is where it runs, what runs beside it,
# what is broken and collisions of flows, and where do the counters of its NICs point?
# Options go to zonecut attribute: run.sh --json
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec "${ZONECUT:-zonecut}" attribute --cluster "$here/cluster.yaml" --state "$here/state.yaml" \
  --job "$here/job.yaml" --order "$here/hosts" --counters "$here/counters.csv" \
  --routing e-ecmp --queue-pairs 4 --measured 1.9s --effort fast "$@"
