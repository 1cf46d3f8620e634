"""What zonecut serve answers follows docs/schema: the real program, asked what a real kube-scheduler has asked.

The API server is played here, as it only lists nodes and pods; a real one stands in tests/real/kubernetes.
"""
import http.server
import json
import subprocess
import threading
import time
import urllib.error
import urllib.request

import program
import schemas
from program import PROGRAM, SOURCE

BODIES = SOURCE / "tests" / "kubernetes" / "wire"
NODE = json.loads((BODIES / "filter_request_nodes.json").read_text("utf-8"))["Nodes"]["items"][0]


def node(number):
    """The recorded node, as one of 24 in racks of eight."""
    fresh = json.loads(json.dumps(NODE))
    fresh["metadata"].update(name=f"n{number:04}", uid=f"uid-{number}")
    fresh["metadata"]["labels"].update({"kubernetes.io/hostname": f"n{number:04}",
                                        "network.topology.nvidia.com/leaf": f"leaf{number // 8}"})
    return fresh


class ApiServer(http.server.BaseHTTPRequestHandler):
    """Lists, and watches in which nothing happens."""
    protocol_version = "HTTP/1.1"
    lists = {"/api/v1/nodes": [node(number) for number in range(24)], "/api/v1/pods": []}

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path not in self.lists:
            return self.answer(404, {"kind": "Status", "code": 404, "message": f"{path} is not there"})
        if "watch=true" not in query:
            return self.answer(200, {"metadata": {"resourceVersion": "1"}, "items": self.lists[path]})
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.server.ended.wait()
        self.close_connection = True

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(201, {"kind": "Status", "status": "Success"})

    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class Serve(program.InFolder):
    def setUp(self):
        super().setUp()
        self.api = http.server.ThreadingHTTPServer(("127.0.0.1", 0), ApiServer)
        self.api.daemon_threads = True
        self.api.ended = threading.Event()
        threading.Thread(target=self.api.serve_forever, daemon=True).start()
        self.addCleanup(self.api.server_close)
        self.addCleanup(self.api.shutdown)
        self.addCleanup(self.api.ended.set)

    def serve(self, port):
        """`zonecut serve` for the API server at this port."""
        config = self.write("kubeconfig", f"""apiVersion: v1
kind: Config
current-context: it
clusters: [{{name: it, cluster: {{server: "http://127.0.0.1:{port}"}}}}]
contexts: [{{name: it, context: {{cluster: it, user: me}}}}]
users: [{{name: me, user: {{}}}}]
""")
        served = subprocess.Popen([PROGRAM, "serve", "--kubeconfig", config, "--listen", "127.0.0.1:0", "--bind"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(served.stdout.close)
        self.addCleanup(served.wait, 60)
        self.addCleanup(served.terminate)
        return "http://" + served.stdout.readline().removeprefix("listening on ").strip()

    @staticmethod
    def asked(url, body=None):
        """Status, and the answer."""
        request = urllib.request.Request(url, data=body, headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    def recorded(self, address, verb, name, status=200, part=None):
        """The answer to a recorded request, held to the schema."""
        found, text = self.asked(f"{address}/v1/{verb}", (BODIES / f"{name}.json").read_bytes())
        self.assertEqual(found, status, text)
        answer = json.loads(text)
        self.assertEqual(schemas.mistakes(answer, "extender", part or verb), [])
        self.assertEqual(schemas.mistakes(answer, "extender"), [])
        return answer

    def wait_ready(self, address):
        end = time.monotonic() + 60
        while self.asked(address + "/readyz")[0] != 200:
            self.assertLess(time.monotonic(), end, "zonecut serve is not ready")
            time.sleep(0.05)

    def test_what_a_kube_scheduler_asked_is_answered_as_the_schema_says(self):
        address = self.serve(self.api.server_port)
        self.wait_ready(address)
        names = json.loads((BODIES / "filter_request_names.json").read_text("utf-8"))["NodeNames"]
        kept = self.recorded(address, "filter", "filter_request_names")
        self.assertIsNone(kept["Nodes"])
        self.assertLessEqual(set(kept["NodeNames"]), set(names))
        whole = self.recorded(address, "filter", "filter_request_nodes")
        self.assertIsNone(whole["NodeNames"])
        self.assertEqual(whole["Nodes"]["items"], [NODE])
        for name in ["prioritize_request_names", "prioritize_request_nodes"]:
            self.assertGreater(len(self.recorded(address, "prioritize", name)), 0)
        self.recorded(address, "preempt", "preempt_request_nodes")
        self.recorded(address, "preempt", "preempt_request_half")
        self.assertEqual(self.recorded(address, "bind", "bind_request_names"), {"Error": ""})

    def test_errors_are_answered_as_the_schema_says(self):
        address = self.serve(1)  # where nobody is
        for verb, name in [("filter", "filter_request_names"), ("prioritize", "prioritize_request_names"),
                           ("preempt", "preempt_request_nodes")]:
            answer = self.recorded(address, verb, name, status=503, part="filter")
            self.assertIn("has not told of nodes and pods yet", answer["Error"])
        self.assertIn("127.0.0.1:1", self.recorded(address, "bind", "bind_request_names")["Error"])
        for path, body, status in [("/v1/filter", b"{", 400), ("/v1/nothing", b"{}", 404), ("/nothing", None, 404),
                                   ("/v1/filter", None, 405), ("/healthz", b"{}", 405)]:
            found, text = self.asked(address + path, body)
            self.assertEqual(found, status)
            self.assertEqual(schemas.mistakes(json.loads(text), "extender", "error"), [])


if __name__ == "__main__":
    program.main()
