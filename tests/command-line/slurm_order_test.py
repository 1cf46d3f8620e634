"""zonecut slurm-order: the order of one step, as Slurm's plugin asks for it."""
import json

import program
from program import run

# Two zones of two racks; names go round the racks.
TOPOLOGY = """\
SwitchName=r0 Nodes=n0,n4,n8
SwitchName=r1 Nodes=n1,n5,n9
SwitchName=r2 Nodes=n2,n6,n10
SwitchName=r3 Nodes=n3,n7,n11
SwitchName=za Switches=r0,r1
SwitchName=zb Switches=r2,r3
SwitchName=top Switches=za,zb
"""


class SlurmOrder(program.InFolder):
    def setUp(self):
        super().setUp()
        self.topology = self.write("topology.conf", TOPOLOGY)

    def ask(self, *words, topology=None):
        result = run("slurm-order", "--topology", topology or self.topology, *words)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual((lines[0], lines[-1]), ("zonecut.slurm-order/v1", "end"))
        answer = dict(line.split("=", 1) for line in lines[1:-1])
        return {**answer, "nodelist": answer["nodelist"].split(",")}

    def refused(self, expected, *words, code=2):
        result = run("slurm-order", "--topology", self.topology, *words)
        self.assertEqual((result.returncode, result.stdout), (code, ""))
        self.assertIn(expected, result.stderr)

    def test_a_ring_crosses_racks_and_zones_no_more_than_it_must(self):
        answer = self.ask("--on", "n[0-11]", "--tasks", "12")
        racks = [int(name[1:]) % 4 for name in answer["nodelist"]]
        self.assertEqual(sum(a != b for a, b in zip(racks, racks[1:] + racks[:1])), 4)
        self.assertEqual(answer["changed"], "1")
        self.assertLess(int(answer["cross_zone_bytes"]), int(answer["cross_zone_bytes_before"]))
        self.assertLess(float(answer["seconds"]), float(answer["seconds_before"]))

    def test_what_is_better_is_said(self):
        # In one zone, where leaves are no bottleneck: the ring just crosses fewer racks.
        answer = self.ask("--on", "n0,n1,n4,n5", "--tasks", "4")
        self.assertEqual((answer["changed"], answer["cross_zone_bytes"], answer["cross_zone_bytes_before"]), ("1", "0", "0"))
        self.assertEqual(answer["seconds"], answer["seconds_before"])
        self.assertLess(int(answer["cost"]), int(answer["cost_before"]))
        cost, before = (f"{int(answer[key]):,}" for key in ["cost", "cost_before"])
        self.assertRegex(answer["summary"], f"^between zones 0 B instead of 0 B, .*, cost J {cost} instead of {before}$")
        self.assertNotIn("cost J", self.ask("--on", "n[0-11]", "--tasks", "12")["summary"])
        answer = self.ask("--on", "n0,n4,n8", "--tasks", "3", "--rank0", "n8", "--hold-rank0")
        self.assertEqual((answer["changed"], answer["cost"]), ("1", answer["cost_before"]))
        self.assertRegex(answer["summary"], "instead of [^,]*, rank 0 on n8$")

    def test_an_order_that_is_as_good_is_kept(self):
        answer = self.ask("--on", "n0,n4,n8,n1,n5,n9", "--tasks", "6")
        self.assertEqual(answer["changed"], "0")
        self.assertEqual(answer["nodelist"], ["n0", "n4", "n8", "n1", "n5", "n9"])
        self.assertEqual(answer["cross_zone_bytes"], answer["cross_zone_bytes_before"])

    def test_rank_zero_stands_where_it_is_wanted(self):
        for host in ["n0", "n5", "n11"]:
            answer = self.ask("--on", "n[0-11]", "--tasks", "12", "--rank0", host)
            self.assertEqual(answer["nodelist"][0], host)
            self.assertEqual(answer["cross_zone_bytes"],
                             self.ask("--on", "n[0-11]", "--tasks", "12")["cross_zone_bytes"])

    def test_part_of_the_servers_is_one_zone_around_rank_zero(self):
        for words in [[], ["--rank0", "n10", "--hold-rank0"]]:
            answer = self.ask("--on", "n[0-11]", "--tasks", "6", "--nodes", "6", *words)
            zones = {int(name[1:]) % 4 // 2 for name in answer["nodelist"]}
            self.assertEqual((len(set(answer["nodelist"])), len(zones)), (6, 1))
        self.assertEqual(answer["nodelist"][0], "n10")

    def test_tasks_are_ranks_or_launchers(self):
        # tp=4: two ranks' worths of tp groups on a server of eight tasks; a launcher starts eight too.
        for tasks in ["96", "12"]:
            answer = self.ask("--on", "n[0-11]", "--tasks", tasks, "--job", "tp=4,pp=2")
            self.assertEqual(answer["tasks_per_node"], str(int(tasks) // 12))
            self.assertEqual(len(set(answer["nodelist"])), 12)
        self.ask("--on", "n[0-11]", "--tasks", "768")  # 64 tasks on a server of 8 GPUs: a ring of servers
        answer = self.ask("--on", "n[0-11]", "--tasks", "12", "--gpus-per-server", "4", "--job", "tp=4,pp=12")
        self.assertEqual(len(answer["nodelist"]), 12)

    def test_a_job_that_says_its_size_is_believed(self):
        self.ask("--on", "n[0-11]", "--tasks", "12", "--job", "tp=8,dp=12")
        self.ask("--on", "n[0-11]", "--tasks", "12", "--job", "tp=4,dp=12")  # half of each server
        self.refused("--job: 104 ranks do not spread evenly over 12 servers",
                     "--on", "n[0-11]", "--tasks", "12", "--job", "tp=8,dp=13")
        self.refused("the allocation has 96 ranks, no multiple of tp*cp*pp = 40",
                     "--on", "n[0-11]", "--tasks", "12", "--job", "tp=8,pp=5")

    def test_a_cluster_file_and_a_placement_section(self):
        cluster = self.folder / "cluster.yaml"
        run("topology", "import", "--from", "slurm-conf", self.topology, "-o", cluster)
        job = self.write("job.yaml", "parallelism: {tp: 8}\nplacement: {required_level: rack}\n")
        result = run("slurm-order", "--cluster", cluster, "--job", job, "--on", "n[0-11]", "--tasks", "12")
        self.assertEqual(result.returncode, 0, result.stderr)
        given = self.ask("--on", "n[0-11]", "--tasks", "12", "--job", "tp=8")
        self.assertIn("nodelist=" + ",".join(given["nodelist"]), result.stdout)

    def test_json(self):
        result = run("slurm-order", "--topology", self.topology, "--on", "n[0-11]", "--tasks", "24", "--json")
        answer = json.loads(result.stdout)
        text = self.ask("--on", "n[0-11]", "--tasks", "24")
        self.assertEqual(answer["schema"], "zonecut.slurm-order/v1")
        self.assertEqual((answer["changed"], answer["tasks_per_node"]), (True, 2))
        self.assertEqual(answer["servers"], text["nodelist"])
        self.assertEqual(str(answer["metrics"]["cross_zone_bytes"]), text["cross_zone_bytes"])
        self.assertEqual(str(answer["before"]["cross_zone_bytes"]), text["cross_zone_bytes_before"])
        self.assertEqual([str(answer[key]["cost"]) for key in ["metrics", "before"]], [text["cost"], text["cost_before"]])

    def test_what_is_wrong_is_said(self):
        on = ["--on", "n[0-11]"]
        self.refused("--tasks: 10 tasks do not spread evenly over 12 servers", *on, "--tasks", "10")
        self.refused("--nodes: found 13, expected 1 to 12", *on, "--tasks", "13", "--nodes", "13")
        self.refused("--on: names a server twice", "--on", "n1,n1", "--tasks", "2")
        self.refused('the cluster has no server "n12"', "--on", "n[0-12]", "--tasks", "13")
        self.refused('--rank0: "n5" is not among the servers of --on', "--on", "n[0-3]", "--tasks", "4",
                     "--rank0", "n5")
        result = run("slurm-order", *on, "--tasks", "12")
        self.assertEqual(result.returncode, 2)
        self.assertIn("neither --cluster nor --topology is given", result.stderr)

    def test_no_answer_takes_the_place_of_what_is_read(self):
        files = {name: self.write(name, text) for name, text in
                 [("job.yaml", "parallelism: {tp: 12}\n"), ("hosts", "n[0-11]\n")]}
        words = ["--on", f"@{files['hosts']}", "--tasks", "12", "--job", files["job.yaml"]]
        for path in [self.topology, *files.values()]:
            text = path.read_text(encoding="utf-8")
            self.refused("would be lost", *words, "-o", path)
            self.assertEqual(path.read_text(encoding="utf-8"), text)

    def test_the_same_bytes_come_again(self):
        words = ["slurm-order", "--topology", self.topology, "--on", "n[0-11]", "--tasks", "12", "--job", "tp=2,pp=4"]
        self.assertEqual(run(*words).stdout, run(*words, "--threads", "4").stdout)


if __name__ == "__main__":
    program.main()
