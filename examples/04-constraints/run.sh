#!/usr/bin/env bash
# Constraints that can be met: slices and exclusions.
# Options go to zonecut report: run.sh --html report.html
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec "${ZONECUT:-zonecut}" report --cluster "$here/cluster.yaml" --job "$here/job.yaml" "$@"
