"""A Slurm cluster of real daemons on this host: munged, slurmctld, and a slurmd for each server.

Runs inside isolation.isolated(), where ports, processes, host name and /run are its own, so nothing of it
can meet or outlive anything of the machine.
"""
import contextlib
import os
import pathlib
import re
import secrets
import signal
import socket
import subprocess
import time

PROGRAMS = ["munged", "slurmctld", "slurmd", "srun", "sbatch", "salloc", "scontrol", "squeue"]
HOST = "testhost"
GPUS = 8
CONF = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthInfo=socket={run}/munge.socket,cred_expire={requeue_after}
AuthType=auth/munge
SlurmctldPort=6817
SlurmctldPidFile={run}/slurmctld.pid
SlurmctldLogFile={run}/slurmctld.log
StateSaveLocation={run}/state
SlurmdParameters=config_overrides
SlurmdPidFile={run}/%n.pid
SlurmdLogFile={run}/%n.log
SlurmdSpoolDir={run}/%n
TmpFS={run}/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0,bf_interval=1
TopologyPlugin={topology}
GresTypes=gpu
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmctldDebug=info
SlurmdDebug=info
KillWait=1
MinJobAge=300
SlurmdTimeout=30
RebootProgram=/bin/true
PlugStackConfig={run}/plugstack.conf
NodeName={nodes} NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=64 RealMemory=1000 Gres=gpu:{gpus}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
{more}
"""


class Cluster:
    """`count` idle servers n01 … while the `with` lasts. topology: the text of topology.conf, or none.
    more: further lines of slurm.conf. requeue_after: seconds that a job waits which Slurm queues again, and
    that a launch may take."""

    def __init__(self, count=32, topology=None, more="", requeue_after=120):
        self.count, self.topology, self.more, self.requeue_after = count, topology, more, requeue_after
        self.run = pathlib.Path("/run/slurm")
        width = max(2, len(str(count)))
        self.names = [f"n{i:0{width}}" for i in range(1, count + 1)]
        self.nodes = f"n[{self.names[0][1:]}-{self.names[-1][1:]}]"
        self.pids = {}

    def __enter__(self):
        os.environ["SLURM_CONF"] = str(self.run / "slurm.conf")
        self.run.mkdir(mode=0o755)
        (self.run / "state").mkdir()
        self._write_conf()
        self._name_host()
        self._start_munged()
        self.start_controller()
        for name in self.names:
            self.start_server(name)
        self.wait_idle()
        return self

    def __exit__(self, *_):
        for pid in self.pids.values():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, 9)

    def _write_conf(self):
        run = self.run
        (run / "slurm.conf").write_text(CONF.format(
            host=HOST, run=run, nodes=self.nodes, first=27001, last=27000 + self.count, gpus=GPUS, user="root",
            topology="topology/tree" if self.topology else "topology/none", more=self.more,
            requeue_after=self.requeue_after))
        if self.topology:
            (run / "topology.conf").write_text(self.topology)
        (run / "cgroup.conf").write_text("")
        (run / "dev").mkdir()
        for i in range(GPUS):
            # A character device of our own: mknod where that is allowed, else the null device there.
            path = run / "dev" / f"gpu{i}"
            if subprocess.run(["mknod", path, "c", "1", "3"], capture_output=True, check=False).returncode:
                path.touch()
                subprocess.run(["mount", "--bind", "/dev/null", path], check=True)
        (run / "gres.conf").write_text(
            f"AutoDetect=off\nNodeName={self.nodes} Name=gpu File={run}/dev/gpu[0-{GPUS - 1}]\n")
        self.plugstack("")

    def plugstack(self, text):
        """The text of plugstack.conf from now on."""
        fresh = self.run / "plugstack.conf.new"
        fresh.write_text(text)
        fresh.rename(self.run / "plugstack.conf")

    def _name_host(self):
        socket.sethostname(HOST)
        hosts = self.run / "hosts"
        # Every server has an address of its own, all of them here.
        lines = [f"127.0.{1 + i // 250}.{1 + i % 250} {name}" for i, name in enumerate(self.names)]
        hosts.write_text("\n".join([f"127.0.0.1 localhost {HOST}", *lines]) + "\n")
        subprocess.run(["mount", "--bind", hosts, "/etc/hosts"], check=True)
        # A host with none but 127.0.0.1 has no IPv4 for getaddrinfo(AI_ADDRCONFIG), which Slurm asks.
        subprocess.run(["ip", "addr", "add", "10.255.0.1/32", "dev", "lo"], check=True)

    def _start_munged(self):
        key = self.run / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        self._daemon("munged", [
            "munged", "--force", f"--key-file={key}", f"--socket={self.run}/munge.socket",
            f"--pid-file={self.run}/munged.pid", f"--log-file={self.run}/munged.log",
            f"--seed-file={self.run}/munged.seed"], self.run / "munged.pid")

    def start_controller(self):
        self._daemon("slurmctld", ["slurmctld"], self.run / "slurmctld.pid")

    def start_server(self, name):
        (self.run / name).mkdir(exist_ok=True)
        self._daemon(name, ["slurmd", "-N", name], self.run / f"{name}.pid")

    def stop_controller(self):
        """As administrators do: slurmctld saves its state."""
        pid = self.pids.pop("slurmctld")
        os.kill(pid, signal.SIGTERM)
        until(lambda: not is_running(pid), "slurmctld to end", self.logs)
        (self.run / "slurmctld.pid").unlink(missing_ok=True)

    def kill(self, name):
        """kill -9 for a daemon: slurmctld or a server."""
        pid = self.pids.pop(name)
        os.kill(pid, 9)
        until(lambda: not is_running(pid), f"{name} to end")
        (self.run / f"{name}.pid").unlink(missing_ok=True)

    def _daemon(self, name, command, pid_file):
        # One that ended by itself left its file, and its number is not that of the next.
        pid_file.unlink(missing_ok=True)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr.strip()}\n{self.logs()}")
        until(lambda: pid_file.exists() and pid_file.read_text().strip(), f"{name} to start")
        self.pids[name] = int(pid_file.read_text())
        if not is_running(self.pids[name]):
            raise RuntimeError(f"{name} ended at once\n{self.logs()}")

    def wait_idle(self, count=None):
        def idle():
            shown = subprocess.run(["sinfo", "-h", "-o", "%t %D"], capture_output=True, text=True, check=False).stdout
            return f"idle {count or self.count}" in shown
        until(idle, "the servers to be idle", self.logs)

    def wait_gone(self, *words):
        """Waits for the jobs that `squeue WORDS` shows to be gone. A step that is cancelled while its srun still
        launches it may complete only when slurmctld asks its servers again, minutes later."""
        def shown():
            return subprocess.run(["squeue", "-h", *words], capture_output=True, text=True, check=True).stdout
        until(lambda: not shown(), "the jobs to be gone", lambda: shown() + self.logs(), 240)

    def logs(self):
        """The last lines of what the daemons wrote."""
        return "\n".join(f"== {path.name}\n" + "\n".join(path.read_text(errors="replace").splitlines()[-8:])
                         for path in sorted(self.run.glob("*.log"))[:4])

    def state(self, job):
        """What scontrol says of a job, by key."""
        return self._record("job", job)

    def step(self, step):
        """What scontrol says of a step JOB.NUMBER, by key; nothing before it is there."""
        return self._record("step", step)

    @staticmethod
    def _record(kind, name):
        shown = subprocess.run(["scontrol", "-o", "show", kind, str(name)], capture_output=True, text=True,
                               errors="replace", check=False).stdout
        return dict(re.findall(r"(\S+?)=(\S*)", shown))


def is_running(pid):
    """Not so of one that ended and that nobody has waited for."""
    return pathlib.Path(f"/proc/{pid}/exe").exists()


def until(claim, what, explain=lambda: "", seconds=30):
    """Waits for a claim to hold; the limit is there to end a broken run, not to measure."""
    deadline = time.monotonic() + seconds
    while not claim():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds} s for {what}\n{explain()}")
        time.sleep(0.02)
