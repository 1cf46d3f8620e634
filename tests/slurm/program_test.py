"""Real programs over ordered ranks: MPI, and launchers that find each other by MASTER_ADDR."""
import pathlib
import shutil
import socket
import subprocess
import sys
import unittest

import layouts
from cluster import Cluster
from jobs import SHOW, intended, order, plugstack, salloc, tasks

HERE = pathlib.Path(__file__).resolve().parent
RUN = pathlib.Path("/run/tmp")
LAYOUT = layouts.interleaved()
CLUSTER = Cluster(32, LAYOUT.conf)
CONF = CLUSTER.run / "topology.conf"
FIRST = "export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n1)"
LAUNCH = f"{sys.executable} -B {HERE}/launcher.py"


def setUpModule():
    CLUSTER.__enter__()
    unittest.addModuleCleanup(CLUSTER.__exit__)


class Programs(unittest.TestCase):
    def setUp(self):
        CLUSTER.plugstack(plugstack())

    def wired(self, plugin):
        """A ring of 16 ranks on 8 servers, started through one of Slurm's MPI plugins."""
        wanted = intended(CONF, "n[01-08]", 16, "--rank0", "n01", "--hold-rank0")
        shown = salloc("-N8 -w n[01-08] --ntasks-per-node=2", f"srun --mpi={plugin} {RUN}/ring",
                       OMPI_MCA_btl="self,tcp", OMPI_MCA_pml="ob1", OMPI_MCA_btl_tcp_if_include="lo")
        self.assertEqual(order(shown.stdout), [name for name in wanted for _ in range(2)])
        self.assertEqual({row[3] for row in tasks(shown.stdout)}, {"16"})
        self.assertNotEqual(wanted, sorted(wanted))

    @unittest.skipUnless(shutil.which("mpicc"), "no mpicc")
    def test_mpi_numbers_ranks_as_intended_under_pmix(self):
        subprocess.run(["mpicc", "-O1", HERE / "ring.c", "-o", RUN / "ring"], check=True)
        self.wired("pmix")

    def test_launchers_meet_at_the_first_server(self):
        for job in ["", "--zonecut-job=tp=8,pp=4", "--zonecut-job=tp=8,pp=2,gbs=4096"]:
            with self.subTest(job):
                shown = salloc(f"-N16 -w n[01-16] --gpus-per-node=8 {job}", f"{FIRST}\nsrun {LAUNCH} 29500")
                rows = tasks(shown.stdout)
                self.assertEqual([row[0] for row in rows], list(range(16)))
                self.assertEqual([row[2] for row in rows], list(range(16)))  # node is rank
                self.assertEqual({row[3] for row in rows}, {rows[0][1]})     # all called node 0's server
                self.assertGreater([row[1] for row in rows], sorted(row[1] for row in rows))

    def test_master_addr_that_is_looked_up_in_the_task(self):
        text = f"srun bash -c '{FIRST}; exec {LAUNCH} 29501'"
        self.assertEqual(len(tasks(salloc("-N16 -w n[01-16] --zonecut-job=tp=8,pp=2,gbs=4096", text).stdout)), 16)

    @staticmethod
    def lone_first_server():
        """A job of 16 servers' worths, of which only the last sends nothing, and a topology in which the first
        server stands alone in its zone."""
        racks = {"r0": ["n01"], "r1": [layouts.server(n) for n in range(2, 17)],
                 "r2": [layouts.server(n) for n in range(17, 33)]}
        conf = RUN / "lone.conf"
        conf.write_text(layouts.Layout({"za": ["r0"], "zb": ["r1"], "zc": ["r2"]}, racks).conf)
        job = RUN / "job.yaml"
        job.write_text("gpus: 128\ncollectives: [{name: ring, kind: all-reduce, ranks: 0-119, bytes: 1GiB}]\n")
        return job, conf

    def test_master_addr_follows_rank_zero_where_only_the_environment_has_it(self):
        job, conf = self.lone_first_server()
        CLUSTER.plugstack(plugstack(f"topology={conf}"))
        free = intended(conf, "n[01-16]", 16, "--job", job)
        self.assertNotEqual(free[0], "n01")
        shown = salloc(f"-N16 -w n[01-16] --zonecut-job={job}", f"{FIRST}\nsrun {LAUNCH} 29502")
        rows = tasks(shown.stdout)
        self.assertEqual({row[3] for row in rows}, {rows[0][1]})
        self.assertEqual([row[1] for row in rows],
                         intended(conf, "n[01-16]", 16, "--job", job, "--rank0", "n01"))
        # Said on the command line it cannot follow: rank 0 stays.
        shown = salloc(f"-N16 -w n[01-16] --zonecut-job={job}",
                       f"{FIRST}\nsrun env MASTER_ADDR=$MASTER_ADDR {LAUNCH} 29503")
        self.assertEqual(tasks(shown.stdout)[0][1], "n01")
        # Nor can any other variable that holds the name or the address of the first server.
        address = socket.gethostbyname("n01")
        for said in ["INIT_METHOD=tcp://$MASTER_ADDR:29503", f"INIT_METHOD=tcp://{address}:29503", "HOSTS=n02,n01"]:
            with self.subTest(said):
                shown = salloc(f"-N16 -w n[01-16] --zonecut-job={job}", f"{FIRST}\nexport {said}\nsrun {LAUNCH} 29503")
                self.assertEqual(tasks(shown.stdout)[0][1], "n01")
                self.assertEqual({row[3] for row in tasks(shown.stdout)}, {"n01"})

    def test_rank_zero_stays_where_master_addr_is_not_handed_on_to_the_tasks(self):
        job, conf = self.lone_first_server()
        self.assertNotEqual(intended(conf, "n[01-16]", 16, "--job", job, "--rank0", "n01")[0], "n01")
        look_up = f"export PATH=/usr/bin:/bin; {FIRST}; exec {LAUNCH} 29505"
        for export, environment in [("--export=NONE", {}), ("--export=A=1,PATH", {}), ("", {"SLURM_EXPORT_ENV": "NONE"})]:
            for method in ["", "method=hostfile"]:
                CLUSTER.plugstack(plugstack(f"topology={conf}", method))
                with self.subTest(export=export, environment=environment, method=method):
                    shown = salloc(f"-N16 -w n[01-16] --zonecut-job={job}",
                                   f"{FIRST}\nsrun {export} /bin/bash -c '{look_up}'", **environment)
                    rows = tasks(shown.stdout)
                    self.assertEqual([row[0] for row in rows], list(range(16)))
                    self.assertEqual({row[3] for row in rows}, {"n01"})
                    self.assertEqual(rows[0][1], "n01")
        # What hands it on lets it follow.
        CLUSTER.plugstack(plugstack(f"topology={conf}"))
        for export in ["--export=ALL", "--export=ALL,A=1", "--export=MASTER_ADDR,PATH"]:
            with self.subTest(export=export):
                shown = salloc(f"-N16 -w n[01-16] --zonecut-job={job}", f"{FIRST}\nsrun {export} {LAUNCH} 29506")
                rows = tasks(shown.stdout)
                self.assertNotEqual(rows[0][1], "n01")
                self.assertEqual({row[3] for row in rows}, {rows[0][1]})

    def test_an_address_the_user_chose_is_kept(self):
        shown = salloc("-N16 -w n[01-16]", f"export MASTER_ADDR=n05\nsrun {SHOW}")
        self.assertEqual({row[3] for row in tasks(shown.stdout)}, {"n05"})
        self.assertEqual(tasks(shown.stdout)[0][1], "n05")
        shown = salloc("-N16 -w n[01-16]", f"export MASTER_ADDR=10.1.2.3\nsrun {SHOW}")
        self.assertEqual({row[3] for row in tasks(shown.stdout)}, {"10.1.2.3"})
        self.assertEqual(tasks(shown.stdout)[0][1], "n01")
        shown = salloc("-N16 -w n[01-16]", f"srun {SHOW}")
        self.assertEqual({row[3] for row in tasks(shown.stdout)}, {"-"})


if __name__ == "__main__":
    unittest.main(verbosity=1)
