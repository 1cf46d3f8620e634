#!/usr/bin/env bash
# A job of 16 servers over three zones of unequal size.
# Options go to zonecut report: run.sh --html report.html
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec "${ZONECUT:-zonecut}" report --cluster "$here/cluster.yaml" --job "$here/job.yaml" "$@"
