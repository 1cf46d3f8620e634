package realtest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// shippedModes say how a mode's programs are started as their containers would be.
var shippedModes = map[string]func(*lab, []*object, *account){
	"second-scheduler": beginSecondScheduler,
	"extender":         beginExtender,
	"gates":            beginGates,
}

var shippedSources = map[string]func(*testing.T, string) []*object{"manifests": manifests, "chart": chart}

// TestShipped creates what is shipped on an API server, and places gangs through it: the programs run with the
// arguments, the configuration and the rights that the objects give them.
func TestShipped(t *testing.T) {
	if err := hasPods(); err != nil {
		t.Skipf("SKIPPED: no mount namespaces for a test: %v", err)
	}
	plane := startControlPlane(t)
	for _, mode := range slices.Sorted(maps.Keys(shippedModes)) {
		for _, source := range []string{"manifests", "chart"} {
			t.Run(fmt.Sprintf("mode %s by its %s places a gang", mode, source), func(t *testing.T) {
				l := newLab(t, plane, mode+"-"+source)
				l.knownLabels = true
				shipped := shippedSources[source](t, mode)
				l.ensureNamespace(zonecutsOwn)
				l.apply(shipped)
				l.Cleanup(l.dropLeases)
				own := l.newAccount(l.name, read[shippedDeployment](l, shipped, "Deployment", ""))
				l.build(zone{"north", []int{3, 4}}, zone{"south", []int{5, 4}})
				l.policyHolds(own)
				shippedModes[mode](l, shipped, own)
				l.gangLands("train", mode)
				if mode == "second-scheduler" {
					l.tokenRotates(own)
				}
			})
		}
	}
	t.Run("helm installs, changes the mode, takes that back and removes all", func(t *testing.T) {
		newLab(t, plane, "helm").ensureNamespace(zonecutsOwn)
		r := newRelease(t, plane)
		r.changesModes()
		r.fixesAddress()
	})
}

// gangLands creates one, and expects it where `zonecut place` says, without a call too many.
func (l *lab) gangLands(name, mode string) {
	l.Helper()
	pods := l.gang(name, 8, pipeline(8))
	before, asked := l.metric("zonecut_api_writes_total", `kind="gate",result="done"`), l.filterAnswers()
	wakes := l.plane.wakes.now()
	if mode == "gates" {
		gated(pods, gateWord)
	}
	l.createQuickly(pods)
	l.equal(l.place(pipeline(8)), l.awaitAll(soon, pods))
	l.isTold(pods, "GangPlanned")
	// As in calm(), of all pods together: where TLS is spoken, nobody stands between to count for each.
	due := len(pods) * (2 + int(l.plane.wakes.now()-wakes))
	lifted := 0
	if mode == "gates" {
		due, lifted = 0, len(pods)
	}
	if calls := l.filterAnswers() - asked; calls > due || mode != "gates" && calls < len(pods) {
		l.Errorf("%d filter calls for %d pods, at most %d were due", calls, len(pods), due)
	}
	done := func() int { return l.metric("zonecut_api_writes_total", `kind="gate",result="done"`) - before }
	l.until("the last gate to be counted", soon, func() bool { return done() >= lifted })
	if found := done(); found != lifted {
		l.Errorf("%d gates were lifted, expected %d", found, lifted)
	}
	if mode == "second-scheduler" {
		l.calm(pods)
	}
	l.checkZonecut()
	if text := l.scheduler.text(); strings.Contains(text, "forbidden") {
		l.Errorf("kube-scheduler complains: %s", endOf(text))
	}
	l.delete(namesOf(pods)...)
}

// dropLeases: who is killed leaves its lease behind, and the next case would wait until it expires.
func (l *lab) dropLeases() {
	for _, space := range []string{zonecutsOwn, metav1.NamespaceSystem} {
		_ = l.plane.client.CoordinationV1().Leases(space).DeleteCollection(context.Background(), metav1.DeleteOptions{}, metav1.ListOptions{})
	}
}

// policyHolds: with zonecut's token nobody may change a pod's labels, which its role allows.
func (l *lab) policyHolds(own *account) {
	l.Helper()
	client, patch := own.clientOf(own.token), []byte(`{"metadata":{"labels":{"app":"other"}}}`)
	eventually(l, "the admission policy to hold", soon, func() bool {
		_, err := client.CoreV1().Pods(zonecutsOwn).Patch(context.Background(), own.holder, types.MergePatchType, patch,
			metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil || apierrors.IsForbidden(err) && !strings.Contains(err.Error(), "ValidatingAdmissionPolicy") {
			return false // the API server has yet to see the policy, or the role
		}
		if !strings.Contains(err.Error(), "ValidatingAdmissionPolicy") {
			l.Fatal(err)
		}
		return true
	})
}

// tokenRotates: first in time, as the kubelet does it; then too late, when the API server refuses the old one
// already and the watches have to begin anew.
func (l *lab) tokenRotates(own *account) {
	l.Helper()
	holder, token := own.holder, own.token
	own.rotate()
	own.end(holder, token)
	l.line.cut()
	l.line.mend()
	l.gangLands("rotated", "second-scheduler")

	own.end(own.holder, own.token)
	l.line.cut()
	l.line.mend()
	eventually(l, "zonecut to be refused", soon, func() bool {
		return strings.Contains(l.zonecut.text(), "Unauthorized")
	})
	own.rotate()
	listed := l.metric("zonecut_watch_failures_total", `resource="pods"`)
	if listed == 0 {
		l.Error("no watch of pods has failed")
	}
	l.gangLands("late", "second-scheduler")
}

// beginShipped starts zonecut with a container's arguments, some of their words replaced by what is so here.
func (l *lab) beginShipped(objects []*object, own *account, pairs ...string) {
	l.Helper()
	zonecut := container(l, read[shippedDeployment](l, objects, "Deployment", ""), "zonecut")
	// Names of variables are replaced by the kubelet.
	arguments := strings.ReplaceAll(strings.Join(zonecut.Args, "\n"), "$(NAMESPACE)", own.namespace)
	arguments = replaced(l, arguments, pairs...)
	l.line = startLine(l.T, l.plane.address)
	command := exec.Command(zonecutProgram(l.T), strings.Split(arguments, "\n")...)
	l.zonecut = listen(l.T, "zonecut", own.inPod(l.line.address, command))
}

// schedulerSettingsIn writes what a ConfigMap says to kube-scheduler to a file, some words replaced.
func (l *lab) schedulerSettingsIn(objects []*object, pairs ...string) string {
	l.Helper()
	settings := read[corev1.ConfigMap](l, objects, "ConfigMap", "zonecut-kube-scheduler")
	return l.plane.write(l.T, l.name+".scheduler.yaml", replaced(l, settings.Data["scheduler.yaml"], pairs...))
}

func beginSecondScheduler(l *lab, objects []*object, own *account) {
	l.settings.name = "zonecut"
	l.beginShipped(objects, own, "--listen=127.0.0.1:8090", "--listen=127.0.0.1:0")
	eventually(l, "zonecut serve to be ready", soon, l.zonecut.isReady)
	l.proxy.send(l.zonecut.address)
	settings := l.schedulerSettingsIn(objects, "http://127.0.0.1:8090/v1", l.proxy.server.URL+"/v1")
	// Its container says nothing else; here several may run on a machine. Go's clients read a token once a
	// minute, so its own is not the one that ends too soon.
	command := itself(l.T, "kube-scheduler", "--config="+settings, "--secure-port=0", "--v=2")
	beside := l.newAccount(own.name+"-beside", read[shippedDeployment](l, objects, "Deployment", ""))
	l.scheduler = start(l.T, "kube-scheduler", beside.inPod(l.plane.address, command), nil)
}

// beginExtender: kube-scheduler is the one that is there, with rights of its own, and speaks TLS.
func beginExtender(l *lab, objects []*object, own *account) {
	l.settings.name = corev1.DefaultSchedulerName
	folder := l.TempDir()
	make := exec.Command(filepath.Join(pluginFolder, "make-certificates"), filepath.Join(folder, "certificates"))
	if said, err := make.CombinedOutput(); err != nil {
		l.Fatalf("make-certificates: %v: %s", err, said)
	}
	files := filepath.Join(folder, "certificates") + "/"
	l.beginShipped(objects, own, "--listen=0.0.0.0:8443", "--listen=127.0.0.1:0", "/etc/zonecut/tls/", files)
	l.speakTLS(files, "zonecut."+zonecutsOwn+".svc")
	eventually(l, "zonecut serve to lead", soon, l.zonecut.isReady)
	settings := l.schedulerSettingsIn(objects, "https://zonecut."+zonecutsOwn+".svc/v1", l.zonecut.address+"/v1",
		"/etc/kubernetes/zonecut/", files,
		"/etc/kubernetes/scheduler.conf", l.plane.tokenKubeconfig(l.T, l.name+"-scheduler", schedulerUser))
	l.scheduler = start(l.T, "kube-scheduler",
		itself(l.T, "kube-scheduler", "--config="+settings, "--secure-port=0", "--v=2"), nil)
}

// speakTLS asks zonecut over TLS from here on, with the scheduler's certificate.
func (l *lab) speakTLS(files, server string) {
	l.Helper()
	known, err := tls.LoadX509KeyPair(files+"client.crt", files+"client.key")
	if err != nil {
		l.Fatal(err)
	}
	text, err := os.ReadFile(files + "ca.crt")
	if err != nil {
		l.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(text)
	l.zonecut.address = strings.Replace(l.zonecut.address, "http://", "https://", 1)
	l.zonecut.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, ServerName: server,
		Certificates: []tls.Certificate{known}}}
}

func beginGates(l *lab, objects []*object, own *account) {
	l.settings.name, l.settings.extender = corev1.DefaultSchedulerName, ""
	l.beginShipped(objects, own, "--listen=127.0.0.1:8090", "--listen=127.0.0.1:0")
	eventually(l, "zonecut serve to lead", soon, l.zonecut.isReady)
	l.schedule()
}
