"""The paths that the kernel gives each connection, hop by hop, asked of the kernel itself."""
import re
import subprocess

from namespaces import batch, inside

STRIPE_PORT = 7777  # connections of the workload "stripes"; testbed.c listens there


def connections(layout):
    """(host, host, is a stripe) -> the (source port, destination port) of its connections, both ways."""
    host_at = {address: host for host, address in layout.address.items()}
    found = {}
    for host in layout.hosts():
        with inside(host):
            lines = subprocess.run(["ss", "-tnH"], capture_output=True, text=True, check=True).stdout.splitlines()
        for line in lines:
            local, remote = (end.rsplit(":", 1) for end in line.split()[3:5])
            if local[0] == layout.address[host] and remote[0] in host_at:
                ports = int(local[1]), int(remote[1])
                found.setdefault((host, host_at[remote[0]], STRIPE_PORT in ports), []).append(ports)
    return found


def trace(layout, flows):
    """flows: (source, destination, source port, destination port). For each the list of
    (namespace, device) through which it leaves, as the kernel's own lookup says."""
    peers = layout.peers()
    paths = {flow: [(flow[0], "be0")] for flow in flows}
    moving = list(paths)
    while moving:
        at = {}
        for flow in moving:
            space, device = peers[paths[flow][-1]]
            if space != flow[1]:
                at.setdefault(space, []).append((flow, device))
        for space, asked in at.items():
            lines = [f"route get {layout.address[d]} from {layout.address[s]} iif {device} "
                     f"ipproto tcp sport {sport} dport {dport}" for (s, d, sport, dport), device in asked]
            answers = re.findall(r"^\S.*? dev (\S+)", batch("ip", lines, space), re.MULTILINE)
            if len(answers) != len(asked):
                raise RuntimeError(f"{space} answered {len(answers)} of {len(asked)} route lookups")
            for (flow, _), device in zip(asked, answers):
                paths[flow].append((space, device))
                if len(paths[flow]) > 8:
                    raise RuntimeError(f"{flow} goes in a circle: {paths[flow]}")
        moving = [flow for asked in at.values() for flow, _ in asked]
    return paths


def paths_of(layout, pairs):
    """(source, destination, stripes) -> one path for each of its connections."""
    known = connections(layout)
    wanted = {}
    for source, destination, stripes in set(pairs):
        ports = known.get((source, destination, stripes), [])
        if stripes:  # connected by the sender: the other direction is another pair's
            ports = [pair for pair in ports if pair[1] == STRIPE_PORT]
        if not ports:
            raise RuntimeError(f"no connection from {source} to {destination}")
        wanted[source, destination, stripes] = [(source, destination, *pair) for pair in ports]
    paths = trace(layout, [flow for flows in wanted.values() for flow in flows])
    return {key: [paths[flow] for flow in flows] for key, flows in wanted.items()}
