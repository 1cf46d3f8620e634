"""Open MPI over a fabric: backend traffic on be0, its own control traffic on a bridge."""
import os
import pathlib
import subprocess
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
AGENT = """#!/bin/sh
host=$1
shift
exec nsenter --net=/run/netns/$host unshare --uts sh -c "hostname $host; $*"
"""
PARAMETERS = {
    "plm_rsh_agent": "/run/tmp/agent", "plm_rsh_no_tree_spawn": "1", "plm_rsh_num_concurrent": "64",
    "pml": "ob1", "btl": "tcp,self", "btl_tcp_if_include": "be0", "oob_tcp_if_include": "10.255.0.0/16",
    "rmaps": "seq", "hwloc_base_binding_policy": "none", "mpi_yield_when_idle": "1", "coll": "^han,adapt,sm",
    "coll_tuned_use_dynamic_rules": "1",
    "coll_tuned_allreduce_algorithm": "5",            # segmented ring
    "coll_tuned_allreduce_algorithm_segmentsize": "65536",
    "coll_tuned_alltoall_algorithm": "2",             # pairwise
    # Whole messages at once, by send: in Open MPI's rendezvous a reply waits behind the data that goes
    # the same way, and two hosts that send to each other take turns.
    "btl_tcp_flags": "1", "btl_tcp_eager_limit": "4194304", "btl_tcp_rndv_eager_limit": "4194304",
    "btl_tcp_max_send_size": "4194304", "btl_tcp_sndbuf": "65536",
    "orte_base_help_aggregate": "0",
}
TIME_LIMIT = 120


def prepare(layout):
    """Compiles the program, writes the launcher's agent, and gives the hosts their names."""
    subprocess.run(["mpicc", "-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-sign-compare", "-rdynamic",
                    "-o", "/run/tmp/testbed", HERE / "testbed.c"], check=True)
    agent = pathlib.Path("/run/tmp/agent")
    agent.write_text(AGENT, encoding="ascii")
    agent.chmod(0o755)
    name_hosts(layout)


def name_hosts(layout):
    names = ["127.0.0.1 localhost", f"10.255.0.254 {os.uname().nodename}"]
    names += [f"10.255.0.{number} {host}" for number, host in enumerate(layout.hosts(), 1)]
    pathlib.Path("/run/tmp/hosts").write_text("\n".join(names) + "\n", encoding="ascii")
    subprocess.run(["mount", "--bind", "/run/tmp/hosts", "/etc/hosts"], check=True)


class Launch:
    """mpirun while the `with` lasts, with rank i on order[i]; its phases start with go()."""

    def __init__(self, order, phases, repetitions, name="order"):
        hosts = pathlib.Path("/run/tmp") / name
        hosts.write_text("\n".join(order) + "\n", encoding="ascii")
        words = [word for key, value in PARAMETERS.items() for word in ("--mca", key, value)]
        command = ["mpirun", "--allow-run-as-root", "--hostfile", str(hosts), "-n", str(len(order)), *words,
                   "/run/tmp/testbed", str(repetitions), *(phase.words() for phase in phases)]
        self.took = []      # (when it was printed, number of the phase, seconds)
        self.seen = []      # other lines
        self._ready = threading.Event()
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.STDOUT, text=True)
        self._guard = threading.Timer(TIME_LIMIT, self._process.kill)
        self._reader = threading.Thread(target=self._read)

    def __enter__(self):
        self._guard.start()
        self._reader.start()
        self._ready.wait()
        return self

    def __exit__(self, *_):
        self._guard.cancel()
        self._process.kill()
        self._process.wait()
        self._reader.join()
        self._process.stdin.close()
        self._process.stdout.close()

    def _read(self):
        for line in self._process.stdout:
            words = line.split()
            if words == ["ready"]:
                self._ready.set()
            elif words[:1] == ["took"]:
                self.took.append((time.monotonic(), int(words[1]), float(words[2])))
            else:
                self.seen.append(line)
        self._ready.set()   # it ended: nobody need wait

    def go(self):
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def finish(self):
        """Waits for the end; whether it was a good one."""
        self._reader.join()
        return self._process.wait() == 0

    def complaint(self):
        return f"mpirun ended with {self._process.returncode}:\n{''.join(self.seen[-30:])}"


def measure(order, phases, repetitions, connected=lambda: None):
    """Runs the phases with rank i on order[i]. When all connections are open, calls connected().

    Returns (what connected() returned, for each phase the list of its times in seconds)."""
    with Launch(order, phases, repetitions) as launch:
        found = connected()
        launch.go()
        good = launch.finish()
        times = [[seconds for _, number, seconds in launch.took if number == phase] for phase in range(len(phases))]
        if not good or not all(len(each) == repetitions for each in times):
            raise RuntimeError(launch.complaint())
    return found, times
