#!/usr/bin/env python3
"""Checks the layers of the house: who may include whom, and where third parties may be named.

base <- topology <- partition <- scheduler <- plugins, and never the other way. A third party shows
in no public header, and in its own room of src/ only.

usage: layers.py ROOT         exit 1 and one line per breach
       layers.py --self-test  shows that each kind of breach is found
"""
import pathlib
import re
import sys
import tempfile

# Layer of a path, outermost match first, and the layers it may include.
LAYERS = ["base", "topology", "partition", "scheduler"]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)

# Third party -> files that may include it, besides those of plugins/ where "plugins" is listed.
ROOMS = {
    r"boost/graph/": r"topology-model/src/fabric[^/]*$",
    r"boost/(asio|beast)/": r"plugins/kubernetes/src/server/",
    r"boost/(?!graph/|asio/|beast/)": r"topology-model/src/fabric[^/]*$",
    r"yaml-cpp/": r"topology-model/src/base/document[^/]*$",
    r"metis\.h": r"partition/src/metis[^/]*$",
    r"Eigen/": r"partition/src/bound/spectral_relaxation\.cpp$",
    r"lemon/": r"partition/src/[^/]*matching[^/]*$",
    r"google/protobuf/|traces/chakra_trace\.pb\.h": r"partition/src/traces/chakra_reader\.cpp$",
    r"nlohmann/": r"(topology-model|partition|scheduler|plugins/[^/]+)/src/",
    r"CLI/": r"plugins/command-line/src/",
    r"openssl/": r"plugins/([^/]+/src/sha256\.cpp$|kubernetes/src/(api|server)/)",
    r"httplib\.h": r"plugins/kubernetes/src/api/",
    r"prometheus/": r"plugins/kubernetes/src/server/metrics[^/]*$",
    r"zlib\.h": r"plugins/kubernetes/src/server/gzip[^/]*$",
    r"slurm/": r"plugins/slurm/src/",
    r"fmt/": r"(topology-model|partition|scheduler|plugins/[^/]+)/src/",
}

# Folders of partition/src -> those that their files may include. What lies in no folder, everybody
# may include.
FOLDERS = {
    "files": set(),
    "job": {"files"},
    "traffic": {"job"},
    "traces": set(),
    "grid": set(),
    "bound": {"grid"},
    "exact": set(),
    "refine": {"traffic"},
    "coordinates": {"grid", "refine", "traffic"},
    "starts": {"grid", "traffic"},
}


def layer_of(path):
    """The layer a source file belongs to; None for plugins, which may include everything."""
    parts = path.split("/")
    if parts[0] == "topology-model":
        return "base" if "base" in parts[1:] else "topology"
    return parts[0] if parts[0] in LAYERS else None


def breaches_in(path, text):
    layer = layer_of(path)
    public = "/include/" in path
    for name in INCLUDE.findall(text):
        own = re.match(r"zonecut/(\w+)/", name)
        if own:
            if layer and LAYERS.index(own.group(1)) > LAYERS.index(layer):
                yield f"{path}: {layer} includes {name}, which lies above it"
            continue
        folder = re.match(r"partition/src/(\w+)/", path)
        other = re.match(r"(\w+)/\w+\.hpp$", name)
        if folder and other and other.group(1) in FOLDERS:
            if other.group(1) not in FOLDERS.get(folder.group(1), set()) | {folder.group(1)}:
                yield f"{path}: {folder.group(1)} includes {name}, which is not below it"
            continue
        for party, room in ROOMS.items():
            if re.match(party, name) and (public or not re.search(room, path)):
                yield f"{path}: includes {name} outside its room"
        if not public and name.startswith("../"):
            yield f"{path}: includes {name} by a path that climbs"


def sources(root):
    for top in ["topology-model", "partition", "scheduler", "plugins"]:
        for path in sorted(pathlib.Path(root, top).rglob("*")):
            if path.suffix in {".hpp", ".cpp", ".h"}:
                yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")


def check(root):
    return [line for path, text in sources(root) for line in breaches_in(path, text)]


def self_test():
    house = {
        "topology-model/include/zonecut/base/a.hpp": '#include "zonecut/topology/cluster.hpp"\n',
        "topology-model/src/cluster.cpp": '#include "zonecut/partition/job.hpp"\n',
        "partition/src/job.cpp": '#include "zonecut/scheduler/engine.hpp"\n',
        "scheduler/include/zonecut/scheduler/b.hpp": "#include <nlohmann/json.hpp>\n",
        "scheduler/src/engine.cpp": "#include <metis.h>\n",
        "partition/src/refine.cpp": "#include <boost/graph/adjacency_list.hpp>\n",
        "partition/src/grid/row_model.cpp": '#include "bound/ascent.hpp"\n',
        "partition/src/traces/chakra_nodes.cpp": '#include "traces/chakra_trace.pb.h"\n',
        "plugins/slurm/src/spank.cpp": "#include <CLI/CLI.hpp>\n",
        "plugins/command-line/src/live.cpp": "#include <slurm/slurm.h>\n",
        "plugins/kubernetes/src/gang/ask.cpp": "#include <httplib.h>\n",
        "plugins/kubernetes/src/server/listen.cpp": "#include <httplib.h>\n",
        "plugins/kubernetes/src/server/arrange.cpp": "#include <boost/graph/graph_traits.hpp>\n",
        "plugins/kubernetes/src/server/count.cpp": "#include <prometheus/counter.h>\n",
        "plugins/kubernetes/src/server/unpack.cpp": "#include <zlib.h>\n",
        "plugins/kubernetes/src/extender/serve.cpp": "#include <boost/asio/post.hpp>\n",
        "plugins/kubernetes/src/extender/sign.cpp": "#include <openssl/ssl.h>\n",
    }
    fine = {
        "plugins/command-line/src/map.cpp":
            '#include <CLI/CLI.hpp>\n#include "zonecut/scheduler/engine.hpp"\n',
        "partition/src/metis_partitioner.cpp": "#include <metis.h>\n",
        "partition/src/traces/chakra_reader.cpp": '#include "traces/chakra_trace.pb.h"\n',
        "partition/src/bound/group_prices.cpp": '#include "grid/row_model.hpp"\n',
        "plugins/kubernetes/src/server/connection.cpp": "#include <boost/beast/http.hpp>\n",
        "plugins/kubernetes/src/server/metrics.cpp": "#include <prometheus/counter.h>\n",
        "plugins/kubernetes/src/server/gzip.cpp": "#include <zlib.h>\n",
        "plugins/kubernetes/src/api/connection.cpp":
            "#include <httplib.h>\n#include <openssl/ssl.h>\n",
        "scheduler/src/report.cpp": '#include "zonecut/base/units.hpp"\n#include <fmt/format.h>\n',
    }
    with tempfile.TemporaryDirectory() as root:
        for path, text in {**house, **fine}.items():
            file = pathlib.Path(root, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        found = {line.split(":")[0] for line in check(root)}
    missed, false = set(house) - found, found & set(fine)
    for path in sorted(missed):
        print(f"not found: {path}")
    for path in sorted(false):
        print(f"found where nothing is wrong: {path}")
    return 1 if missed or false else 0


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        sys.exit(self_test())
    found = check(sys.argv[1])
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
