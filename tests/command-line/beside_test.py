"""Jobs beside each other: state files that say what runs, written by place and read again; and routes."""
import json

import program
from program import SMALL, SMALL_CASE, run

CLUSTER = """format: cluster/v1
name: beside
levels: [zone, rack]
gpus: 1
backend:
  nics_per_server: 1
  nic_bandwidth: 50Mbps
  tiers:
    cluster: {switch: ATSW, switches: 1}
    zone: {switch: CTSW, switches: 1, uplinks: 1, uplink_bandwidth: 50Mbps, oversubscription: cables}
    rack: {switch: RTSW, switches: 1, uplinks: 4, uplink_bandwidth: 50Mbps, oversubscription: cables}
domains:
  - {zone: z1, rack: r1, servers: "a[1-4]"}
  - {zone: z2, rack: r2, servers: "b[1-4]"}
  - {zone: z3, rack: r3, servers: "c[1-4]"}
  - {zone: z4, rack: r4, servers: "d[1-4]"}
"""
RING = """format: job/v1
name: NAME
gpus: 4
collectives:
  - {name: ring, kind: all-reduce, ranks: 0-3, bytes: 2MB}
"""
HELD = """format: state/v1
jobs:
  - name: rest
    servers: "a[1-2],b[1-2],c[1-2],d[1-2]"
"""


class Beside(program.InFolder):
    def setUp(self):
        super().setUp()
        self.cluster, self.held = self.write("cluster.yaml", CLUSTER), self.write("held.yaml", HELD)
        self.first = self.write("first.yaml", RING.replace("NAME", "first"))
        self.second = self.write("second.yaml", RING.replace("NAME", "second"))

    def place(self, job, state, *words):
        result = run("place", "--cluster", self.cluster, "--job", job, "--state", state, "--effort", "fast", *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_the_next_job_is_placed_beside_the_traffic_of_the_last(self):
        state = self.write("next.yaml", self.place(self.first, self.held, "--format", "state"))
        first = json.loads(self.place(self.first, self.held, "--json"))
        second = json.loads(self.place(self.second, state, "--json"))
        self.assertFalse({s[0] for s in first["servers"]} & {s[0] for s in second["servers"]})
        metrics = second["metrics"]
        self.assertEqual(metrics["communication_seconds"], metrics["undisturbed_seconds"])
        self.assertEqual([job["job"] for job in second["disturbed"]], ["first"])

    def test_a_state_in_another_folder_finds_the_job_files_of_the_first(self):
        for name in ["d1", "d2"]:
            (self.folder / name).mkdir()
        self.write("d1/first.yaml", self.first.read_text(encoding="utf-8"))
        self.first.unlink()
        state = self.write("d1/state.yaml", HELD + "  - name: first\n    servers: [a3, a4, b3, b4]\n"
                                                   "    traffic: {job: first.yaml}\n")
        after = self.folder / "d2" / "state.yaml"
        self.place(self.second, state, "--format", "state", "-o", after)
        self.assertIn(str(self.folder / "d1" / "first.yaml"), after.read_text(encoding="utf-8"))
        beside = self.predicted(["a1", "a2", "b1", "b2"], after)["disturbed"]
        self.assertEqual([job["job"] for job in beside], ["first", "second"])

    def test_a_state_names_no_job_that_is_gone_when_it_is_read(self):
        for job in ["-", "/dev/stdin", "/dev/fd/0"]:
            words = ["place", "--cluster", self.cluster, "--job", job, "--effort", "fast"]
            text = self.first.read_text(encoding="utf-8")
            result = run(*words, "--format", "state", stdin=text)
            self.assertEqual((result.returncode, result.stdout), (2, ""), job)
            self.assertIn("give the job as a file", result.stderr)
            self.assertEqual(run(*words, stdin=text).returncode, 0)

    def predicted(self, order, state):
        result = run("predict", "--cluster", self.cluster, "--job", self.second, "--state", state,
                     "--order", self.write("order", "\n".join(order)), "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_two_rings_on_one_link_halve_each_other(self):
        state = self.write("runs.yaml", HELD + "  - name: first\n    servers: [a3, a4, b3, b4]\n"
                                               "    traffic: {job: first.yaml}\n")
        # Not held by anybody that the prediction would take for this very job.
        apart = self.predicted(["c3", "c4", "d3", "d4"], state)
        self.assertEqual(apart["disturbed"][0]["alone_seconds"], apart["disturbed"][0]["beside_seconds"])
        both = self.predicted(["a1", "a2", "b1", "b2"], state)
        metrics, disturbed = both["metrics"], both["disturbed"][0]
        self.assertAlmostEqual(metrics["communication_seconds"], 2 * metrics["undisturbed_seconds"], delta=1e-3)
        self.assertAlmostEqual(disturbed["beside_seconds"], 2 * disturbed["alone_seconds"], delta=1e-3)
        placed = json.loads(self.place(self.second, state, "--json", "--on", "a[1-2],b[1-2]"))
        self.assertRegex("\n".join(placed["reasons"]), "job first then takes [0-9.]+ m?s per iteration to communicate, ")
        own = self.predicted(["a3", "a4", "b3", "b4"], state)
        self.assertEqual(own["disturbed"], [])

    def test_what_serving_loses_is_told_per_second_of_service(self):
        serving = ("format: job/v1\nname: served\nmodel: llama3-8b\nranks_per_server: 1\ninference:\n"
                   "  {prefill_replicas: 2, prefill_tp: 1, decode_replicas: 2, decode_tp: 1, requests_per_second: 0.001}\n")
        self.write("served.yaml", serving)
        for name, period in [("served", "second of service"), ("first", "iteration")]:
            state = self.write("runs.yaml", HELD + f"  - name: {name}\n    servers: [a3, a4, b3, b4]\n"
                                                   f"    traffic: {{job: {name}.yaml}}\n")
            result = run("predict", "--cluster", self.cluster, "--job", self.second, "--state", state,
                         "--order", self.write("order", "a1\na2\nb1\nb2\n"))
            self.assertEqual(self.predicted(["a1", "a2", "b1", "b2"], state)["disturbed"][0]["per"], period)
            self.assertRegex(result.stdout, f"\ndisturbs       {name}: [0-9.]+ m?s per {period}, [0-9.]+ m?s without this job\n")

    def test_a_job_on_the_other_gpus_of_the_same_servers_is_another(self):
        self.write("cluster.yaml", CLUSTER.replace("gpus: 1\n", "gpus: 2\n"))
        for name in ["first", "second"]:
            self.write(name + ".yaml", RING.replace("NAME", name) + "ranks_per_server: 1\n")
        servers = ["a3", "a4", "b3", "b4"]
        state = self.write("half.yaml", "format: state/v1\njobs:\n  - name: first\n"
                                        "    gpus: {\"a[3-4],b[3-4]\": [0]}\n"
                                        "    traffic: {job: first.yaml, order: [a3, a4, b3, b4]}\n")
        self.assertEqual([job["job"] for job in self.predicted(servers, state)["disturbed"]], ["first"])
        self.second = self.first  # the name of the one that runs there
        self.assertEqual(self.predicted(servers, state)["disturbed"], [])

    def test_servers_that_others_hold_are_a_finding_and_the_bound_is_of_what_they_leave(self):
        state = self.write("runs.yaml", HELD + "  - name: first\n    servers: [a3, a4, b3, b4]\n"
                                               "    traffic: {job: first.yaml}\n")
        # Most of these are first's, which is this job only by its name: it holds b4, too.
        second = self.second
        for self.second, others in [(second, "a[1,3-4],b3"), (self.first, "a1")]:
            mixed = self.predicted(["a1", "a3", "a4", "b3"], state)
            held = [finding for finding in mixed["findings"] if finding["rule"] == "servers-held"]
            self.assertEqual([finding["what"] for finding in held], [f"servers whose GPUs other jobs hold: {others}"])
        self.second = second
        own = self.predicted(["a3", "a4", "b3", "b4"], state)
        self.assertNotIn("servers-held", [finding["rule"] for finding in own["findings"]])
        # Two free servers in each zone: no order stays in one.
        self.assertGreater(own["metrics"]["lower_bound_bytes"], 0)
        self.assertEqual(own["metrics"]["gap"], 0)

    def test_a_bound_of_orders_is_one_of_an_order_on_drained_servers(self):
        state = self.write("drained.yaml", "format: state/v1\nhealth: {drained: [a4], down: [\"b[3-4]\"]}\n")
        metrics = self.predicted(["a1", "a2", "a3", "a4"], state)["metrics"]
        self.assertEqual((metrics["cross_zone_bytes"], metrics["lower_bound_bytes"]), (0, 0))

    def test_what_is_wrong_with_a_running_job_has_its_place(self):
        for traffic, says in [("{job: nowhere.yaml}", "runs.yaml:7:20: nowhere.yaml: cannot be opened"),
                              ("{job: 'tp=x'}", 'runs.yaml:7:20: tp=x:1:1: found "x"'),
                              ("{job: first.yaml, order: [a3, a4]}", "runs.yaml:7:")]:
            state = self.write("runs.yaml", HELD + "  - name: first\n    servers: [a3, a4, b3, b4]\n"
                                                   f"    traffic: {traffic}\n")
            result = run("place", "--cluster", self.cluster, "--job", self.second, "--state", state)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(says, result.stderr)
            checked = run("topology", "validate", self.cluster, "--state", state)
            self.assertEqual((checked.returncode, checked.stderr), (2, result.stderr))
        twice = self.write("twice.yaml", HELD.replace("rest", "second"))
        result = run("place", "--cluster", self.cluster, "--job", self.second, "--state", twice, "--format", "state")
        self.assertEqual(result.returncode, 2, result.stderr)

    def test_mistakes_of_all_running_jobs_are_told_at_once(self):
        state = self.write("state.yaml", "format: state/v1\njobs:\n"
                           "  - {name: first, servers: a1, traffic: {job: nowhere.yaml}}\n"
                           "  - {name: second, servers: a2, traffic: {job: \"dp=2\"}}\n"
                           "  - {name: third, servers: a3, traffic: {job: \"dp=x\"}}\n")
        for words in [["topology", "validate", self.cluster], ["place", "--cluster", self.cluster, "--job", self.first]]:
            result = run(*words, "--state", state)
            self.assertEqual(result.returncode, 2, result.stderr)
            lines = result.stderr.splitlines()
            self.assertEqual([line.split(":")[2] for line in lines], ["3", "4", "5"], result.stderr)

    def test_a_job_that_the_state_names_is_not_overwritten(self):
        state = self.write("runs.yaml", HELD + "  - name: first\n    servers: [a3, a4, b3, b4]\n"
                                               "    traffic: {job: first.yaml}\n")
        first = self.folder / "first.yaml"
        before = first.read_text()
        case = ["--cluster", self.cluster, "--job", self.second, "--state", state]
        order = self.write("order", "c3\nc4\nd3\nd4\n")
        for words in [["place", "-o"], ["report", "--html"], ["report", "--json"],
                      ["predict", "--routing", "te", "--order", order, "--routes"]]:
            result = run(words[0], *case, *words[1:], first)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("which is read and would be lost", result.stderr)
        self.assertEqual(first.read_text(), before)


class Routes(program.InFolder):
    def test_stdout_takes_one_json_object_only(self):
        hosts = run("place", *SMALL_CASE, "--effort", "fast", "--format", "hostfile").stdout
        words = ["predict", *SMALL_CASE, "--routing", "te", "--order", self.write("order", hosts), "--routes"]
        result = run(*words, "-", "--json")
        self.assertEqual(result.returncode, 2)
        self.assertIn("takes only one of them", result.stderr)
        self.assertEqual(json.loads(result.stdout)["schema"], "zonecut.error/v1")
        result = run(*words, self.folder / "routes.json", "--json")
        self.assertEqual(json.loads(result.stdout)["schema"], "zonecut.prediction/v1")

    def test_routes_lead_from_nic_to_nic_over_neighbours(self):
        order = self.folder / "order"
        self.assertEqual(run("place", *SMALL_CASE, "--effort", "fast", "--format", "hostfile", "-o", order).returncode, 0)
        for scheme in ("te", "pinned"):
            file = self.folder / "routes.json"
            result = run("predict", *SMALL_CASE, "--order", order, "--routing", scheme, "--routes", file)
            self.assertEqual(result.returncode, 0, result.stderr)
            written = json.loads(file.read_text(encoding="utf-8"))
            self.assertEqual(written["schema"], "zonecut.routes/v1")
            for phase in written["phases"]:
                passed = 0
                for route in phase["routes"]:
                    hops = route["hops"]
                    self.assertEqual((hops[0]["from"], hops[-1]["to"]), (route["from"], route["to"]))
                    for before, after in zip(hops, hops[1:]):
                        self.assertEqual(before["to"], after["from"])
                    passed += len(hops) - 1 if len(hops) > 2 else 0
                self.assertEqual(phase["rules"], passed if scheme == "te" else 0)

    def test_flows_that_are_not_followed_have_no_routes(self):
        for scheme in ("ideal", "ecmp"):
            result = run("predict", *SMALL_CASE, "--order", SMALL / "x", "--routing", scheme, "--routes", "r.json")
            self.assertEqual(result.returncode, 2)
            self.assertIn("--routes", result.stderr)


if __name__ == "__main__":
    program.main()
