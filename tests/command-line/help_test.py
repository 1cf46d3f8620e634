"""Help, man pages and completion: all three say what the program does, and the same."""
import re
import subprocess

import program
from program import SOURCE, run

COMMANDS = [["map"], ["place"], ["predict"], ["report"], ["serve"], ["simulate"], ["slurm-order"], ["slurm-placer"],
            ["topology"], ["topology", "import"], ["topology", "export"], ["topology", "show"],
            ["topology", "validate"], ["job"], ["job", "import"], ["whatif"], ["attribute"],
            ["completion"], ["help"]]
PAGES = {"zonecut": [[], ["completion"], ["help"]], "zonecut-map": [["map"]],
         "zonecut-place": [["place"]], "zonecut-predict": [["predict"]],
         "zonecut-report": [["report"]], "zonecut-serve": [["serve"]],
         "zonecut-job": [["job"], ["job", "import"]],
         "zonecut-simulate": [["simulate"]],
         "zonecut-slurm-order": [["slurm-order"]],
         "zonecut-slurm-placer": [["slurm-placer"]],
         "zonecut-topology": [c for c in COMMANDS if c[0] == "topology"],
         "zonecut-attribute": [["attribute"]], "zonecut-whatif": [["whatif"]]}


def flags_of_help(command):
    """Long and short flags that start a line of --help."""
    flags = set()
    for line in run(*command, "--help").stdout.splitlines():
        found = re.match(r"\s+(-\w)?(?:, )?(--[\w-]+)?(?:\s|$)", line)
        if found:
            flags |= {flag for flag in found.groups() if flag}
    return flags


def flags_of_page(name):
    """Flags that start a line of a page's options: *-o*, *--output* _FILE_"""
    flags = set()
    for line in (SOURCE / "docs" / "man" / f"{name}.1.scd").read_text().splitlines():
        if line.startswith("*-"):
            flags |= set(re.findall(r"\*(--?[\w-]+)\*", line))
    return flags


class Help(program.unittest.TestCase):
    def test_every_command_explains_itself_within_80_columns(self):
        for command in [[], *COMMANDS]:
            result = run(*command, "--help", COLUMNS="200")
            self.assertEqual((result.returncode, result.stderr), (0, ""), command)
            self.assertIn("Usage: zonecut", result.stdout)
            for line in result.stdout.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_narrow_terminals_have_room_for_every_text(self):
        for width in [40, 50, 63, 64, 80]:
            for command in [[], *COMMANDS]:
                text = run(*command, "--help", COLUMNS=str(width)).stdout
                for line in re.sub(r"(?m)^(Examples?|Topics):\n( .*\n)+", "", text).splitlines():
                    self.assertTrue(len(line) <= width or " " not in line.strip(), (command, width, line))
                    self.assertLessEqual(len(line), max(width, 50), (command, width))
                    self.assertFalse(line.endswith((" -", " ")), (command, width, line))
                self.assertNotIn("\n\n\n", text, command)

    def test_a_default_of_several_is_no_value(self):
        text = " ".join(run("serve", "--help").stdout.split())
        self.assertIn("once for each. Default: nvidia.com/gpu and amd.com/gpu.", text)

    def test_a_cluster_is_asked_for_in_one_form_or_the_other(self):
        for command in ["export", "show", "validate"]:
            text = run("topology", command, "--help").stdout
            usage = next(line for line in text.splitlines() if line.startswith("Usage:"))
            self.assertNotIn("--cluster", usage)
            self.assertTrue(usage.endswith(" FILE"), usage)
            self.assertIn("Required, as FILE or as --cluster.", " ".join(text.split()))

    def test_every_command_is_listed(self):
        text = run("--help").stdout
        for command in COMMANDS:
            self.assertIn(f"\n  {command[0]} ", text)

    def test_no_arguments_give_the_help(self):
        self.assertEqual(run().stdout, run("--help").stdout)

    def test_help_explains_commands_and_topics(self):
        self.assertEqual(run("help", "topology", "show").stdout,
                         run("topology", "show", "--help").stdout)
        self.assertIn("EXIT CODES", run("help", "exit-codes").stdout)
        wrong = run("help", "exit-code")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("did you mean exit-codes?", wrong.stderr)

    def test_the_topic_on_jobs_names_every_preset(self):
        refused = run("place", *program.SMALL_CASE[:2], "--job", "no-such-preset")
        presets = refused.stderr.partition("presets: ")[2].partition(")")[0].split(", ")
        self.assertIn("dlrm", presets, refused.stderr)
        words = set(re.findall(r"[\w-]+", run("help", "jobs").stdout))
        self.assertEqual(set(presets) - words, set())

    def test_topics_fit_80_columns(self):
        topics = re.findall(r"^  ([\w-]+) ", run("help", "--help").stdout.split("Topics:")[1], re.M)
        self.assertGreaterEqual(len(topics), 5)
        for topic in topics:
            result = run("help", topic)
            self.assertEqual(result.returncode, 0)
            for line in result.stdout.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_the_version_is_that_of_the_project(self):
        version = re.search(r"project\(zonecut VERSION ([\d.]+)",
                            (SOURCE / "CMakeLists.txt").read_text()).group(1)
        self.assertEqual(run("--version").stdout, f"zonecut {version}\n")


class Examples(program.unittest.TestCase):
    def test_formats_that_texts_name_exist(self):
        known = run("topology", "import", "--help").stdout
        texts = [(SOURCE / "README.md").read_text(), run("--help").stdout, known]
        texts += [page.read_text() for page in (SOURCE / "docs" / "man").glob("*.scd")]
        named = {name for text in texts for name in re.findall(r"--from ([a-z][\w-]*)", text)}
        self.assertIn("csv", named)
        self.assertIn("pytorch-et", named)
        known += run("job", "import", "--help").stdout
        listed = re.findall(r"Format of the (?:source|traces): (.*?)\. Required", re.sub(r"\s+", " ", known))
        self.assertLessEqual(named, set(re.split(r", | or ", ", ".join(listed))))


class ManPages(program.unittest.TestCase):
    def test_pages_and_help_have_the_same_flags(self):
        for name, commands in PAGES.items():
            of_help = set().union(*(flags_of_help(command) for command in commands))
            self.assertGreaterEqual(len(of_help), 3, name)
            self.assertEqual(flags_of_page(name), of_help, name)

    def test_every_command_has_a_page(self):
        covered = [command for commands in PAGES.values() for command in commands]
        for command in COMMANDS:
            self.assertIn(command, covered)
        pages = {path.name[:-6] for path in (SOURCE / "docs" / "man").glob("*.1.scd")}
        self.assertEqual(pages, set(PAGES))


class Completion(program.unittest.TestCase):
    def complete(self, *words):
        """What bash offers after these words, the last of which is being typed."""
        script = run("completion", "bash").stdout
        quoted = " ".join(f"'{word}'" for word in words)
        asked = (f"{script}\nCOMP_WORDS=(zonecut {quoted}); COMP_CWORD={len(words)}\n"
                 '_zonecut; printf "%s\\n" "${COMPREPLY[@]}"')
        result = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True)
        self.assertEqual(result.stderr, "")
        return result.stdout.split()

    def test_commands_are_completed(self):
        self.assertEqual(self.complete("pl"), ["place"])
        self.assertEqual(sorted(self.complete("topology", "")),
                         ["export", "import", "show", "validate"])

    def test_options_are_completed_after_their_command(self):
        self.assertEqual(self.complete("place", "--cl"), ["--cluster"])
        self.assertEqual(self.complete("topology", "import", "--gpus"), ["--gpus-per-server"])
        self.assertEqual(self.complete("map", "--cl"), [])

    def test_values_are_left_to_the_shell(self):
        self.assertEqual(self.complete("place", "--cluster", ""), [])

    def test_every_flag_is_in_every_shells_script(self):
        for shell in ["bash", "zsh", "fish"]:
            script = run("completion", shell).stdout
            for command in COMMANDS:
                for flag in flags_of_help(command):
                    wanted = f"-l {flag[2:]} " if shell == "fish" and flag.startswith("--") else flag
                    if shell == "fish" and not flag.startswith("--"):
                        wanted = f"-s {flag[1:]} "
                    if command not in (["topology"], ["job"]):
                        self.assertIn(wanted, script, (shell, command))

    def test_another_shell_is_refused(self):
        self.assertEqual(run("completion", "tcsh").returncode, 2)


if __name__ == "__main__":
    program.main()
