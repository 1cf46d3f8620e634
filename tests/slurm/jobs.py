"""Jobs on a test cluster, and what their tasks say of where they run."""
import os
import pathlib
import random
import re
import struct
import subprocess
import textwrap

from cluster import until

PROGRAM = pathlib.Path(os.environ["ZONECUT"]).resolve()
PLUGIN = pathlib.Path(os.environ["ZONECUT_SPANK"]).resolve()
# Address space is no measure of a program that a sanitizer watches.
SITE = "memory=unlimited timeout=20000"
# What a task runs to say its rank, its server and more.
SHOW = "bash -c 'echo at $SLURM_PROCID $SLURMD_NODENAME $SLURM_NODEID ${MASTER_ADDR:--}'"


def plugstack(*words, plugin=PLUGIN, program=PROGRAM):
    """A line of plugstack.conf for the plugin under test."""
    return f"optional {plugin} program={program} {SITE} {' '.join(words)}\n"


def command(*words, **environment):
    """The finished process. Fails on an exit code other than 0."""
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=60, check=False,
                          errors="replace", env={**os.environ, **environment})
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def with_version(plugin, version):
    """A plugin as if built for another version of Slurm: a file of the same name."""
    image = plugin.read_bytes()
    symbols = command("nm", "-D", plugin).stdout
    at = next(int(line.split()[0], 16) for line in symbols.splitlines() if line.endswith(" plugin_version"))
    own = struct.unpack_from("<I", image, at)[0]  # read-only data is loaded where it lies in the file
    assert own != version and own >> 16 in range(20, 60), hex(own)
    folder = pathlib.Path(f"/run/tmp/built-for-{version:x}")
    folder.mkdir(exist_ok=True)
    path = folder / plugin.name
    path.write_bytes(image[:at] + struct.pack("<I", version) + image[at + 4:])
    return path


def script(text, name="script.sh"):
    path = pathlib.Path("/run/tmp") / name
    path.write_text("#!/bin/bash\nset -e\n" + textwrap.dedent(text))
    path.chmod(0o755)
    return path


def salloc(options, text, **environment):
    """Runs the script inside an allocation; the finished process."""
    return command("salloc", "-Q", *options.split(), script(text), **environment)


def sbatch(options, text, name="batch", **environment):
    """Submits the script; the job's number. Its output goes to /run/tmp/NAME-JOB[_ELEMENT]."""
    done = command("sbatch", "--parsable", "-o", f"/run/tmp/{name}-%A_%a" if "--array" in options
                   else f"/run/tmp/{name}-%j", *options.split(), script(text, f"{name}.sh"), **environment)
    return done.stdout.strip()


def queue_of(count, seed):
    """(nodes, seconds) of jobs of all sizes, for 256 servers."""
    chance = random.Random(seed)
    return [(chance.choice([2, 4, 8, 12, 16, 24, 32, 48, 64]), chance.choice([0.2, 0.5, 1, 1.5]))
            for _ in range(count)]


def records():
    """What scontrol knows of every job, by number; "order": the servers that the placer has published."""
    jobs = {}
    for line in command("scontrol", "-o", "show", "jobs").stdout.splitlines():
        record = dict(re.findall(r"(\S+?)=(\S*)", line))
        found = re.search(r"AdminComment=[^=]*zonecut-order=(\S+)", line)
        jobs[int(record["JobId"])] = {**record, "order": host_names(found[1]) if found else None,
                                      "servers": host_names(record["NodeList"])}
    return jobs


def host_names(text):
    return command("scontrol", "show", "hostnames", text).stdout.split() if text not in {"", "(null)"} else []


def ended(cluster, job):
    """Waits for a job to end well."""
    until(lambda: cluster.state(job).get("JobState") in {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT"},
          f"job {job} to end", cluster.logs)
    state = cluster.state(job)["JobState"]
    if state != "COMPLETED":
        raise AssertionError(f"job {job} is {state}: {cluster.state(job)}\n{cluster.logs()}" + "".join(
            path.read_text() for path in pathlib.Path("/run/tmp").glob(f"*-{job}*")))


def tasks(text):
    """(rank, server, SLURM_NODEID, MASTER_ADDR) of every task that SHOW ran in, by rank."""
    rows = [line.split()[1:] for line in text.splitlines() if line.startswith("at ")]
    return sorted((int(rank), server, int(node), address) for rank, server, node, address in rows)


def order(text):
    """The servers of the ranks 0, 1, 2, …; fails where a rank is missing or there twice."""
    rows = tasks(text)
    assert [row[0] for row in rows] == list(range(len(rows))), text
    return [row[1] for row in rows]


def intended(topology, servers, count, *words):
    """What `zonecut slurm-order` answers: the servers in order, each once."""
    option = "--cluster" if str(topology).endswith(".yaml") else "--topology"
    answer = command(PROGRAM, "slurm-order", option, topology, "--on", servers, "--tasks", count, *words).stdout
    return dict(line.split("=") for line in answer.splitlines() if "=" in line)["nodelist"].split(",")


def crossings(servers, domain_of):
    """Edges of the ring over these servers whose ends lie in different domains."""
    return sum(domain_of[a] != domain_of[b] for a, b in zip(servers, servers[1:] + servers[:1]))
