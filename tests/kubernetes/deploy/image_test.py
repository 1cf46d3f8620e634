"""What the image holds, tried on the program that was built: its libraries, probe, certificates."""
import http.client
import json
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import tempfile
import unittest

import deployment
from deployment import PLUGIN, SOURCE

NOBODY_THERE = {
    "apiVersion": "v1", "kind": "Config", "current-context": "nobody",
    "clusters": [{"name": "nobody", "cluster": {"server": "http://127.0.0.1:9"}}],
    "users": [{"name": "nobody", "user": {"token": "nothing"}}],
    "contexts": [{"name": "nobody", "context": {"cluster": "nobody", "user": "nobody"}}]}


class Served:
    """zonecut serve, without an API server: it lives and is not ready."""

    def __init__(self, folder, *arguments):
        kubeconfig = pathlib.Path(folder, "kubeconfig.json")
        kubeconfig.write_text(json.dumps(NOBODY_THERE))
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(
            [deployment.program(), "serve", "--listen", "127.0.0.1:0", "--kubeconfig", kubeconfig,
             *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def __enter__(self):
        line = self.process.stdout.readline()
        self.port = int(re.fullmatch(r"listening on 127\.0\.0\.1:(\d+)\n", line).group(1))
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.stdout.close()
        if self.process.wait(20) != 0:
            raise AssertionError(f"zonecut serve ended with {self.process.returncode}")


class Probe(unittest.TestCase):
    def probe(self, port, path):
        return subprocess.run([PLUGIN / "probe", str(port), path], capture_output=True, text=True,
                              check=False, timeout=20)

    def test_a_probe_says_what_the_program_says(self):
        with tempfile.TemporaryDirectory() as folder:
            with Served(folder) as served:
                port = served.port
                self.assertEqual(self.probe(port, "healthz").returncode, 0)
                waiting = self.probe(port, "readyz")
                self.assertEqual((waiting.returncode, waiting.stderr), (1, "/readyz says 503: not ready: nodes and pods are not listed yet\n"))
                self.assertEqual(self.probe(port, "nowhere").returncode, 1)
            self.assertEqual(self.probe(port, "healthz").returncode, 1)


@unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
class Certificates(unittest.TestCase):
    def make(self, folder, *arguments):
        return subprocess.run([PLUGIN / "make-certificates", folder, *arguments],
                              capture_output=True, text=True, check=False, timeout=60)

    def status(self, port, path, folder, client):
        context = ssl.create_default_context(cafile=os.path.join(folder, "ca.crt"))
        if client:
            context.load_cert_chain(os.path.join(folder, "client.crt"),
                                    os.path.join(folder, "client.key"))

        class Connection(http.client.HTTPSConnection):
            """Expects the certificate of the Service, as a kube-scheduler does by serverName."""
            def connect(self):
                http.client.HTTPConnection.connect(self)
                self.sock = context.wrap_socket(self.sock, server_hostname="zonecut.apart.svc")

        connection = Connection("127.0.0.1", port, timeout=20)
        connection.request("GET", path)
        status = connection.getresponse().status
        connection.close()
        return status

    def test_a_scheduler_is_let_in_and_others_only_to_the_probes(self):
        with tempfile.TemporaryDirectory() as folder:
            made = self.make(folder, "apart")
            self.assertEqual(made.returncode, 0, made.stderr)
            arguments = [f"--{flag}={folder}/{file}" for flag, file in
                         [("tls-cert", "tls.crt"), ("tls-key", "tls.key"), ("client-ca", "ca.crt")]]
            with Served(folder, *arguments) as served:
                self.assertEqual(self.status(served.port, "/metrics", folder, True), 200)
                self.assertEqual(self.status(served.port, "/metrics", folder, False), 401)
                self.assertEqual(self.status(served.port, "/healthz", folder, False), 200)

    def test_keys_are_private_and_nothing_is_overwritten(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.make(folder).returncode, 0)
            for key in pathlib.Path(folder).glob("*.key"):
                self.assertEqual(key.stat().st_mode & 0o077, 0, key)
            before = pathlib.Path(folder, "ca.crt").read_text()
            self.assertEqual(self.make(folder).returncode, 1)
            self.assertEqual(pathlib.Path(folder, "ca.crt").read_text(), before)


class Image(unittest.TestCase):
    text = (PLUGIN / "Dockerfile").read_text()

    def test_it_runs_as_nobody_in_particular(self):
        self.assertIn("\nUSER 65532:65532\n", self.text)

    def test_what_it_copies_is_in_the_context(self):
        lines = (SOURCE / ".dockerignore").read_text().split()
        for line in lines:
            if line.startswith("!"):
                self.assertTrue((SOURCE / line[1:]).exists(), line)
        cmake = (SOURCE / "CMakeLists.txt").read_text()
        for folder in re.findall(r"^add_subdirectory\((\S+)\)", cmake, re.M):
            self.assertIn("!" + folder, lines)

    @unittest.skipUnless(shutil.which("objdump") and shutil.which("dpkg-query"), "no Debian tools")
    def test_its_packages_are_those_that_the_program_is_linked_with(self):
        listed = re.search(r"no-install-recommends \\\n((?:    .*\\\n)+)", self.text).group(1)
        headers = subprocess.run(["objdump", "-p", deployment.program()], capture_output=True,
                                 text=True, check=True).stdout
        needed = set()
        for library in re.findall(r"NEEDED +(\S+)", headers):
            if re.match(r"lib[atu]b?san|ld-linux", library):
                continue
            owners = subprocess.run(["dpkg-query", "-S", f"*/{library}"], capture_output=True,
                                    text=True, check=True).stdout
            needed |= {line.split(":")[0] for line in owners.splitlines()
                       if re.search(rf"/lib(/[\w-]+)?/{re.escape(library)}$", line)}
        self.assertEqual(set(listed.replace("\\", "").split()), needed)


if __name__ == "__main__":
    deployment.main()
