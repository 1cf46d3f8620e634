package realtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// schedulerSettings say how kube-scheduler calls the extender.
type schedulerSettings struct {
	name       string // schedulerName, and the case's name
	extender   string // http://127.0.0.1:PORT; empty: none
	wholeNodes bool   // nodeCacheCapable: false
	ignorable  bool
	binds      bool           // bindVerb
	everyPod   bool           // no managedResources: pods without GPUs are sent too
	bare       bool           // neither prioritize nor preempt
	features   string         // --feature-gates
	tls        map[string]any // tlsConfig of the extender; nil: HTTP
	kubeconfig string
}

func (settings schedulerSettings) extenders() []any {
	if settings.extender == "" {
		return []any{}
	}
	extender := map[string]any{
		"urlPrefix":        settings.extender + "/v1",
		"filterVerb":       "filter",
		"nodeCacheCapable": !settings.wholeNodes,
		"ignorable":        settings.ignorable,
		"httpTimeout":      "5s",
	}
	if !settings.bare {
		extender["prioritizeVerb"], extender["weight"] = "prioritize", 125
		extender["preemptVerb"] = "preempt"
	}
	if settings.binds {
		extender["bindVerb"] = "bind"
	}
	if !settings.everyPod {
		extender["managedResources"] = []any{
			map[string]any{"name": gpuResource, "ignoredByScheduler": false}}
	}
	if settings.tls != nil {
		extender["enableHTTPS"], extender["tlsConfig"] = true, settings.tls
	}
	return []any{extender}
}

func (settings schedulerSettings) file(t *testing.T) string {
	t.Helper()
	text, err := json.MarshalIndent(map[string]any{
		"apiVersion":               "kubescheduler.config.k8s.io/v1",
		"kind":                     "KubeSchedulerConfiguration",
		"clientConnection":         map[string]any{"kubeconfig": settings.kubeconfig, "qps": 5000, "burst": 5000},
		"leaderElection":           map[string]any{"leaderElect": false},
		"percentageOfNodesToScore": 100,
		"podInitialBackoffSeconds": 1,
		"podMaxBackoffSeconds":     1,
		"profiles":                 []any{map[string]any{"schedulerName": settings.name}},
		"extenders":                settings.extenders(),
	}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "scheduler.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// startScheduler runs kube-scheduler as a process of its own.
func (plane *controlPlane) startScheduler(t *testing.T, settings schedulerSettings) *process {
	t.Helper()
	settings.kubeconfig = plane.tokenKubeconfig(t, settings.name+"-scheduler", schedulerUser)
	command := itself(t, "kube-scheduler", "--config", settings.file(t), "--secure-port=0", "--v=2",
		"--feature-gates="+settings.features)
	return start(t, "kube-scheduler", command, nil)
}
