"""Exit codes and messages: what scripts and people rely on when something is wrong."""
import json
import re
import subprocess

import program
from program import run


class ExitCodes(program.InFolder):
    def wrong(self, *words, code=2, says=()):
        result = run(*words)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertTrue(result.stderr.startswith("zonecut: "), result.stderr)
        for text in says:
            self.assertIn(text, result.stderr)
        return result

    def test_a_done_command_exits_with_0_and_says_nothing_on_stderr(self):
        result = run(*self.map)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_a_wrong_command_is_met_with_the_nearest_one(self):
        self.wrong("plce", "--cluster", "x", says=['no command "plce"', "did you mean place?"])
        self.wrong("topology", "shw", says=['no command "shw"', "did you mean show?"])

    def test_a_wrong_option_is_met_with_the_nearest_one(self):
        self.wrong(*self.map, "--efort", "fast", says=["--efort", "did you mean --effort?"])

    def test_a_missing_option_is_named(self):
        self.wrong("map", "--graph", self.graph, says=["--tree is required"])

    def test_a_command_without_its_own_command_is_bad_input(self):
        self.wrong("topology", says=["a command is missing"])

    def test_wrong_values_are_met_with_what_was_expected(self):
        self.wrong("map", "--graph", self.graph, "--tree", self.tree, "--effort", "thorogh",
                   says=["did you mean thorough?"])
        self.wrong(*self.map, "--seed", "many", says=["--seed"])
        self.wrong(*self.map, "--seed", "-1", says=["--seed"])
        self.wrong(*self.map, "--threads", "0", says=["--threads"])
        self.wrong(*self.map, "--distances", "1:x", says=["--distances", "1:10:100:1000"])

    def test_a_file_that_is_not_there_is_bad_input(self):
        self.wrong("map", "--graph", self.folder / "none", "--tree", self.tree, says=["none"])

    def test_mistakes_in_a_file_are_all_told_with_line_and_column(self):
        cluster = self.write("c.yaml", "format: cluster/v1\nnmae: x\nlevels: [zone, rack]\n"
                                       "domains:\n  - {zone: a, rack: r, servers: 1, gpu: 8}\n")
        result = self.wrong("topology", "validate", cluster)
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), 2, result.stderr)
        self.assertTrue(lines[0].startswith(f"zonecut: {cluster}:2:1: "), lines[0])
        self.assertTrue(lines[1].startswith(f"zonecut: {cluster}:5:"), lines[1])

    def test_too_few_slots_are_bad_input(self):
        self.wrong("map", "--graph", self.graph, "--tree", self.write("few", "0 0 1\n"))

    def test_no_placement_is_3_with_the_constraint_that_forbids_it(self):
        folder = program.EXAMPLES / "05-no-room"
        result = self.wrong("place", "--cluster", folder / "cluster.yaml", "--job",
                            folder / "job.yaml", code=3, says=["no placement exists"])
        self.assertIn("zone", result.stderr)
        self.assertEqual(result.stdout, "")

    def test_a_file_that_cannot_be_written_is_4(self):
        self.wrong(*self.map, "-o", self.folder / "no" / "such" / "folder", code=4)
        self.wrong(*self.map, "-o", self.folder, code=4, says=["is a directory"])

    def test_with_json_a_failure_is_one_object_on_stdout_too(self):
        for words, code, name in [
            (["map", "--json"], 2, "bad-input"),
            (["plce", "--json"], 2, "bad-input"),
            (["place", *program.SMALL_JOB, "--state", "/none", "--format", "json"], 2, "bad-input"),
            (["report", *program.SMALL_JOB, "--state", "/none", "--json", "-"], 2, "bad-input"),
            ([*self.map, "--json", "-o", self.folder], 4, "io-failed"),
        ]:
            result = self.wrong(*words, code=code)
            error = json.loads(result.stdout)
            self.assertEqual(error["schema"], "zonecut.error/v1")
            self.assertEqual((error["code"], error["exit"]), (name, code))
            self.assertTrue(error["problems"][0]["what"])

    def test_names_that_are_no_utf8_do_not_break_the_error_object(self):
        result = run("topology", "validate", "--json", b"\xff\xfe".decode(errors="surrogateescape"))
        self.assertEqual(result.returncode, 2)
        self.assertEqual(json.loads(result.stdout)["code"], "bad-input")

    def test_a_stdout_that_takes_nothing_is_4_with_json_too(self):
        for words in [["place", *program.SMALL_JOB, "--json"], [*self.map, "--json"]]:
            with open("/dev/full", "w", encoding="utf-8") as full:
                result = program.subprocess.run([program.PROGRAM, *map(str, words)], stdout=full,
                                                stderr=program.subprocess.PIPE, check=False)
            self.assertEqual(result.returncode, 4, result.stderr)

    def test_two_options_cannot_read_stdin(self):
        self.wrong("place", "--cluster", "-", "--job", "-", says=["--job", "--cluster reads"])

    def test_an_empty_list_of_servers_is_no_list(self):
        self.wrong("place", *program.SMALL_JOB, "--on", "", says=["--on: names no server"])

    def test_a_tolerance_is_a_percentage(self):
        for text in ["2", "101%", "-1%", "two%", ""]:
            self.wrong("place", *program.SMALL_JOB, "--time-tolerance", text,
                       says=["--time-tolerance: found", "expected a percentage from 0% to 100%"])

    def test_an_order_that_failed_links_part_cannot_run(self):
        state = self.write("state.yaml", "format: state/v1\nhealth:\n  failed_switches: ["
                           + ", ".join(f"ATSW-{i}" for i in range(1, 5)) + "]\n")
        order = self.write("order", "".join(f"{name}\n" for name in
                           [f"a-r{i}-s{j}" for i in range(1, 6) for j in (1, 2)]
                           + [f"b-r{i}-s{j}" for i in range(1, 4) for j in (1, 2)]))
        words = ["predict", *program.SMALL_CASE, "--state", state, "--order", order]
        result = self.wrong(*words, code=3, says=["this order cannot run", "failed links",
                                                  "no working link leads up from a"])
        self.assertEqual(result.stdout, "")
        refusal = json.loads(self.wrong(*words, "--json", code=3).stdout)
        self.assertEqual(refusal["schema"], "zonecut.refusal/v1")
        self.assertEqual({b["constraint"] for b in refusal["blockers"]}, {"failed links"})

    def test_an_order_with_flows_that_have_no_path_cannot_run(self):
        cluster = self.write("cluster.yaml", "format: cluster/v1\nname: t\ngpus: 4\nbackend:\n"
                             "  nics_per_server: 4\n  leaves: rail\n"
                             "  tiers: {rack: {switches: 4, uplinks: 4}, zone: {switches: 4}}\n"
                             "domains: [{zone: z, rack: r, servers: 2}]\n")
        state = self.write("state.yaml", "format: state/v1\nhealth:\n  links: [{between: "
                           "[z-r-s1, z/r/RTSW-2], remaining: down}]\n")
        order = self.write("order", "z-r-s1\nz-r-s2\n")
        words = ["predict", "--cluster", cluster, "--state", state, "--order", order,
                 "--job", "tp=4,dp=2,model=llama3-8b", "--routing"]
        self.assertEqual(run(*words, "ideal").returncode, 0)
        for routing in ["te", "pinned", "ecmp"]:
            self.wrong(*words, routing, code=3, says=["this order cannot run", "no working path"])
            refusal = json.loads(self.wrong(*words, routing, "--json", code=3).stdout)
            self.assertEqual(refusal["blockers"][0]["constraint"], "failed links")

    def test_a_job_file_that_says_no_size_is_no_job_of_one_rank(self):
        cluster = ["--cluster", program.SMALL / "cluster.yaml"]
        for text in ["", "{}", "# nothing\n", "---\n", "format: job/v1\n", "model: llama3-8b\n"]:
            job = self.write("job.yaml", text)
            for words in [["place", *cluster, "--effort", "fast"], ["report", *cluster]]:
                self.wrong(*words, "--job", job, says=[f"{job}:1:1: says nothing", "parallelism"])
        self.wrong("place", *cluster, "--job", "/dev/null", says=["/dev/null:1:1: says nothing"])
        self.wrong("slurm-order", *cluster, "--on", "a-r1-s1", "--tasks", "1", "--job",
                   self.write("job.yaml", ""), says=["job.yaml:1:1: says nothing"])
        for text in ["parallelism: {}\n", "gpus: 1\n"]:
            result = run("place", *cluster, "--effort", "fast", "--job", self.write("job.yaml", text))
            self.assertEqual(result.returncode, 0, result.stderr)
        result = run("place", *cluster, "--effort", "fast", "--job", "model=llama3-8b")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_cost_beyond_64_bits_is_refused_and_not_clamped(self):
        heavy = self.write("heavy", f"2 1 1\n2 {1 << 61}\n1 {1 << 61}\n")
        tree = self.write("apart", "0 0 1\n1 1 1\n")
        result = self.wrong("map", "--graph", heavy, "--tree", tree,
                            says=["heavy: ", "weight times distance does not fit 63 bits"])
        self.assertEqual(result.stdout, "")
        job = self.write("job.yaml", "gpus: 16\nmatrix:\n  - [0, 8, 1000PB]\n")
        cluster = self.write("c.yaml", "format: cluster/v1\ndomains:\n"
                                       "  - {zone: 'z[1-2]', rack: r, servers: 1}\n")
        self.wrong("place", "--cluster", cluster, "--job", job,
                   says=["job.yaml:1:1: ", "J, the sum of bytes times distance"])

    def test_what_is_wrong_with_a_job_on_a_cluster_has_its_line(self):
        cluster = ["--cluster", program.SMALL / "cluster.yaml"]
        job = self.write("job.yaml", "gpus: 32\nranks_per_server: 16\nmatrix: [[0, 31, 1MB]]\n")
        self.wrong("place", *cluster, "--job", job,
                   says=["job.yaml:2:19: ", "16 ranks a server, but the largest server has 8 GPUs"])
        job = self.write("job.yaml", "gpus: 32\nplacement:\n  slices: {zone: 24, rack: 4}\n"
                                     "matrix: [[0, 31, 1MB]]\n")
        result = self.wrong("place", *cluster, "--job", job,
                            says=["job.yaml:3:18: ", "job.yaml:3:28: "])
        self.assertEqual(len(result.stderr.splitlines()), 2)
        self.wrong("place", *cluster, "--job", "tp=8,dp=4,ranks_per_server=3",
                   says=["--job:1:11: ", "a divisor of the ranks"])

    def test_a_text_of_a_job_with_other_separators_says_what_is_expected(self):
        for text in ["tp=8;pp=4", "tp=8 pp=4"]:
            self.wrong("place", "--cluster", program.SMALL / "cluster.yaml", "--job", text,
                       says=[f'found "{text}"', "a comma between keys"])
        self.wrong("place", "--cluster", program.SMALL / "cluster.yaml", "--job", "tensor=8",
                   says=['unknown key "tensor"', "tp, cp, pp"])

    def test_mistakes_of_an_order_have_their_lines(self):
        names = [f"a-r{i}-s{j}" for i in range(1, 6) for j in (1, 2)]
        names += [f"b-r{i}-s{j}" for i in range(1, 4) for j in (1, 2)]
        order = self.write("order", "\ufeff" + "\n".join([*names[:15], names[3]]) + "\n")
        result = self.wrong("predict", *program.SMALL_CASE, "--order", order,
                            says=["order:16: ", "server a-r2-s2 has 8 GPUs"])
        self.assertEqual(len(result.stderr.splitlines()), 1)
        order = self.write("order", "zz\na[\na-r1-s1 slot=1\na-r1-s1 slots=3\n")
        result = self.wrong("predict", *program.SMALL_CASE, "--order", order)
        lines = [line.split(": ")[1].rsplit(":", 1)[1] for line in result.stderr.splitlines()]
        self.assertEqual(sorted(lines), ["1", "2", "3", "4"])

    def test_a_mapping_can_begin_with_one_that_was_written(self):
        mapping = self.folder / "first"
        self.assertEqual(run(*self.map, "-o", mapping).returncode, 0)
        again = run(*self.map, "--seed", "7", "--start", mapping, "-o", "-")
        self.assertEqual((again.returncode, again.stdout), (0, mapping.read_text()))
        self.wrong(*self.map, "--start", self.write("bad", "0\n0\n"), says=["bad:2:1", "taken"])
        self.wrong(*self.map, "--start", mapping, "-o", mapping, says=["--output"])

    def test_mistakes_of_a_map_name_the_file_or_the_option(self):
        few = self.write("few", "0 0 1\n")
        self.wrong("map", "--graph", self.graph, "--tree", few,
                   says=[f"{few}: has 1 free slots for the 4 vertices"])
        self.wrong(*self.map, "--distances", "1:5:3", says=["--distances"])
        heavy = self.write("heavy", f"3 2 1\n2 {1 << 61}\n1 {1 << 61} 3 {1 << 61}\n2 {1 << 61}\n")
        self.wrong("map", "--graph", heavy, "--tree", self.tree,
                   says=[f"{heavy}: all weights together do not fit 62 bits"])

    def test_an_empty_path_is_refused_wherever_a_path_is_asked_for(self):
        before = sorted(self.folder.iterdir())
        for words in [[*self.map, "-o", ""], [*self.map, "--coords", ""],
                      ["place", *program.SMALL_JOB, "-o", ""],
                      ["place", *program.SMALL_JOB, "--state", ""],
                      ["report", *program.SMALL_JOB, "--html", ""],
                      ["report", *program.SMALL_JOB, "--json", ""],
                      ["predict", *program.SMALL_CASE, "--order", ""],
                      ["topology", "show", ""], ["topology", "import", "--from", "csv", ""],
                      ["topology", "import", "--from", "csv", self.tree, "--name", ""]]:
            result = self.wrong(*words, says=["found an empty text", "--help"])
            self.assertEqual(result.stdout, "", words)
        self.assertEqual(sorted(self.folder.iterdir()), before)

    def test_an_option_without_its_value_is_named(self):
        self.wrong(*self.map, "-o", says=["--output: its value is missing"])

    def test_an_option_given_twice_or_too_early_is_said_to_be_so(self):
        self.wrong(*self.map, "--seed", "1", "--seed", "2", says=["--seed: it is given twice"])
        self.wrong("--cluster", "x", "place", says=["options stand after the command"])
        self.wrong("report", *program.SMALL_JOB, "--against", "foo", says=["dlrover, all or none"])
        self.wrong("report", *program.SMALL_JOB, "--against", "linear,all", says=["all stands beside other names"])
        self.wrong("report", *program.SMALL_JOB, "--against", "linear,linear",
                   says=["linear is named twice"])

    def test_no_result_takes_the_place_of_an_input_or_of_another_result(self):
        text = self.graph.read_text(encoding="utf-8")
        self.wrong(*self.map, "-o", self.graph, says=["--output", "would be lost"])
        self.assertEqual(self.graph.read_text(encoding="utf-8"), text)
        source = self.write("t.csv", "host,zone,rack\ns1,a,r\n")
        self.wrong("topology", "import", "--from", "csv", source, "-o",
                   self.folder / "." / "t.csv", says=["would be lost"])
        path = self.folder / "report"
        self.wrong("report", *program.SMALL_JOB, "--html", path, "--json", path,
                   says=["takes one of them"])
        self.assertFalse(path.exists())
        self.wrong("report", *program.SMALL_JOB, "--html", path, "--json", f"{self.folder}/./report",
                   says=["takes one of them"])
        self.assertFalse(path.exists())

    def test_an_order_that_is_read_is_not_overwritten_either(self):
        hosts = run("place", *program.SMALL_JOB, "--format", "hostfile").stdout
        order = self.write("order", hosts)
        link = self.folder / "link"
        link.symlink_to(order)
        for words in [["--keep", order], ["--on", f"@{order}"]]:
            for output in [order, link, self.folder / "." / "order"]:
                self.wrong("place", *program.SMALL_JOB, *words, "-o", output,
                           says=["--output", "would be lost"])
        self.assertEqual(order.read_text(encoding="utf-8"), hosts)

    def test_a_message_holds_nothing_that_a_terminal_obeys(self):
        result = self.wrong("place", *program.SMALL_JOB, "--on", "a\x1b[31m")
        self.assertNotIn("\x1b", result.stderr)
        order = self.folder / "order"
        order.write_text("a\u009b31m\u202e slots=8\n", encoding="utf-8")
        self.wrong("predict", *program.SMALL_CASE, "--order", order, says=['"a?31m?"'])
        order.write_text("".join(f"node{number}\n" for number in range(600)), encoding="utf-8")
        for words in [["predict", "--order", order], ["place", "--on", f"@{order}"]]:
            result = self.wrong(words[0], *program.SMALL_CASE, *words[1:],
                                says=[':1: the cluster has none of the 600 servers, such as "node0" (is the file of'])
            self.assertEqual(len(result.stderr.splitlines()), 1)
        for content, says in [("a slots=8\n".encode("utf-16"), ":1:1: found the byte 0xFF, expected UTF-8 text"),
                              (b"a\nb\xe4\n", ":2:2: found the byte 0xE4")]:
            order.write_bytes(content)
            result = self.wrong("predict", *program.SMALL_CASE, "--order", order, says=[says, "save the file as UTF-8"])
            self.assertEqual(len(result.stderr.splitlines()), 1)
        for name, says in [("a\x1b]0;x\x07b", "0x1B"), (b"a\xff".decode(errors="surrogateescape"), "0xFF")]:
            result = self.wrong("place", "--cluster", program.SMALL / "cluster.yaml", "--job",
                                f"name={name},tp=8", says=["--job:1:", says])
            self.assertEqual(result.stdout, "")

    def test_a_wrong_preset_is_met_with_the_nearest(self):
        self.wrong("place", "--cluster", program.SMALL / "cluster.yaml", "--job", "llama3-8",
                   says=["did you mean llama3-8b?"])

    def test_levels_of_an_import_that_cannot_be_name_their_origin(self):
        source = self.write("t.csv", "host,zone,rack\ns1,a,r\n")
        self.wrong("topology", "import", "--from", "csv", source, "--zone-level", "hall",
                   says=['--zone-level: there is no level "hall" (the levels are zone, rack)'])
        self.wrong("topology", "import", "--from", "csv", source, "--level", "zone=zone",
                   "--level", "zone=rack", says=["t.csv: level"])

    def test_options_of_an_import_that_say_nothing_of_its_format_are_refused(self):
        table = self.write("t.csv", "host,zone,rack\ns1,a,r\n")
        conf = self.write("topology.conf", "SwitchName=r Nodes=n[0-3]\n")
        own = self.write("c.yaml", run("topology", "import", "--from", "csv", table).stdout)
        for source, form, words, formats in [
            (conf, "slurm-conf", ["--server-column", "host"], "csv"),
            (conf, "slurm-conf", ["--level", "zone=zone"], "csv"),
            (conf, "slurm-conf", ["--gpu-column", "gpus"], "csv"),
            (table, "csv", ["--labels", "a,b"], "kubernetes-nodes"),
            (table, "csv", ["--topology", conf], "slurm-nodes"),
            (table, "csv", ["--state-output", "-"], "slurm-nodes or slurm-live"),
            (own, "zonecut", ["--name", "x"], "csv, slurm-conf"),
            (own, "zonecut", ["--zone-level", "rack"], "csv, slurm-conf"),
            (own, "zonecut", ["--gpus-per-server", "8"], "csv, slurm-conf"),
            (own, "zonecut", ["--oversubscription", "7"], "csv, slurm-conf"),
            (own, "zonecut", ["--nic-bandwidth", "400Gbps"], "csv, slurm-conf")]:
            result = self.wrong("topology", "import", "--from", form, source, *words, "-o", self.folder / "out",
                                says=[f"{words[0]}: says nothing of --from {form}", f"it is for {formats}"])
            self.assertEqual(result.stdout, "")
        self.wrong("topology", "import", "--from", "slurm-live", "--labels", "a", "--gpu-column", "b",
                   says=["--labels: says nothing of --from slurm-live", "--gpu-column: says nothing"])
        self.assertEqual(run("topology", "import", "--from", "zonecut", own).returncode, 0)

    def test_a_cluster_is_missing_in_either_form(self):
        for command in ["show", "validate"]:
            self.wrong("topology", command,
                       says=["a file is missing, as FILE or as --cluster FILE"])

    def test_help_on_what_is_not_there_says_what_there_is(self):
        self.wrong("help", "place", "foo", says=['found "foo", but place has no commands'])
        self.wrong("help", "topology", "shw", says=["did you mean show?"])
        self.wrong("help", "words", "foo", says=["a topic stands alone"])

    def test_an_unknown_server_is_named_once(self):
        result = self.wrong("place", *program.SMALL_JOB, "--on", "zz,zz", says=['"zz"'])
        self.assertEqual(result.stderr.count("zz"), 1, result.stderr)

    def test_words_after_a_host_are_slots_or_a_mistake(self):
        order = self.write("order", "a-r1-s1 a-r1-s2\n")
        self.wrong("predict", *program.SMALL_CASE, "--order", order,
                   says=["order:1:", 'found "a-r1-s2"', "slots=N"])
        twice = self.write("twice", "a-r1-s1 slots=8 max_slots=8 slots=16\n")
        self.wrong("predict", *program.SMALL_CASE, "--order", twice,
                   says=["twice:1: found slots=N twice"])

    def test_an_order_in_another_form_is_told_what_it_is(self):
        for form, named in [("rankfile", "a rank file of Open MPI"), ("json", "JSON"),
                            ("slurm", "options for srun"), ("state", "a file of zonecut's own")]:
            order = self.write("order", "# of yesterday\n" +
                               run("place", *program.SMALL_JOB, "--format", form).stdout)
            for words in [["predict", *program.SMALL_CASE, "--order", order],
                          ["place", *program.SMALL_JOB, "--keep", order],
                          ["place", *program.SMALL_JOB, "--on", f"@{order}"],
                          ["whatif", *program.SMALL_CASE, "--order", order, "--if", "routing=ecmp"]]:
                self.wrong(*words, says=[f"order:2: looks like {named}, expected a host file",
                                         "place --format hostfile"])

    def test_what_is_said_to_do_with_a_rank_file_helps(self):
        ranks = self.write("ranks", run("place", *program.SMALL_JOB, "--format", "rankfile").stdout)
        hint = self.wrong("predict", *program.SMALL_CASE, "--order", ranks).stderr
        awk = re.search(r"awk -F '([^']+)' '([^']+)'", hint)
        self.assertIsNotNone(awk, hint)
        servers = subprocess.run(["awk", "-F", *awk.groups(), ranks], capture_output=True, text=True, check=True)
        hosts = run("place", *program.SMALL_JOB, "--format", "hostfile").stdout
        costs = {run("predict", *program.SMALL_CASE, "--order", "-", stdin=order).stdout
                 for order in [servers.stdout, hosts]}
        self.assertEqual(len(costs), 1)
        self.assertIn("between zones", costs.pop())

    def test_a_file_of_servers_without_its_sign_is_told_of(self):
        hosts = self.write("hosts", run("place", *program.SMALL_JOB, "--format", "hostfile").stdout)
        self.wrong("place", *program.SMALL_JOB, "--on", hosts,
                   says=[f"--on: found the file {hosts}", f"@{hosts} stands for what is in it"])
        self.assertEqual(run("place", *program.SMALL_JOB, "--on", f"@{hosts}").returncode, 0)

    def test_a_ratio_is_written_as_in_a_cluster_file(self):
        source = self.write("t.csv", "host,zone,rack\ns1,a,r\n")
        words = ["topology", "import", "--from", "csv", source, "--oversubscription"]
        self.assertEqual(run(*words, "7:2").stdout, run(*words, "3.5").stdout)
        self.assertIn("3.5", run(*words, "7:2").stdout)
        for wrong in ["nan", "inf", "0", "-7", "7:", ":1", "7:0", "7:1:1", "7x", "1:1000"]:
            for command in [words[:-1], ["serve", "--kubeconfig", "/none"]]:
                self.wrong(*command, f"--oversubscription={wrong}",
                           says=[f'--oversubscription: found "{wrong}"', "7:1"])

    def test_a_gpu_is_an_extended_resource(self):
        for wrong in ["nvidia", "cpu", "/gpu", "nvidia.com/", "Nvidia.com/gpu", "nvidia.com/gpu,amd.com/gpu", "a.io/b/c"]:
            self.wrong("serve", "--kubeconfig", "/none", f"--gpu-resource={wrong}",
                       says=[f'--gpu-resource: "{wrong}" is no extended resource', "nvidia.com/gpu"])

    def test_levels_are_keys_of_labels(self):
        for command in [["serve", "--kubeconfig", "/none", "--levels"],
                        ["topology", "import", "--from", "kubernetes-nodes", "/none", "--labels"]]:
            for wrong, part in [("", ""), ("zone,,rack", ""), ("zone, rack", " rack"), ("a.io/", "a.io/"), ("/a", "/a"),
                                ("A.io/b", "A.io/b"), ("zone:rack", "zone:rack"), ("x" * 64, "x" * 64)]:
                self.wrong(*command, wrong, says=[f'{command[-1]}: "{part}" is no key of a label', "commas"])
            self.wrong(*command, "a.io/zone,rack,a.io/zone", says=[f'{command[-1]}: "a.io/zone" is named twice'])
            self.wrong(*command, "a.io/Zone_1,rack", says=["/none: cannot be opened"])

    def test_levels_that_no_list_of_nodes_can_have_are_refused_at_once(self):
        serve = ["serve", "--kubeconfig", "/none"]
        imported = ["topology", "import", "--from", "kubernetes-nodes", "/none"]
        for command, labels in [(serve, "--levels"), (imported, "--labels")]:
            for keys, level in [("zone,rack", "planet"), ("a.io/zone,a.io/rack", "a.io/zone"), ("zone,rack", "cluster")]:
                self.wrong(*command, labels, keys, "--zone-level", level,
                           says=[f'--zone-level: there is no level "{level}" (the levels are zone, rack)'])
            self.wrong(*command, labels, "a,b,c,d,e,f,g", says=[f"{labels}: a cluster has one to six levels"])
            self.wrong(*command, labels, "servers,rack", says=[f'{labels}: "servers" cannot be the name of a level'])
            for keys, level in [("a.io/zone,a.io/rack", "zone"), ("a.io/rack,b.io/rack", "b.io.rack")]:
                self.wrong(*command, labels, keys, "--zone-level", level, says=["/none: cannot be opened"])
        self.wrong(*serve, "--zone-level", "planet",
                   says=['--zone-level: there is no level "planet" (the levels of known labels are tier-5, ', "zone"])
        for level in ["block", "tier-2", "zone"]:
            self.wrong(*serve, "--zone-level", level, says=["/none: cannot be opened"])

    def test_what_is_for_nodes_alone_is_refused_beside_a_cluster_file(self):
        beside = ["serve", "--kubeconfig", "/none", "--cluster", program.SMALL / "cluster.yaml"]
        words = [["--levels", "zone,rack"], ["--zone-level", "rack"], ["--oversubscription", "7"],
                 ["--nic-bandwidth", "400Gbps"]]
        for one in words:
            self.wrong(*beside, *one, says=[f"{one[0]}: with --cluster it makes no difference, as the file says it",
                                            "say it in the file, or leave --cluster out"])
        result = self.wrong(*beside, *sum(words, []))
        self.assertEqual(len(result.stderr.splitlines()), len(words))
        self.wrong(*beside, "--gpu-resource", "a.io/gpu", says=["/none: cannot be opened"])

    def test_credentials_that_are_not_there_are_named_with_the_reason(self):
        config = self.write("kubeconfig", """
            current-context: a
            contexts: [{name: a, context: {cluster: c, user: u}}]
            clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
            users: [{name: u, user: {token: x}}]
            """)
        self.wrong("serve", "--kubeconfig", config, "--listen", "127.0.0.1:0", "--tls-cert", "/none", "--tls-key", "/none",
                   says=["/none: cannot be opened: No such file or directory"])

    def test_a_time_that_is_no_number_is_refused(self):
        for wrong in ["nan", "inf", "0", "-1", "1s"]:
            self.wrong("slurm-placer", "--once", "--dry-run", f"--interval={wrong}",
                       says=[f'--interval: found "{wrong}"'])

    def test_a_whole_number_is_decimal_digits_and_nothing_else(self):
        huge = "99999999999999999999999"
        order = self.write("order", run("place", *program.SMALL_JOB, "--format", "hostfile").stdout)
        topology = self.write("topology.conf", "SwitchName=r Nodes=n[0-3]\n")
        for option, words in [
            ("--moves", ["place", *program.SMALL_JOB, "--keep", order]),
            ("--threads", ["place", *program.SMALL_JOB]),
            ("--queue-pairs", ["predict", *program.SMALL_CASE, "--order", order]),
            ("--hash-seed", ["predict", *program.SMALL_CASE, "--order", order]),
            ("--gpus-per-server", ["topology", "import", "--from", "slurm-conf", topology]),
            ("--tasks", ["slurm-order", "--topology", topology, "--on", "n[0-3]"]),
            ("--from-slurm", ["report"]), ("--patience", ["serve"]), ("--reserve", ["serve"]),
            ("--unpin-after", ["slurm-placer", "--once", "--dry-run"])]:
            for wrong in ["-1", huge, "010", "0x10", "1e1", "1_0", "+1", "1.0", " 1"]:
                self.wrong(*words, f"{option}={wrong}",
                           says=[f'{option}: found "{wrong}", expected a whole number'])
        words = ["topology", "import", "--from", "slurm-conf", topology, "--gpus-per-server"]
        self.assertIn("10", run(*words, "10").stdout)
        self.wrong(*words, "0", says=["--gpus-per-server"])
        kept = run("place", *program.SMALL_JOB, "--keep", order, "--moves", "0")
        self.assertEqual(kept.returncode, 0, kept.stderr)

    def test_options_that_say_nothing_by_themselves_are_refused(self):
        self.wrong("place", *program.SMALL_JOB, "--moves", "3", says=["--moves requires --keep"])
        self.wrong("place", *program.SMALL_JOB, "--format", "hostfile", "--json",
                   says=["--format excludes --json"])
        self.wrong("slurm-order", "--topology", "t", "--on", "n[0-3]", "--tasks", "4",
                   "--hold-rank0", says=["--hold-rank0 requires --rank0"])

    def test_an_import_that_no_cluster_file_can_say_writes_nothing(self):
        old = self.write("cluster.yaml", "old\n")
        source = self.write("t.csv", "host,rack\ns1,r1\n")
        self.wrong("topology", "import", "--from", "csv", "--server-column", "host", "--level",
                   "rack=rack", "--nic-bandwidth", "0Gbps", source, "-o", old,
                   says=["makes no cluster file"])
        self.assertEqual(old.read_text(encoding="utf-8"), "old\n")

    def test_unknown_servers_are_named_with_the_nearest(self):
        self.wrong("place", *program.SMALL_JOB, "--on", "a-r1-s1,a-r1-s9",
                   says=['no server "a-r1-s9"', "did you mean"])


if __name__ == "__main__":
    program.main()
