"""A cluster with a step that runs until it is killed, for vanish_test.py."""
import subprocess

from cluster import Cluster

with Cluster(8):
    subprocess.run(["srun", "-N8", "sleep", "1000"], check=False)
