"""Where output goes and how it looks: files whole or not at all, pipes, closed streams, terminals."""
import json
import os
import pty
import resource
import shutil
import signal
import subprocess
import time
import unittest

import program
from program import PROGRAM, run


def on_terminal(*words, columns="80", **environment):
    """What the program writes to a terminal, and its exit code."""
    try:
        leader, follower = pty.openpty()
    except OSError as error:  # a chroot without /dev/pts
        raise unittest.SkipTest(f"no pseudo-terminal can be had here: {error}") from error
    fixed = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm", "COLUMNS": columns}
    with subprocess.Popen([PROGRAM, *map(str, words)], stdin=subprocess.DEVNULL, stdout=follower,
                          stderr=subprocess.PIPE, env={**fixed, **environment}) as process:
        os.close(follower)
        text = b""
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:  # how Linux says that the other side is closed
                break
            if not part:
                break
            text += part
        process.stderr.read()
        code = process.wait(timeout=100)
    os.close(leader)
    return text.decode(), code


class Files(program.InFolder):
    def test_a_mapping_has_one_slot_a_line_and_each_only_once(self):
        path = self.folder / "mapping"
        self.assertEqual(run(*self.map, "-o", path).returncode, 0)
        slots = [int(line) for line in path.read_text().splitlines()]
        self.assertEqual(len(slots), 4)
        self.assertEqual(len(set(slots)), 4)
        self.assertTrue(all(0 <= slot < 6 for slot in slots))

    def test_nothing_else_is_left_beside_a_result(self):
        before = set(os.listdir(self.folder))
        self.assertEqual(run(*self.map, "-o", self.folder / "mapping").returncode, 0)
        self.assertEqual(set(os.listdir(self.folder)) - before, {"mapping"})

    def test_a_file_that_may_not_be_written_is_not_replaced(self):
        path = self.write("mapping", "old\n")
        path.chmod(0o444)
        # Root may write everything, unless that is taken from it.
        alike = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []
        if alike and (shutil.which("setpriv") is None or subprocess.run([*alike, "true"], check=False).returncode):
            self.skipTest("root cannot be kept from writing here")
        words = [*alike, PROGRAM, *map(str, self.map), "-o", str(path)]
        result = subprocess.run(words, capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("cannot be written: Permission denied", result.stderr)
        self.assertEqual(path.read_text(), "old\n")

    def test_a_result_is_replaced_in_one_step_and_keeps_its_mode(self):
        path = self.write("mapping", "old\n")
        path.chmod(0o640)
        inode = path.stat().st_ino
        with open(path, encoding="utf-8") as reader:
            self.assertEqual(run(*self.map, "-o", path).returncode, 0)
            self.assertEqual(reader.read(), "old\n")  # who reads the old file reads all of it
        self.assertNotEqual(path.stat().st_ino, inode)
        self.assertEqual(path.stat().st_mode & 0o777, 0o640)

    def test_a_link_stays_a_link(self):
        path = self.write("real", "old\n")
        link = self.folder / "link"
        link.symlink_to(path)
        self.assertEqual(run(*self.map, "-o", link).returncode, 0)
        self.assertTrue(link.is_symlink())
        self.assertNotEqual(path.read_text(), "old\n")

    def test_a_failed_run_leaves_the_old_result(self):
        path = self.write("mapping", "old\n")
        few = self.write("few", "0 0 1\n")
        self.assertEqual(run("map", "--graph", self.graph, "--tree", few, "-o", path).returncode, 2)
        self.assertEqual(path.read_text(), "old\n")
        self.assertEqual(sorted(os.listdir(self.folder)), ["few", "graph", "mapping", "tree"])

    def test_an_interrupted_run_leaves_no_temporary_file(self):
        ring = "".join(f"{(i - 1) % 4000 + 1} {(i - 1) % 4000 % 7 + 1} {(i + 1) % 4000 + 1} {i % 7 + 1}\n"
                       for i in range(4000))
        graph = self.write("ring", "4000 4000 1\n" + ring)
        tree = self.write("wide", "0 0 1000\n0 1 1500\n0 2 1800\n")
        before = set(os.listdir(self.folder))
        words = ["map", "--graph", graph, "--tree", tree, "--effort", "thorough", "-o",
                 self.folder / "mapping"]
        with subprocess.Popen([PROGRAM, *map(str, words)], stdout=subprocess.DEVNULL) as process:
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            code = process.wait(timeout=100)
        self.assertIn(code, (-signal.SIGINT, 0))
        self.assertLessEqual(set(os.listdir(self.folder)) - before, {"mapping"})
        if code == 0:
            self.assertEqual(len((self.folder / "mapping").read_text().splitlines()), 4000)

    def test_a_full_disk_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run([PROGRAM, *map(str, self.map)], stdout=full, text=True,
                                    stderr=subprocess.PIPE, check=False)
        self.assertEqual(result.returncode, 4)
        self.assertIn("No space left", result.stderr)


    def test_a_result_beyond_the_limit_of_file_sizes_is_a_failure_and_leaves_nothing(self):
        before = sorted(os.listdir(self.folder))
        words = ["topology", "export", "--to", "dot", program.SMALL / "cluster.yaml",
                 "-o", self.folder / "a.dot"]
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))
        result = subprocess.run([PROGRAM, *map(str, words)], stdout=subprocess.DEVNULL, text=True,
                                stderr=subprocess.PIPE, preexec_fn=limit, check=False)
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("File too large", result.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before)


class Streams(program.InFolder):
    def test_a_dash_writes_to_stdout_and_the_figures_to_stderr(self):
        result = run(*self.map, "-o", "-")
        self.assertEqual(len(result.stdout.splitlines()), 4)
        self.assertIn("zone_cut", result.stderr)

    def test_a_byte_order_mark_is_passed_over(self):
        graph = self.write("marked", "\ufeff" + program.GRAPH)
        tree = self.write("marked-tree", "\ufeff" + program.TREE)
        places = self.write("marked-coords", "\ufeff" + "0 0 0\n0 0 1\n0 0 2\n0 0 3\n")
        result = run("map", "--graph", graph, "--tree", tree, "--coords", places,
                     "--effort", "fast")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_stdin_can_be_read(self):
        result = run("map", "--graph", "-", "--tree", self.tree, stdin=program.GRAPH)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_json_is_one_object_with_the_promised_fields(self):
        figures = json.loads(run(*self.map, "--json").stdout)
        for name in ["cost", "zone_cut", "lower_bound", "gap", "seconds"]:
            self.assertIn(name, figures)
        # A path of weight 10, 10, 10 closed by 1, into zones of 2 and 4: all fit into the second.
        self.assertEqual(figures["zone_cut"], 0)

    def test_the_same_seed_gives_the_same_bytes(self):
        outputs = {run("place", *program.SMALL_JOB, "--format", "hostfile", "--seed", "7").stdout
                   for _ in range(2)}
        self.assertEqual(len(outputs), 1)
        self.assertEqual(len(outputs.pop().splitlines()), 16)

    def test_neither_threads_nor_the_place_of_the_output_change_a_byte(self):
        place = ["place", *program.SMALL_JOB, "--json"]
        one = run(*place, "--threads", "1").stdout
        for other in [["--threads", "2"], ["--threads=2"], ["-o", "-"]]:
            self.assertEqual(run(*place, *other).stdout, one, other)
        self.assertIn(" --effort fast", json.loads(one)["provenance"]["command"])
        report = ["report", *program.SMALL_JOB]
        path = self.folder / "report.json"
        run(*report, "--json", path, "--html", self.folder / "report.html")
        self.assertEqual(path.read_text(encoding="utf-8"), run(*report, "--json", "-").stdout)

    def test_a_reader_that_goes_away_ends_the_program_quietly(self):
        reader, writer = os.pipe()
        os.close(reader)
        result = subprocess.run([PROGRAM, "--help"], stdout=writer, stderr=subprocess.PIPE,
                                check=False)
        os.close(writer)
        self.assertEqual((result.returncode, result.stderr), (0, b""))

    def test_of_two_files_none_is_replaced_where_one_cannot_be(self):
        page = self.write("page.html", "before")
        result = run("report", *program.SMALL_JOB, "--html", page, "--json",
                     self.folder / "none" / "report.json")
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertEqual(page.read_text(), "before")
        self.assertEqual([path.name for path in self.folder.glob(".*")], [])

    def test_the_file_stays_where_the_reader_of_the_page_goes_away(self):
        path = self.folder / "report.json"
        reader, writer = os.pipe()
        os.close(reader)
        words = ["report", *program.SMALL_JOB, "--html", "-", "--json", path]
        result = subprocess.run([PROGRAM, *map(str, words)], stdout=writer, check=False)
        os.close(writer)
        self.assertEqual(result.returncode, 0)
        json.loads(path.read_text(encoding="utf-8"))

    def test_a_reader_that_goes_away_is_no_failure_by_another_name(self):
        reader, writer = os.pipe()
        os.close(reader)
        result = subprocess.run([PROGRAM, *map(str, self.map), "-o", "/dev/stdout"], stdout=writer,
                                stderr=subprocess.PIPE, check=False)
        os.close(writer)
        self.assertEqual((result.returncode, result.stderr), (0, b""))

    def test_links_and_long_names(self):
        (self.folder / "link").symlink_to("target")
        self.assertEqual(run(*self.map, "-o", self.folder / "link").returncode, 0)
        self.assertTrue((self.folder / "link").is_symlink())
        self.assertEqual(len((self.folder / "target").read_text().splitlines()), 4)
        (self.folder / "round").symlink_to("round")
        self.assertEqual(run(*self.map, "-o", self.folder / "round").returncode, 4)
        self.assertEqual(run(*self.map, "-o", self.folder / ("n" * 255)).returncode, 0)

    def test_a_failure_keeps_its_exit_code_when_the_reader_of_its_json_is_gone(self):
        no_room = ["--cluster", program.EXAMPLES / "05-no-room" / "cluster.yaml",
                   "--job", program.EXAMPLES / "05-no-room" / "job.yaml"]
        step = ["slurm-order", *program.SMALL_CASE, "--on", "a-r1-s1,c-r2-s2", "--tasks", "2"]
        for words, code in [(["place", "--cluster", "/none", "--job", "tp=8", "--json"], 2),
                            (["plce", "--json"], 2), (["place", *no_room, "--json"], 3),
                            (["report", *no_room, "--json", "-"], 3),
                            ([*step, "--nodes", "3", "--json"], 2)]:
            reader, writer = os.pipe()
            os.close(reader)
            result = subprocess.run([PROGRAM, *map(str, words)], stdout=writer,
                                    stderr=subprocess.PIPE, check=False)
            os.close(writer)
            self.assertEqual(result.returncode, code, words)
            self.assertTrue(result.stderr, words)

    def test_stderr_says_why_nothing_fits_where_stdout_takes_nothing(self):
        folder = program.EXAMPLES / "05-no-room"
        words = ["place", "--cluster", folder / "cluster.yaml", "--job", folder / "job.yaml", "--json"]
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run([PROGRAM, *map(str, words)], stdout=full, text=True,
                                    stderr=subprocess.PIPE, check=False)
        self.assertEqual(result.returncode, 4)
        self.assertIn("no placement exists", result.stderr)

    def test_a_closed_stdout_is_a_failure_and_no_file_takes_its_place(self):
        path = self.folder / "mapping"
        words = " ".join(f"'{word}'" for word in [PROGRAM, *self.map, "-o", path])
        result = subprocess.run(["sh", "-c", f"{words} >&-"], stderr=subprocess.PIPE, text=True,
                                check=False)
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertEqual(len(path.read_text().splitlines()), 4)

    def test_the_lines_of_placements_and_mappings_are_ascii(self):
        # Eight rings of eight ranks, joined in a pipeline.
        lines = ["64 120 1"]
        for stage in range(8):
            for rank in range(8):
                beside = [(stage, (rank + step) % 8, 9) for step in (1, 7)]
                beside += [(other, rank, 1) for other in (stage - 1, stage + 1) if 0 <= other < 8]
                lines.append(" ".join(f"{1 + 8 * to + at} {bytes}" for to, at, bytes in beside))
        graph, tree = self.write("product", "\n".join(lines) + "\n"), self.write("zones", "0 0 24\n0 1 24\n0 2 16\n")
        for words in [["place", *program.SMALL_JOB], ["map", "--graph", graph, "--tree", tree]]:
            result = run(*words)
            self.assertIn(" x ", result.stdout)
            self.assertTrue(result.stdout.isascii(), result.stdout)

    def test_every_format_of_a_placement_can_be_written(self):
        for form in ["text", "json", "hostfile", "rankfile", "slurm"]:
            result = run("place", *program.SMALL_JOB, "--format", form)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertTrue(result.stdout.endswith("\n"), form)

    def test_options_for_srun_that_no_program_can_be_given_are_remarked_upon(self):
        for servers, remarked in [(16, False), (88, True)]:
            cluster = self.write("c.yaml", "format: cluster/v1\nserver_name: " + "x" * 200 + "{n}\n"
                                           f"domains:\n  - {{zone: a, rack: r, servers: {servers}}}\n")
            result = run("place", "--cluster", cluster, "--job", f"tp=8,dp={servers}", "--effort", "fast",
                         "--format", "slurm")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual("SLURM_HOSTFILE" in result.stderr, remarked, result.stderr)

    def test_predict_gives_the_figures_of_the_placement_it_is_given_back(self):
        hosts = run("place", *program.SMALL_JOB, "--format", "hostfile").stdout
        placed = json.loads(run("place", *program.SMALL_JOB, "--json").stdout)
        result = run("predict", *program.SMALL_CASE, "--order", "-", "--json", stdin=hosts)
        self.assertEqual(result.returncode, 0, result.stderr)
        predicted = json.loads(result.stdout)
        self.assertEqual(predicted["schema"], "zonecut.prediction/v1")
        for name in ["cross_zone_bytes", "communication_seconds", "binding_link"]:
            self.assertEqual(predicted["metrics"][name], placed["metrics"][name], name)

    def test_text_and_json_name_the_same_links_and_print_every_term(self):
        text = run("place", *program.SMALL_JOB).stdout
        metrics = json.loads(run("place", *program.SMALL_JOB, "--format", "json").stdout)["metrics"]
        lines = {line[:15].strip(): line[15:] for line in text.splitlines() if line[:15].strip()}
        self.assertEqual(lines["binding link"], f"phase {metrics['binding_phase']}: {metrics['binding_link']}")
        self.assertEqual(lines["cost J"].split(", bytes")[0], f"{metrics['cost']:,}")
        self.assertIn("phase tp takes longer", text)  # which no placement could help
        self.assertEqual(lines["left free"], "32 GPUs, 4 whole servers, at most 4 of them in one zone")
        self.assertIn("GB was found, but it takes longer", lines["smaller cut"])

    def test_tensor_parallel_groups_between_servers_are_said(self):
        for command, order in [("place", []), ("predict", ["--order", "-"])]:
            for job, split in [("tp=6,dp=4", True), ("tp=6,dp=4,ranks_per_server=6", False)]:
                words = [*program.SMALL_CASE[:2], "--job", job]
                hosts = run("place", *words, "--format", "hostfile").stdout
                result = run(command, *words, *order, stdin=hosts if order else "")
                self.assertEqual(result.returncode, 0, result.stderr)
                for says in ["tp: 2 of 4 tensor-parallel groups are split between servers",
                             "ranks_per_server=6 keeps each on one server"]:
                    self.assertEqual(says in result.stdout, split, result.stdout)

    def test_a_phase_that_waits_for_nvlink_is_not_said_to_stay_in_servers(self):
        cluster = self.write("fast.yaml", (program.SMALL / "cluster.yaml").read_text("utf-8").replace(
            "backend: {", "backend: {nic_bandwidth: 800Gbps, "))
        words = ["--cluster", cluster, "--job", "dp=64,model=llama3-8b"]
        placed = run("place", *words)
        self.assertIn("binding link   none, phase dp waits for NVLink\n", placed.stdout)
        order = self.write("order", run("place", *words, "--format", "hostfile").stdout)
        asked = run("whatif", *words, "--order", order, "--if", "oversubscription=2.8")
        self.assertIn("binding link   none, it waits for NVLink\n", asked.stdout)
        alone = self.write("alone", "a-r1-s1\n")
        asked = run("whatif", "--cluster", cluster, "--job", "dp=1,model=llama3-8b", "--order", alone, "--if",
                    "oversubscription=2.8")
        self.assertIn("binding link   nothing is sent\n", asked.stdout)

    def test_no_link_is_said_to_bind_where_connections_wait_for_their_receivers(self):
        words = [*program.SMALL_JOB, "--admission-window", "64KiB"]
        self.assertIn("binding link   phase dp: none, connections wait for their receivers\n", run("place", *words).stdout)
        found = json.loads(run("place", *words, "--json").stdout)
        self.assertIsNone(found["metrics"]["binding_link"])
        self.assertEqual(found["metrics"]["binding_phase"], "dp")
        self.assertTrue(any(reason.endswith("; its connections wait for their receivers") for reason in found["reasons"]))
        report = run("report", *words, COLUMNS="120").stdout
        self.assertIn("connections of phase dp wait for their receivers.\n", report)
        self.assertNotIn("  *  ", report)
        self.assertIn("  its receivers\n", report)
        order = self.write("order", run("place", *words, "--format", "hostfile").stdout)
        asked = run("whatif", *program.SMALL_CASE, "--order", order, "--effort", "fast", "--if",
                    "admission-window=64KiB").stdout
        self.assertIn("binding link   none, connections of phase dp wait for their receivers\n", asked)

    def test_predict_finds_a_ring_that_wanders_between_zones(self):
        names = [f"a-r{i}-s{j}" for i in range(1, 5) for j in (1, 2)]
        names += [f"{z}-r{i}-s{j}" for z, i in [("b", 1), ("b", 2), ("c", 1), ("c", 2)]
                  for j in (1, 2)]
        mixed = [name for pair in zip(names[:8], names[8:]) for name in pair]
        result = run("predict", *program.SMALL_CASE, "--order", "-", "--json",
                     stdin="\n".join(mixed) + "\n")
        self.assertEqual(result.returncode, 0, result.stderr)
        rules = {finding["rule"] for finding in json.loads(result.stdout)["findings"]}
        self.assertIn("zone-changes", rules)

    def test_a_server_that_takes_several_places_is_listed_once(self):
        cluster = self.write("c.yaml", "format: cluster/v1\ndomains:\n"
                                       "  - {zone: a, rack: 'r[1-2]', servers: 1}\n")
        result = run("place", "--cluster", cluster, "--job", "tp=4,dp=4,ranks_per_server=4",
                     "--effort", "fast")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("16 ranks on 2 servers\n", result.stdout)
        self.assertRegex(result.stdout, r"a: 2 servers, 4 places of 4 ranks each\n  a-r\[")

    def test_servers_that_no_host_list_can_name_stand_on_lines_of_their_own(self):
        cluster = self.write("c.yaml", "format: cluster/v1\ndomains:\n  - zone: a\n    rack: r\n"
                                       "    servers: [{name: 'gpu [1]'}, {name: 'b,c'}]\n")
        result = run("place", "--cluster", cluster, "--job", "tp=8,dp=2", "--effort", "fast")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        at = lines.index("a: 2 servers")
        self.assertEqual(sorted(lines[at + 1:]), ["  b,c", "  gpu [1]"])

    def test_columns_are_as_wide_as_names_and_counts_are_grouped(self):
        cluster = self.write("c.yaml", "format: cluster/v1\nlevels: [availability-zone, rack]\nserver_name: 's{number}'\n"
                                       "domains:\n  - {availability-zone: a, rack: 'r[1-150]', servers: 4}\n"
                                       "  - {availability-zone: zone-in-the-hall-beside-the-fjord, rack: r1, servers: 2}\n")
        shown = run("topology", "show", cluster).stdout.splitlines()
        levels = [row for row in shown if row.startswith(("  level", "  cluster", "  availability-zone  ", "  rack"))]
        self.assertEqual(levels[0].index("switches"), levels[1].index("ATSW"))
        self.assertEqual({row.index("TSW") for row in levels[1:4]}, {levels[1].index("TSW")})
        zones = [row for row in shown if row.startswith(("  a ", "  zone-in"))]
        self.assertEqual(len({len(row) for row in zones}), 1, shown)
        self.assertEqual([row.split()[1:] for row in zones], [["600", "4,800", "4,800", "600"], ["2", "16", "16", "2"]])
        placed = run("place", "--cluster", cluster, "--job", "tp=8,dp=512", "--effort", "fast").stdout
        self.assertIn("4,096 ranks on 512 servers", placed)

    def test_scale_up_domains_of_several_servers_are_shown(self):
        rows = ["{zone: a, rack: r1, servers: 18}", "{zone: a, rack: r2, servers: 4, gpus: 8}"]
        for scale_up, says in [("{servers: 18}", "2 scale-up domains of several servers, 32 to 72 GPUs in each\n"),
                               ("none", None)]:
            cluster = self.write("wide.yaml", "format: cluster/v1\ngpus: 4\nscale_up: " + scale_up +
                                 "\ndomains: [" + ", ".join(rows) + "]\n")
            text = run("topology", "show", cluster).stdout
            found = json.loads(run("topology", "show", cluster, "--json").stdout)["scale_up_domains"]
            if says:
                self.assertIn(says, text)
            else:
                self.assertNotIn("scale-up", text)
            self.assertEqual(found, {"count": 2, "least_gpus": 32, "most_gpus": 72} if says
                             else {"count": 0, "least_gpus": 0, "most_gpus": 0})

    def test_only_the_given_servers_are_used(self):
        hosts = "a-r[1-5]-s[1-2],b-r[1-3]-s[1-2]"
        result = run("place", *program.SMALL_JOB, "--on", hosts, "--format", "hostfile")
        self.assertEqual(result.returncode, 0, result.stderr)
        expected = {f"a-r{i}-s{j}" for i in range(1, 6) for j in (1, 2)}
        expected |= {f"b-r{i}-s{j}" for i in range(1, 4) for j in (1, 2)}
        self.assertEqual({line.split()[0] for line in result.stdout.splitlines()}, expected)

    def test_who_has_time_gets_the_least_cut(self):
        cluster = self.write("cluster.yaml", """format: cluster/v1
name: uneven
levels: [zone, rack]
backend: {nic_bandwidth: 400Gbps, oversubscription: 7}
domains:
  - {zone: a, rack: "a[01-21]", servers: 2}
  - {zone: b, rack: "b[01-17]", servers: 2}
  - {zone: c, rack: "c[01-12]", servers: 2}
""")
        sizes = "tp=4,pp=8,dp=25,model=llama3-70b"
        job = self.write("job.yaml", """format: job/v1
model: llama3-70b
parallelism: {tp: 4, pp: 8, dp: 25}
placement: {time_tolerance: 100%}
""")

        def placed(job, *words):
            result = run("place", "--cluster", cluster, "--job", job, "--json", *words)
            return json.loads(result.stdout)

        fastest = placed(sizes)
        least = min(each["cross_zone_bytes"] for each in fastest["candidates"])
        self.assertGreater(fastest["metrics"]["cross_zone_bytes"], least)
        for patient in [placed(sizes, "--time-tolerance", "100%"), placed(job)]:
            self.assertEqual(patient["metrics"]["cross_zone_bytes"], least)
            self.assertGreater(patient["metrics"]["communication_seconds"],
                               fastest["metrics"]["communication_seconds"])
        hurried = placed(job, "--time-tolerance", "0.5%")
        self.assertEqual(hurried["metrics"]["cross_zone_bytes"],
                         fastest["metrics"]["cross_zone_bytes"])


    def test_a_cut_far_above_its_bound_is_said_in_times(self):
        # Each vertex beside its neighbours and its inverse modulo 199: no half of them has few borders.
        near = {(i, (i + 1) % 199) for i in range(199)} | {(i, pow(i, -1, 199)) for i in range(1, 199)}
        both = {(i, j) for i, j in near if i != j} | {(j, i) for i, j in near if i != j}
        lines = [" ".join(f"{j + 1} 1" for k, j in sorted(both) if k == i) for i in range(199)]
        words = ["map", "--graph", self.write("g", "\n".join([f"199 {len(both) // 2} 1", *lines, ""])),
                 "--tree", self.write("t", "0 0 100\n0 1 100\n"), "--effort", "fast"]
        figures = json.loads(run(*words, "--json").stdout)
        times = figures["zone_cut"] / figures["lower_bound"]
        self.assertGreater(times, 2)
        self.assertAlmostEqual(figures["gap"], times - 1)
        self.assertIn(f"\ngap          {times - 1:.4f}  (zone_cut is {times:.3g} times lower_bound)\n",
                      run(*words).stdout)
        hosts = [f"{zone}-r{rack}-s{i}" for zone, racks in [("a", 5), ("b", 3)]
                 for rack in range(1, racks + 1) for i in (1, 2)]
        for order in [hosts, sorted(hosts, key=lambda host: host[::-1])]:
            path = self.write("order", "\n".join(order) + "\n")
            words = ["predict", *program.SMALL_CASE, "--order", path]
            gap = json.loads(run(*words, "--json").stdout)["metrics"]["gap"]
            said = f", {gap * 100:.1f} % above it (" if gap <= 1 else f", and {1 + gap:.3g} times as much is sent ("
            self.assertIn(said, run(*words).stdout, order)
        self.assertGreater(gap, 1)


class Terminals(program.InFolder):
    def test_a_pipe_gets_no_colour(self):
        result = run("report", *program.SMALL_JOB)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("\x1b", result.stdout)

    def test_a_terminal_gets_colour_unless_it_says_no(self):
        text, code = on_terminal("report", *program.SMALL_JOB)
        self.assertEqual(code, 0)
        self.assertIn("\x1b[", text)
        text, _ = on_terminal("report", *program.SMALL_JOB, NO_COLOR="1")
        self.assertNotIn("\x1b", text)

    def test_a_narrow_terminal_is_not_overrun(self):
        text, code = on_terminal("report", *program.SMALL_JOB, columns="60", NO_COLOR="1")
        self.assertEqual(code, 0)
        widest = max(text.replace("\r", "").splitlines(), key=len)
        self.assertLessEqual(len(widest), 60, widest)

    def test_an_old_locale_gets_plain_letters(self):
        result = run("report", *program.SMALL_JOB, LC_ALL="C")
        self.assertTrue(result.stdout.isascii())


if __name__ == "__main__":
    program.main()
