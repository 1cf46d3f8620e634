"""A fabric of network namespaces: hosts, RTSW, CTSW and ATSW joined by veth, rates by token bucket.

Everything here happens inside isolation.isolated(): whatever ends that command, kill -9 included, the
kernel takes every namespace, link and process away with it.
"""
import contextlib
import ctypes
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import isolation  # noqa: E402
from isolation import Unavailable  # noqa: E402
from layout import MTU
from routing import Routes, link_address

PROGRAMS = ["nsenter", "tc", "ss", "mpirun", "mpicc"]
LIBC = ctypes.CDLL(None, use_errno=True)
SYSCTLS = {
    "ip_forward": "1", "fib_multipath_hash_policy": "3", "fib_multipath_hash_fields": "55",
    "tcp_rmem": "4096 131072 131072", "tcp_slow_start_after_idle": "0", "tcp_no_metrics_save": "1",
    "conf/all/rp_filter": "0", "conf/default/rp_filter": "0",
    "conf/all/ignore_routes_with_linkdown": "1", "conf/default/ignore_routes_with_linkdown": "1",
}


def settle():
    """First thing inside: a /run of our own, where `ip netns` and Open MPI leave their files."""
    isolation.settle()
    os.makedirs("/run/netns")
    try:
        batch("ip", ["netns add probe", "link add up0 netns probe type veth peer name up1 netns probe"])
        batch("tc", ["qdisc add dev up0 root tbf rate 50mbit burst 20000 limit 8000000"], "probe")
        batch("ip", ["netns del probe"])
    except RuntimeError as reason:
        raise Unavailable(f"no veth links with token buckets: {reason}") from reason
    if not os.path.exists("/proc/sys/net/ipv4/fib_multipath_hash_fields"):
        raise Unavailable("this kernel cannot be told what to hash for equal-cost routes")


@contextlib.contextmanager
def inside(namespace):
    """This thread, and what it starts meanwhile, is in a network namespace."""
    def enter(descriptor):
        if LIBC.setns(descriptor, 0x40000000):
            raise OSError(ctypes.get_errno(), f"setns {namespace}")
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    there = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
    try:
        enter(there)
        yield
    finally:
        enter(home)
        os.close(home)
        os.close(there)


def batch(program, lines, namespace=None):
    """Runs lines as one batch of ip or tc, and returns what it printed."""
    where = ["-n", namespace] if namespace else []
    done = subprocess.run([program, *where, "-batch", "-"], input="\n".join(lines) + "\n", text=True,
                          capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{program} in {namespace or 'the testbed'}: {done.stderr.strip()[:500]}")
    return done.stdout


class Fabric:
    """The namespaces of a layout, while the `with` lasts. down: cables out of service; more: lines of
    `ip` for a switch, on top of plain ECMP."""

    def __init__(self, layout, down=(), more=None):
        self.layout, self.down = layout, down
        self.routes, self.more = Routes(layout, down).ecmp(), more or {}
        self.names = layout.hosts() + layout.switches()

    def __enter__(self):
        layout = self.layout
        lines = [f"netns add {name}" for name in self.names] + ["link add br0 type bridge"]
        veth = f"mtu {MTU} gso_max_size 18000"
        for cable in layout.cables:
            (low, low_device), (high, high_device) = cable.low, cable.high
            lines.append(f"link add {low_device} {veth} netns {low} type veth "
                         f"peer name {high_device} {veth} netns {high}")
        for host in layout.hosts():
            lines += [f"link add c-{host} type veth peer name fe0 netns {host}", f"link set c-{host} up master br0"]
        batch("ip", [*lines, "addr add 10.255.0.254/16 dev br0", "link set br0 up"])
        ends = [(*end, cable.rate) for cable in layout.cables for end in (cable.low, cable.high)]
        for index, name in enumerate(self.names):
            devices = [(device, rate) for space, device, rate in ends if space == name]
            with inside(name):
                self._settings(index)
            broken = {end[1] for cable in self.down for end in (cable.low, cable.high) if end[0] == name}
            setup = ["link set lo up"] + [f"link set {device} up" for device, _ in devices if device not in broken]
            batch("ip", setup + self._addresses(name) + self.routes.get(name, []) + self.more.get(name, []), name)
            batch("tc", [f"qdisc add dev {device} root tbf rate {rate:g}mbit burst 20000 limit 8000000"
                         for device, rate in devices], name)
        return self

    def __exit__(self, *_):
        # Links of this namespace at once: what lies inside the others goes when the kernel comes to it.
        ours = [f"c-{host}" for host in self.layout.hosts()] + ["br0"]
        batch("ip", [f"link del {name}" for name in ours] + [f"netns del {name}" for name in self.names])

    @staticmethod
    def _settings(index):
        """Sysctls of the namespace this thread is in; equal seeds would polarise the hashing."""
        values = {**SYSCTLS, "fib_multipath_hash_seed": str(1000 + 7919 * index)}
        for key, value in values.items():
            path = f"/proc/sys/net/ipv4/{key}"
            if os.path.exists(path):
                with open(path, "w", encoding="ascii") as file:
                    file.write(value)
        if os.path.exists("/proc/sys/net/ipv6/conf/all/disable_ipv6"):
            with open("/proc/sys/net/ipv6/conf/all/disable_ipv6", "w", encoding="ascii") as file:
                file.write("1")

    def _addresses(self, name):
        layout, lines = self.layout, []
        if name in layout.address:
            number = layout.hosts().index(name) + 1
            return [f"addr add {layout.address[name]}/32 dev be0", "link set fe0 up",
                    f"addr add 10.255.0.{number}/16 dev fe0",
                    f"route add default via 169.254.0.1 dev be0 onlink src {layout.address[name]}"]
        for number, cable in enumerate(layout.cables):
            for side, (space, device) in enumerate((cable.low, cable.high)):
                if space == name:
                    to_host = cable.low[0] in layout.address
                    address = "169.254.0.1/32" if to_host else f"{link_address(number, side)}/31"
                    lines.append(f"addr add {address} dev {device}")
        return lines

    def sent_bytes(self):
        """(namespace, device) -> bytes that its token bucket has let out."""
        sent = {}
        for name in self.names:
            with inside(name):
                shown = subprocess.run(["tc", "-s", "-j", "qdisc"], capture_output=True, check=True).stdout
            sent |= {(name, q["dev"]): q["bytes"] for q in json.loads(shown) if q["kind"] == "tbf"}
        return sent
