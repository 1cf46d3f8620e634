#!/usr/bin/env bash
# A multimodal job in zones with unequal room: the encoder beside the replicas that it feeds.
# No zone's uplinks are what it waits for, so a few percent of time may go for less between zones.
# Options go to zonecut report: run.sh --html report.html
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec "${ZONECUT:-zonecut}" report --cluster "$here/cluster.yaml" --job "$here/job.yaml" \
  --state "$here/state.yaml" --time-tolerance 5% "$@"
