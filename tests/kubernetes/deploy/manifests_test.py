"""The manifests: complete, with flags that exist, no more rights than are used, and safe settings."""
import re
import unittest

import deployment
from deployment import MANIFESTS, MODES, PLUGIN, documents, of_kind, values_of, yaml

COMPONENTS = [MANIFESTS / "components" / name for name in ["cluster-file", "patch-policy"]]
ALWAYS, LEASE, BIND = "always", "--lease", "--bind"

# Every request that zonecut serve makes: (group, resource, verb) and which flag it takes.
REQUESTS = {
    ("", "nodes", "list"): ALWAYS,
    ("", "nodes", "watch"): ALWAYS,
    ("", "pods", "list"): ALWAYS,
    ("", "pods", "watch"): ALWAYS,
    ("", "pods", "patch"): ALWAYS,  # gates; wakes, wherever a scheduler asks
    ("events.k8s.io", "events", "create"): ALWAYS,
    ("coordination.k8s.io", "leases", "get"): LEASE,
    ("coordination.k8s.io", "leases", "create"): LEASE,
    ("coordination.k8s.io", "leases", "update"): LEASE,
    ("", "pods", "get"): BIND,
    ("", "pods/binding", "create"): BIND,
}

# Kinds that say how large a gang is: each object may be asked for, and many are listed.
SIZES = [
    ("batch", "jobs"),
    ("apps", "statefulsets"),
    ("jobset.x-k8s.io", "jobsets"),
    ("leaderworkerset.x-k8s.io", "leaderworkersets"),
    ("kubeflow.org", "pytorchjobs"),
    ("kubeflow.org", "mpijobs"),
    ("kubeflow.org", "tfjobs"),
    ("kubeflow.org", "xgboostjobs"),
    ("kubeflow.org", "paddlejobs"),
    ("kubeflow.org", "jaxjobs"),
    ("scheduling.x-k8s.io", "podgroups"),
    ("scheduling.volcano.sh", "podgroups"),
    ("scheduling.k8s.io", "podgroups"),
    ("batch.volcano.sh", "jobs"),
    ("scheduler.grove.io", "podgangs"),
]
REQUESTS |= {(group, resource, verb): ALWAYS for group, resource in SIZES for verb in ["get", "list"]}

# Texts in the sources that are paths of the API, and what is asked there.
PATHS = {
    "/api/v1/nodes": {("", "nodes", "list"), ("", "nodes", "watch")},
    "/api/v1/pods": {("", "pods", "list"), ("", "pods", "watch")},
    "/api/v1/namespaces/{}/pods/{}": {("", "pods", "get"), ("", "pods", "patch")},
    "/binding": {("", "pods/binding", "create")},
    "/apis/events.k8s.io/v1/namespaces/{}/events": {("events.k8s.io", "events", "create")},
    "/apis/coordination.k8s.io/v1/namespaces/{}/leases":
        {("coordination.k8s.io", "leases", verb) for verb in ["get", "create", "update"]},
    # The kinds of gang/object_path.cpp.
    "/apis/{}/{}/{}": set(),
    "/apis/{}/{}/namespaces/{}/{}": set(),
}


def source_text():
    return "".join(path.read_text() for path in sorted((PLUGIN / "src").rglob("*.cpp")))


def kinds_that_say_sizes():
    text = (PLUGIN / "src" / "gang" / "object_path.cpp").read_text()
    return {(group, plural, verb) for group, plural in
            re.findall(r'Kind\{"([^"]+)", "[^"]+", "([^"]+)"\}', text) for verb in ["get", "list"]}


def granted(mode):
    """(group, resource, verb) of all roles of ours that zonecut's account is bound to."""
    among = deployment.objects(mode)
    account = of_kind("ServiceAccount", among)[0]["metadata"]
    bound = set()
    for binding in of_kind("ClusterRoleBinding", among) + of_kind("RoleBinding", among):
        for subject in binding["subjects"]:
            assert (subject["kind"], subject["name"], subject["namespace"]) == (
                "ServiceAccount", account["name"], account["namespace"]), binding
        bound.add((binding["roleRef"]["kind"], binding["roleRef"]["name"]))
    rights = set()
    for role in of_kind("ClusterRole", among) + of_kind("Role", among):
        assert (role["kind"], role["metadata"]["name"]) in bound, role["metadata"]["name"]
        if role["metadata"]["name"] == "zonecut-kube-scheduler":
            continue  # the lease of the kube-scheduler beside it
        for rule in role["rules"]:
            rights |= {(group, resource, verb) for group in rule["apiGroups"]
                       for resource in rule["resources"] for verb in rule["verbs"]}
    return rights


class Manifests(unittest.TestCase):
    def test_every_file_parses_and_is_used(self):
        used = {MANIFESTS / "base" / "kustomization.yaml"}
        for folder in [MANIFESTS / "overlays" / mode for mode in MODES] + COMPONENTS:
            used.add(folder / "kustomization.yaml")
            used |= set(deployment.resources(folder))
            patches = documents(folder / "kustomization.yaml")[0].get("patches", [])
            used |= {folder / patch["path"] for patch in patches if "path" in patch}
        self.assertEqual(set(MANIFESTS.rglob("*.yaml")), used)
        for path in used:
            for document in documents(path):
                self.assertIn("kind", document, path)
                self.assertIn("apiVersion", document, path)

    def test_no_object_is_there_twice(self):
        for mode in MODES:
            names = [(one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"])
                     for one in deployment.objects(mode)]
            self.assertEqual(len(names), len(set(names)), mode)

    def test_every_flag_exists(self):
        known = deployment.flags_of_serve()
        self.assertIn("--listen", known)
        for mode in MODES:
            arguments = deployment.container(mode)["args"]
            self.assertEqual(arguments[0], "serve")
            flags = [argument.split("=")[0] for argument in arguments[1:]]
            self.assertLessEqual(set(flags), known, mode)
        component = (MANIFESTS / "components" / "cluster-file" / "kustomization.yaml").read_text()
        self.assertLessEqual(set(re.findall(r"value: (--[\w-]+)=", component)), known)

    def test_only_the_gate_controller_lifts_gates(self):
        gated = {mode for mode in MODES if "--gates" in deployment.container(mode)["args"]}
        self.assertEqual(gated, {"gates"})


class Rights(unittest.TestCase):
    def test_the_table_names_every_path_in_the_sources(self):
        text = source_text()
        found = set(re.findall(r'"(/apis?/[^"]*|/binding)"', text))
        self.assertEqual(found, set(PATHS))
        asked = set().union(*PATHS.values()) | kinds_that_say_sizes()
        self.assertEqual(asked, set(REQUESTS))

    def test_rights_are_those_that_are_used_and_no_more(self):
        for mode in MODES:
            flags = {argument.split("=")[0] for argument in deployment.container(mode)["args"]}
            needed = {right for right, when in REQUESTS.items() if when == ALWAYS or when in flags}
            self.assertEqual(granted(mode), needed, mode)

    def test_the_admission_policy_is_about_zonecuts_account_and_lets_its_own_words_pass(self):
        policy, binding = documents(MANIFESTS / "components" / "patch-policy" / "policy.yaml")
        account = of_kind("ServiceAccount", deployment.objects("gates"))[0]["metadata"]
        user = f"system:serviceaccount:{account['namespace']}:{account['name']}"
        condition, = policy["spec"]["matchConditions"]
        self.assertIn(f"'{user}'", condition["expression"])
        self.assertEqual(binding["spec"]["policyName"], policy["metadata"]["name"])
        self.assertEqual(binding["spec"]["validationActions"], ["Deny"])
        text = (PLUGIN / "src" / "api" / "writes.cpp").read_text()
        written = set(re.findall(r'"((?:zonecut\.dev|kubernetes\.io)/[a-z]+)"', text))
        self.assertEqual(written - {"zonecut.dev/zonecut"}, {
            "zonecut.dev/placement", "zonecut.dev/wake", "zonecut.dev/server", "zonecut.dev/rank",
            "kubernetes.io/hostname"})
        expressions = " ".join(one["expression"] for one in policy["spec"]["validations"])
        for word in ["zonecut.dev/placement", "kubernetes.io/hostname", "startsWith('zonecut.dev/')"]:
            self.assertIn(word, expressions)

    def test_a_lease_may_be_taken_only_under_its_name(self):
        for mode in MODES:
            for role in of_kind("Role", deployment.objects(mode)):
                for rule in role["rules"]:
                    if rule["verbs"] != ["create"]:
                        self.assertEqual(len(rule["resourceNames"]), 1)
            leases = values_of(deployment.container(mode)["args"], "--lease")
            for lease in leases:
                self.assertEqual(lease, "$(NAMESPACE)/zonecut")

    def test_a_pair_of_kube_schedulers_is_not_held_up_by_a_lease_of_ours(self):
        self.assertEqual(values_of(deployment.container("second-scheduler")["args"], "--lease"), [])


class Safety(unittest.TestCase):
    def test_containers_may_do_next_to_nothing(self):
        for mode in MODES:
            pod = deployment.deployment(mode)["spec"]["template"]["spec"]
            self.assertTrue(pod["securityContext"]["runAsNonRoot"])
            self.assertEqual(pod["securityContext"]["runAsUser"], 65532)
            self.assertEqual(pod["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
            self.assertEqual(pod["schedulerName"], "default-scheduler")
            self.assertEqual(pod["priorityClassName"], "system-cluster-critical")
            self.assertNotIn("hostNetwork", pod)
            for one in pod["containers"]:
                self.assertEqual(one["securityContext"], {
                    "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                    "capabilities": {"drop": ["ALL"]}})
                self.assertIn("requests", one["resources"])
                self.assertTrue(one["livenessProbe"] and one["readinessProbe"])
                for mount in one.get("volumeMounts", []):
                    self.assertTrue(mount["readOnly"])

    def test_others_reach_it_only_with_a_certificate(self):
        for mode in MODES:
            arguments = deployment.container(mode)["args"]
            host = values_of(arguments, "--listen")[0].rsplit(":", 1)[0]
            if host != "127.0.0.1":
                for flag in ["--tls-cert", "--tls-key", "--client-ca"]:
                    self.assertEqual(len(values_of(arguments, flag)), 1, mode)
            self.assertEqual(host == "127.0.0.1", mode != "extender")

    def test_a_budget_never_forbids_to_drain_the_only_ready_replica(self):
        for mode in MODES:
            budgets = of_kind("PodDisruptionBudget", deployment.objects(mode))
            self.assertEqual(len(budgets), 0 if mode == "extender" else 1)

    def test_one_policy_for_each_mode(self):
        for mode in MODES:
            policy = of_kind("NetworkPolicy", deployment.objects(mode))[0]["spec"]
            self.assertEqual(policy["policyTypes"], ["Ingress", "Egress"])
            self.assertEqual(bool(policy["ingress"]), mode != "gates")


class Scheduler(unittest.TestCase):
    def settings(self, mode):
        config = next(one for one in of_kind("ConfigMap", deployment.objects(mode)))
        return yaml.safe_load(config["data"]["scheduler.yaml"])

    def test_the_extender_is_named_as_gangs_need_it(self):
        routes = (PLUGIN / "src" / "serve" / "routes.cpp").read_text()
        for mode in ["second-scheduler", "extender"]:
            settings = self.settings(mode)
            self.assertEqual(settings["percentageOfNodesToScore"], 100)
            extender, = settings["extenders"]
            self.assertIs(extender["ignorable"], False)
            self.assertIs(extender["nodeCacheCapable"], True)
            self.assertNotIn("bindVerb", extender)
            for verb in ["filterVerb", "prioritizeVerb", "preemptVerb"]:
                self.assertIn(f'"/v1/{extender[verb]}"', routes)
            self.assertTrue(extender["urlPrefix"].endswith("/v1"))
            resources = [one["name"] for one in extender["managedResources"]]
            arguments = deployment.container(mode)["args"]
            self.assertEqual(resources, values_of(arguments, "--gpu-resource"))

    def test_the_sidecar_is_asked_where_it_listens(self):
        address = values_of(deployment.container("second-scheduler")["args"], "--listen")[0]
        extender, = self.settings("second-scheduler")["extenders"]
        self.assertEqual(extender["urlPrefix"], f"http://{address}/v1")
        for mode in ["second-scheduler", "gates"]:
            one = deployment.container(mode)
            port = values_of(one["args"], "--listen")[0].rsplit(":", 1)[1]
            for probe in ["livenessProbe", "readinessProbe"]:
                self.assertEqual(one[probe]["exec"]["command"][:2], ["zonecut-probe", port])

    def test_tls_is_verified_in_both_directions(self):
        extender, = self.settings("extender")["extenders"]
        self.assertIs(extender["enableHTTPS"], True)
        self.assertEqual(set(extender["tlsConfig"]), {"serverName", "caFile", "certFile", "keyFile"})


if __name__ == "__main__":
    deployment.main()
