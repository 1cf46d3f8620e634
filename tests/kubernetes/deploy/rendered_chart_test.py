"""The Helm chart as helm renders it: what the manifests say. Skipped where there is no helm."""
import subprocess
import unittest

import deployment
from deployment import CHART, MANIFESTS, MODES, yaml

HELM, KUSTOMIZE, WITHOUT = deployment.renderers()


def helm(*arguments, kubernetes="1.36.3"):
    """Without a cluster; helm takes the version of one that it was built for, which may be old."""
    arguments += ("--kube-version", kubernetes)
    return subprocess.run([*HELM, *arguments], capture_output=True, text=True, check=False)


def described(text):
    """Objects by kind and name, without what only a chart says of itself."""
    found = {}
    for one in yaml.safe_load_all(text):
        if one is None or one["kind"] == "Namespace":
            continue
        one["metadata"]["labels"] = {key: value for key, value in one["metadata"]["labels"].items()
                                     if key == "app.kubernetes.io/name"}
        if one["kind"] == "Deployment":
            one["spec"]["template"]["metadata"].pop("annotations", None)
        if one["kind"] == "ConfigMap":
            one["data"] = {key: yaml.safe_load(value) for key, value in one["data"].items()}
        key = one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"]
        assert key not in found, key
        found[key] = one
    return found


@unittest.skipUnless(HELM, WITHOUT)
class Rendered(unittest.TestCase):
    def rendered(self, mode, *settings):
        result = helm("template", "zonecut", str(CHART), "--namespace", "zonecut-system",
                      "--set", f"mode={mode}", *settings)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_lint_finds_nothing(self):
        for mode in MODES:
            result = helm("lint", "--strict", str(CHART), "--set", f"mode={mode}")
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    @unittest.skipUnless(KUSTOMIZE, WITHOUT)
    def test_every_mode_renders_to_what_its_manifests_say(self):
        for mode in MODES:
            built = subprocess.run([*KUSTOMIZE, str(MANIFESTS / "overlays" / mode)],
                                   capture_output=True, text=True, check=True).stdout
            expected, found = described(built), described(self.rendered(mode))
            self.assertEqual(set(expected), set(found))
            for key, one in expected.items():
                self.assertEqual(one, found[key], (mode, key))

    def test_the_admission_policy_is_that_of_the_manifests(self):
        path = MANIFESTS / "components" / "patch-policy" / "policy.yaml"
        found = described(self.rendered("gates", "--set", "patchPolicy.enabled=true"))
        expected = described(path.read_text())
        self.assertEqual(len(expected), 2)
        for key, one in expected.items():
            self.assertEqual(one, found[key])

    def test_every_value_has_its_effect(self):
        text = self.rendered(
            "extender", "--set", "topology.levels={a.io/x,a.io/y},topology.zoneLevel=x",
            "--set", "topology.oversubscription=3,topology.nicBandwidth=800Gbps",
            "--set", "reserveSeconds=60,patienceSeconds=61",
            "--set", "gates=true,service.clusterIP=10.0.0.9,tls.secretName=other",
            "--set", "extraArgs={--effort=balanced},networkPolicy.apiServerPorts={8443}",
            "--set", "gpuResources={example.com/gpu},aheadPods=0")
        found = described(text)
        pod = found["Deployment", "zonecut-system", "zonecut"]["spec"]["template"]["spec"]
        arguments = pod["containers"][0]["args"]
        for argument in ["--zone-level=x", "--levels=a.io/x,a.io/y", "--oversubscription=3",
                         "--reserve=60", "--nic-bandwidth=800Gbps", "--patience=61", "--ahead=0",
                         "--gates", "--effort=balanced", "--gpu-resource=example.com/gpu"]:
            self.assertIn(argument, arguments)
        self.assertEqual([one["name"] for one in pod["volumes"]], ["tls"])
        settings = found["ConfigMap", "zonecut-system", "zonecut-kube-scheduler"]["data"]
        extender, = settings["scheduler.yaml"]["extenders"]
        self.assertEqual(extender["urlPrefix"], "https://10.0.0.9/v1")

    def test_a_cluster_file_says_what_stands_where_alone(self):
        file = "topology.clusterConfigMap=fabric"
        found = described(self.rendered("extender", "--set", file))
        pod = found["Deployment", "zonecut-system", "zonecut"]["spec"]["template"]["spec"]
        self.assertIn("--cluster=/etc/zonecut/cluster/cluster.yaml", pod["containers"][0]["args"])
        self.assertEqual([one["name"] for one in pod["volumes"]], ["tls", "cluster"])
        for setting in ["levels={a.io/x}", "zoneLevel=x", "oversubscription=3", "nicBandwidth=400Gbps"]:
            result = helm("template", "zonecut", str(CHART), "--set", f"{file},topology.{setting}")
            self.assertEqual(result.returncode, 1, setting)
            self.assertIn(f"topology.{setting.split('=')[0]}: with topology.clusterConfigMap it makes no difference",
                          result.stderr)

    def test_an_address_of_ipv6_stands_in_brackets(self):
        found = described(self.rendered("extender", "--set", "service.clusterIP=fd00::10"))
        service = found["Service", "zonecut-system", "zonecut"]
        self.assertEqual(service["spec"]["clusterIP"], "fd00::10")
        settings = found["ConfigMap", "zonecut-system", "zonecut-kube-scheduler"]["data"]
        extender, = settings["scheduler.yaml"]["extenders"]
        self.assertEqual(extender["urlPrefix"], "https://[fd00::10]/v1")

    def test_words_stay_words(self):
        """Whatever else YAML would take them for."""
        for mode in MODES:
            found = described(self.rendered(
                mode, "--set-string", "scheduler.name=123,topology.clusterConfigMap=0x1",
                "--set-string", "tls.secretName=1e3,priorityClassName=456,service.clusterIP=10.0",
                "--set", "extraArgs={--context=a: b #d}"))
            pod = found["Deployment", "zonecut-system", "zonecut"]["spec"]["template"]["spec"]
            self.assertIn("--context=a: b #d", pod["containers"][0]["args"])
            self.assertEqual(pod["priorityClassName"], "456")
            volumes = {one["name"]: one for one in pod["volumes"]}
            self.assertEqual(volumes["cluster"]["configMap"]["name"], "0x1")
            if mode == "extender":
                self.assertEqual(volumes["tls"]["secret"]["secretName"], "1e3")
                service = found["Service", "zonecut-system", "zonecut"]
                self.assertEqual(service["spec"]["clusterIP"], "10.0")
            if mode == "second-scheduler":
                settings = found["ConfigMap", "zonecut-system", "zonecut-kube-scheduler"]["data"]
                profile, = settings["scheduler.yaml"]["profiles"]
                self.assertEqual(profile["schedulerName"], "123")

    def test_images_are_named_as_registries_name_them(self):
        digest = "@sha256:" + 64 * "a"
        for repository, tag in [("host:5000/a/zonecut", "0.1.0"), ("zonecut", "v1-rc_2" + digest)]:
            for image, name in [("image.repository", "image.tag"), ("scheduler.image", "scheduler.tag")]:
                text = self.rendered("second-scheduler", "--set", f"{image}={repository}",
                                     "--set-string", f"{name}={tag}")
                self.assertIn(f'image: "{repository}:{tag}"\n', text)

    def test_an_admission_policy_needs_a_kubernetes_that_has_them(self):
        arguments = ["template", "zonecut", str(CHART), "--set", "patchPolicy.enabled=true"]
        self.assertEqual(helm(*arguments, kubernetes="1.30.0").returncode, 0)
        self.assertIn("patchPolicy.enabled: found Kubernetes v1.29.9, expected 1.30 or later",
                      helm(*arguments, kubernetes="1.29.9").stderr)

    def test_a_kubernetes_that_knows_no_scheduling_gates_is_refused(self):
        for version, status in [("1.26.9", 1), ("1.27.0", 0), ("1.27.3-gke.100", 0)]:
            result = helm("template", "zonecut", str(CHART), kubernetes=version)
            self.assertEqual(result.returncode, status, (version, result.stderr))

    def test_the_level_of_zones_is_one_of_the_levels(self):
        keys = "topology.levels={a.io/zone,a.io/rack,b.io/rack}"
        for level in ["zone", "rack", "b.io.rack"]:
            self.assertIn(f'"--zone-level={level}"', self.rendered("gates", "--set", f"{keys},topology.zoneLevel={level}"))
        for level in ["planet", "a.io/zone"]:
            result = helm("template", "zonecut", str(CHART), "--set", f"{keys},topology.zoneLevel={level}")
            self.assertIn(f'topology.zoneLevel: found "{level}", expected one of the levels: zone, rack',
                          result.stderr)

    def test_nonsense_is_refused(self):
        for setting in ["mode=other", "replicas=0", "gpuResources={}", "reserveSeconds=0",
                        "scheduler.name=default-scheduler", "aheadPods=many", "unknown=1",
                        "networkPolicy.apiServerPorts=null", "networkPolicy.enabled=null",
                        "image.repository=host/zonecut:0.1.0", "scheduler.image=", "scheduler.tag=:1",
                        "image.tag=sha256:abc", "service.clusterIP=None", "topology.levels={a: b}",
                        "topology.levels={a,a}", "topology.levels={a.io/}", "topology.levels={a,b,c,d,e,f,g}"]:
            result = helm("template", "zonecut", str(CHART), "--set", setting)
            self.assertIn("values don't meet the specifications", result.stderr, setting)


if __name__ == "__main__":
    deployment.main()
