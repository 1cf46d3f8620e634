"""Processes of this machine: who is below whom, and who is left of them."""
import os
import pathlib
import time


def children():
    """pid -> (parent, command, start time) of every process that still runs."""
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = pathlib.Path("/proc", entry, "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        name, rest = stat[stat.index("(") + 1:stat.rindex(")")], stat[stat.rindex(")") + 2:].split()
        if rest[0] not in "ZX":
            found[int(entry)] = int(rest[1]), name, rest[19]
    return found


def below(pid):
    """pid -> (parent, command, start time) of all descendants."""
    every, found = children(), {}
    level = [pid]
    while level:
        level = [child for child, (parent, *_) in every.items() if parent in level]
        found |= {child: every[child] for child in level}
    return found


def left_of(processes, seconds=5):
    """Of processes that below() has found, those that still run after so long."""
    left, deadline = processes, time.monotonic() + seconds
    while left and time.monotonic() < deadline:
        now = children()
        left = {pid: it for pid, it in processes.items() if pid in now and now[pid][2] == it[2]}
        time.sleep(0.05)
    return left
