#!/usr/bin/env bash
# Which switch above the racks can be taken down with least harm, and what mending, draining and other
# routing would bring to two jobs that share links.
# Options go to both calls of zonecut whatif: run.sh --routing ecmp
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
zonecut=("${ZONECUT:-zonecut}" whatif --cluster "$here/cluster.yaml" --state "$here/state.yaml")
"${zonecut[@]}" --each CTSW "$@"
exec "${zonecut[@]}" --if mend=a/CTSW-2 --if drain=a/r1 --if routing=e-ecmp,queue-pairs=16 "$@"
