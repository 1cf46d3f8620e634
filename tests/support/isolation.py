"""Runs a command where mounts, network, processes and host name are its own.

Whatever ends that command, kill -9 included, the kernel takes every process, namespace and file
system it made away with it.
"""
import os
import shutil
import subprocess

SKIP = 77
PROGRAMS = ["setpriv", "unshare", "mount", "ip"]


class Unavailable(Exception):
    """What this machine does not offer."""


def isolated(command, programs=()):
    """The words in front of `command` that isolate it. Unavailable where the machine cannot, or lacks
    one of the programs."""
    missing = [program for program in [*PROGRAMS, *programs] if not shutil.which(program)]
    if missing:
        raise Unavailable(f"not installed: {' '.join(missing)}")
    words = ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--net", "--pid", "--ipc", "--uts", "--fork",
             "--kill-child", "--mount-proc", "--propagation", "private"]
    if os.geteuid() != 0:
        words += ["--user", "--map-root-user"]
    probe = subprocess.run([*words, "mount", "-t", "tmpfs", "tmpfs", "/run"], capture_output=True, text=True,
                           check=False)
    if probe.returncode:
        raise Unavailable(f"no namespaces: {probe.stderr.strip()}")
    return [*words, *command]


def settle():
    """First thing inside: a /run of our own that temporary files go to, and a loopback device."""
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
    os.makedirs("/run/tmp")
    os.environ["TMPDIR"] = "/run/tmp"
    os.chdir("/run/tmp")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
