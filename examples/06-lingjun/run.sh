#!/usr/bin/env bash
# A real fabric: 847 GPU servers of Alibaba's Lingjun cluster, half of them taken.
# usage: run.sh LINGJUN.csv [OPTION OF zonecut report]...
# The file is part of alibaba/alibaba-lingjun-dataset-2023; it is not part of this repository.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
zonecut=${ZONECUT:-zonecut}
csv=${1:?the path of lingjun-2023.csv is missing}
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$zonecut" topology import --from csv --server-column ip --level zone=PSW --level rack=ASW \
  --oversubscription 3.5 --name lingjun "$csv" -o "$work/cluster.yaml"
"$zonecut" report --cluster "$work/cluster.yaml" --state "$here/state.yaml" \
  --job "$here/job.yaml" "$@"
