#!/usr/bin/env bash
# Constraints that cannot be met: exits with 3 and says why.
# Options go to zonecut report: run.sh --html report.html
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec "${ZONECUT:-zonecut}" report --cluster "$here/cluster.yaml" --job "$here/job.yaml" "$@"
