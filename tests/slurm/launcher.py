"""Stands for torchrun with its static rendezvous: one process a server, which knows of the others only what
its environment says. Node 0 listens where it stands, the others call MASTER_ADDR; it counts them.

usage: launcher.py PORT        exit code 0 when all nodes have met
"""
import os
import socket
import sys
import time

PORT = int(sys.argv[1])
NODE, NODES = int(os.environ["SLURM_NODEID"]), int(os.environ["SLURM_NNODES"])
MASTER = os.environ["MASTER_ADDR"]


def gather():
    """Node 0: waits for a number from every other node, then lets all of them go."""
    with socket.create_server((os.environ["SLURMD_NODENAME"], PORT)) as server:
        server.settimeout(30)
        others = {}
        while len(others) < NODES - 1:
            connection, _ = server.accept()
            others[int(connection.recv(16))] = connection
        assert sorted(others) == list(range(1, NODES)), sorted(others)
        for connection in others.values():
            connection.sendall(b"go")


def join():
    """The others: keep calling until node 0 listens."""
    for _ in range(600):
        try:
            with socket.create_connection((MASTER, PORT), timeout=30) as connection:
                connection.sendall(str(NODE).encode())
                assert connection.recv(16) == b"go"
                return
        except ConnectionRefusedError:
            time.sleep(0.05)
    sys.exit(f"node {NODE}: nobody listens at {MASTER}")


gather() if NODE == 0 else join()
print(f"at {NODE} {os.environ['SLURMD_NODENAME']} {os.environ['SLURM_PROCID']} {MASTER}")
