"""place --keep: a job that runs, and servers that fail under it."""
import json

import program
from program import SMALL_CASE, SMALL_JOB, run


class Keep(program.InFolder):
    def setUp(self):
        super().setUp()
        self.order = self.folder / "order"
        self.assertEqual(
            run("place", *SMALL_JOB, "--format", "hostfile", "-o", self.order).returncode, 0)
        self.servers = [line.split()[0] for line in self.order.read_text().splitlines()]

    def state(self, down):
        text = "format: state/v1\njobs:\n  - name: this\n    servers: {servers}\n" \
               "health:\n  down: {down}\n"
        return self.write("state.yaml", text.format(
            servers="[" + ", ".join(self.servers) + "]", down="[" + ", ".join(down) + "]"))

    def kept(self, down, *options):
        result = run("place", *SMALL_CASE, "--state", self.state(down), "--keep", self.order,
                     "--json", *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        placement = json.loads(result.stdout)
        return placement, placement["servers"]

    def test_nothing_moves_while_nothing_fails(self):
        _, servers = self.kept([])
        self.assertEqual(servers, self.servers)

    def test_only_what_failed_moves(self):
        down = self.servers[3]
        placement, servers = self.kept([down])
        self.assertNotIn(down, servers)
        changed = [i for i, (a, b) in enumerate(zip(self.servers, servers)) if a != b]
        self.assertEqual(changed, [3])
        self.assertTrue(any(down in reason for reason in placement["reasons"]))

    def test_more_moves_never_cut_more(self):
        down = [self.servers[0], self.servers[9]]
        cuts = []
        for moves in range(4):
            placement, servers = self.kept(down, "--moves", moves)
            cuts.append(placement["metrics"]["cross_zone_bytes"])
            changed = sum(a != b for a, b in zip(self.servers, servers))
            self.assertLessEqual(changed, 2 + moves)
        self.assertEqual(cuts, sorted(cuts, reverse=True))

    def test_text_says_who_moved(self):
        result = run("place", *SMALL_CASE, "--state", self.state([self.servers[5]]), "--keep",
                     self.order)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("15 of 16 servers stay, 1 moved", result.stdout)
        self.assertIn(f"from {self.servers[5]} to ", result.stdout)

    def test_the_state_says_where_the_job_goes_on(self):
        started = self.folder / "started.yaml"
        result = run("place", *SMALL_JOB, "--format", "state", "-o", started)
        self.assertEqual(result.returncode, 0, result.stderr)
        started.write_text(started.read_text() + f"health:\n  down: [{self.servers[3]}]\n")
        result = run("place", *SMALL_JOB, "--state", started, "--keep", self.order, "--format",
                     "state")
        self.assertEqual(result.returncode, 0, result.stderr)
        placement = json.loads(run("place", *SMALL_JOB, "--state", started, "--keep", self.order,
                                   "--json").stdout)
        after = self.write("after.yaml", result.stdout)
        hosts = self.write("hosts", "\n".join(placement["servers"]) + "\n")
        result = run("place", *SMALL_JOB, "--state", after, "--keep", hosts, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout)["servers"], placement["servers"])
        text = after.read_text()
        self.assertEqual(text.count("name: "), 1)
        jobs = text[:text.index("health:")]
        self.assertNotIn(self.servers[3], jobs)

    def test_the_job_on_most_servers_is_this_one_however_many_gpus_another_has(self):
        cluster = self.write("c.yaml", "format: cluster/v1\nlevels: [zone, rack]\ndomains:\n"
                             "  - {zone: a, rack: r, servers: ['s[1-3]', {names: big, gpus: 16}, t], gpus: 4}\n")
        state = self.write("s.yaml", "format: state/v1\njobs:\n  - {name: other, servers: [big]}\n"
                                     "  - {name: mine, servers: 's[1-3]'}\n")
        hosts = self.write("hosts", "s1\ns2\ns3\nbig\n")
        job = self.write("j.yaml", "format: job/v1\nname: mine\nmodel: llama3-8b\nranks_per_server: 4\n"
                                   "parallelism: {tp: 4, dp: 4}\n")
        result = run("place", "--cluster", cluster, "--job", job, "--state", state, "--keep", hosts,
                     "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout)["servers"], ["s1", "s2", "s3", "t"])

    def state_after(self, state, *order, ranks=8):
        """By name of job what the state says of it once the ring `mine` is kept on these servers."""
        hosts = self.write("mine", "\n".join(order) + "\n")
        result = run("place", "--cluster", program.SMALL / "cluster.yaml", "--job",
                     f"name=mine,tp={ranks},dp={len(order)},model=llama3-8b,ranks_per_server={ranks}",
                     "--state", self.write("s.yaml", "format: state/v1\njobs:\n" + state), "--keep",
                     hosts, "--format", "state")
        self.assertEqual(result.returncode, 0, result.stderr)
        _, *jobs = result.stdout.split("- name: ")
        return {job.splitlines()[0].strip('"'): job for job in jobs}

    def test_a_job_that_also_holds_other_servers_is_another(self):
        jobs = self.state_after("  - name: other\n    servers: 'a-r1-s[1-2],b-r1-s[1-2]'\n"
                                "    traffic: {job: 'tp=8,dp=4,model=llama3-8b'}\n",
                                "a-r1-s1", "a-r1-s2", "b-r2-s1", "b-r2-s2")
        self.assertEqual(set(jobs), {"other", "mine"})
        self.assertIn("servers: a-r1-s[1-2],b-r1-s[1-2]\n", jobs["other"])
        self.assertIn("order: [a-r1-s1, a-r1-s2, b-r1-s1, b-r1-s2]", jobs["other"])
        self.assertNotIn("a-r1-", jobs["mine"])

    def test_the_job_of_the_same_name_is_this_one_though_another_holds_as_much(self):
        jobs = self.state_after("  - name: other\n    gpus: {a-r1-s1: [0, 1, 2, 3]}\n"
                                "  - name: mine\n    gpus: {a-r1-s1: [4, 5, 6, 7]}\n"
                                "    traffic: {job: 'tp=4,dp=1,model=llama3-8b,ranks_per_server=4', order: a-r1-s1}\n",
                                "a-r1-s1", ranks=4)
        self.assertEqual(set(jobs), {"other", "mine"})
        self.assertIn("[0, 1, 2, 3]", jobs["other"])
        self.assertIn("[4, 5, 6, 7]", jobs["mine"])

    def test_a_job_of_all_that_nobody_tells_apart_gives_up_this_one(self):
        jobs = self.state_after("  - name: jobs of Slurm\n    servers: 'a-r[1-3]-s[1-2]'\n", "a-r1-s1",
                                "a-r1-s2")
        self.assertEqual(set(jobs), {"jobs of Slurm", "mine"})
        self.assertIn("servers: a-r1-s[1-2]\n", jobs["mine"])
        self.assertIn("servers: a-r[2-3]-s[1-2]\n", jobs["jobs of Slurm"])

    def test_who_has_time_keeps_within_the_zone(self):
        cluster = self.write("c.yaml", "format: cluster/v1\nlevels: [zone, rack]\n"
                             "backend: {nic_bandwidth: 400Gbps, oversubscription: 1}\ndomains:\n"
                             "  - {zone: a, rack: r1, servers: [a1, a2]}\n"
                             "  - {zone: a, rack: r2, servers: [a3]}\n"
                             "  - {zone: b, rack: r3, servers: [b1]}\n")
        state = self.write("s.yaml", "format: state/v1\nhealth:\n  down: [a2]\n"
                                     "  links: [{between: [a3, a/r2/RTSW-1], remaining: 1700Gbps}]\n")
        hosts = self.write("hosts", "a1\na2\n")
        words = ["place", "--cluster", cluster, "--job", "tp=8,dp=2,model=llama3-8b", "--state", state,
                 "--keep", hosts]
        self.assertIn("--time-tolerance allows it", run(*words).stdout)
        for tolerance, second in [("1%", "b1"), ("100%", "a3")]:
            result = run(*words, "--time-tolerance", tolerance, "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(json.loads(result.stdout)["servers"], ["a1", second])

    def test_no_room_is_said(self):
        result = run("place", *SMALL_CASE, "--state", self.state(self.servers[:5]), "--keep",
                     self.order)
        self.assertEqual(result.returncode, 3, result.stderr)

    def test_an_order_of_another_size_is_bad_input(self):
        short = self.write("short", "\n".join(self.servers[:4]) + "\n")
        result = run("place", *SMALL_CASE, "--keep", short)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("short", result.stderr)


if __name__ == "__main__":
    program.main()
