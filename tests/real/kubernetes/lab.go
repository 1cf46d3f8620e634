package realtest

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// lab is what one case has to itself on the shared control plane: a namespace, nodes, a kube-scheduler
// with a name of its own, and an extender. Its name names all of them.
type lab struct {
	*testing.T
	plane     *controlPlane
	name      string
	proxy     *countingProxy
	zonecut   *served
	scheduler *process
	settings  schedulerSettings
	flags     []string // of zonecut serve, besides those every case has
	user      string   // kubeconfig of zonecut
	pods      listers.PodNamespaceLister
	informer  cache.SharedIndexInformer // of the pods
	changed   chan struct{}
	made      sync.Map // name of a pod to the wakes before it was made
	cluster   string   // cluster file that zonecut is given; empty: it reads the nodes' labels
	stderr    *os.File // of zonecut; nil: a file whose end is shown when the case fails

	knownLabels bool     // the nodes' labels are of a set that zonecut knows without being told
	line        *cutLine // to the API server, where zonecut has one of its own
}

// newLab makes the namespace and watches its pods; nothing runs yet.
func newLab(t *testing.T, plane *controlPlane, name string) *lab {
	t.Helper()
	made := &lab{T: t, plane: plane, name: name, proxy: startProxy(t), changed: make(chan struct{}, 1)}
	made.settings = schedulerSettings{name: name, extender: made.proxy.server.URL}
	made.user = plane.tokenKubeconfig(t, name, zonecutUser)
	plane.createNamespace(t, name)
	made.watchPods()
	t.Cleanup(made.clear)
	return made
}

func (l *lab) watchPods() {
	l.Helper()
	stop := make(chan struct{})
	l.Cleanup(func() { close(stop) })
	factory := informers.NewSharedInformerFactoryWithOptions(l.plane.client, 0, informers.WithNamespace(l.name))
	pods := factory.Core().V1().Pods()
	l.informer, l.pods = pods.Informer(), pods.Lister().Pods(l.name)
	if _, err := l.informer.AddEventHandler(notifier(l.changed)); err != nil {
		l.Fatal(err)
	}
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
}

// notifier leaves a word in the channel at every event, unless one lies there.
type notifier chan struct{}

func (changed notifier) OnAdd(any, bool)   { changed.note() }
func (changed notifier) OnUpdate(any, any) { changed.note() }
func (changed notifier) OnDelete(any)      { changed.note() }
func (changed notifier) note() {
	select {
	case changed <- struct{}{}:
	default:
	}
}

// run starts zonecut and kube-scheduler, both ready when it returns.
func (l *lab) run(flags ...string) {
	l.Helper()
	l.flags = flags
	l.serve()
	l.schedule()
}

func (l *lab) schedule() {
	l.Helper()
	l.scheduler = l.plane.startScheduler(l.T, l.settings)
}

// serve starts zonecut, again when it ended, and sends kube-scheduler's calls to it.
func (l *lab) serve() {
	l.Helper()
	l.zonecut = l.startZonecut(l.flags...)
	eventually(l, "zonecut serve to be ready", 20*time.Second, l.zonecut.isReady)
	l.proxy.send(l.zonecut.address)
}

func (l *lab) startZonecut(flags ...string) *served {
	l.Helper()
	arguments := append([]string{"serve", "--listen", "127.0.0.1:0", "--kubeconfig", l.user,
		"--effort", effort}, flags...)
	if l.cluster != "" {
		arguments = append(arguments, "--cluster", l.cluster)
	} else {
		arguments = append(arguments, "--levels", l.zoneKey()+","+l.rackKey())
	}
	command := exec.Command(zonecutProgram(l.T), arguments...)
	if l.stderr != nil {
		command.Stderr = l.stderr
	}
	return listen(l.T, "zonecut", command)
}

// checkZonecut fails the case when zonecut could not do what it wanted, for want of rights or else.
func (l *lab) checkZonecut() {
	l.Helper()
	for _, line := range strings.Split(l.zonecut.text(), "\n") {
		refused := strings.Contains(line, "a write was refused") && strings.Contains(line, `"result":"failed"`)
		if refused || strings.Contains(line, "forbidden") || strings.Contains(line, `"level":"error"`) {
			l.Errorf("zonecut complains: %s", line)
		}
	}
}

// clear gives the cluster back what the case held, so that the others are not slowed down.
func (l *lab) clear() {
	own := metav1.ListOptions{LabelSelector: caseLabel + "=" + l.name}
	_ = l.plane.client.CoreV1().Pods(l.name).DeleteCollection(context.Background(), metav1.DeleteOptions{}, metav1.ListOptions{})
	_ = l.plane.client.CoreV1().Nodes().DeleteCollection(context.Background(), metav1.DeleteOptions{}, own)
}

// until waits for the pods of the case to be as wanted.
func (l *lab) until(what string, limit time.Duration, holds func() bool) {
	l.Helper()
	deadline := time.After(limit)
	for !holds() {
		select {
		case <-l.changed:
		case <-time.After(50 * time.Millisecond):
		case <-deadline:
			if !holds() {
				l.Fatalf("waited %v in vain for %s\n%s", limit, what, l.describe())
			}
		}
	}
}

// isTold waits until one of the pods has an event of zonecut's with the reason.
func (l *lab) isTold(pods []*corev1.Pod, reason string) {
	l.Helper()
	about := map[string]bool{}
	for _, pod := range pods {
		about[pod.Name] = true
	}
	eventually(l, "an event "+reason, 10*time.Second, func() bool {
		events, err := l.plane.client.EventsV1().Events(l.name).List(context.Background(), metav1.ListOptions{})
		if err != nil {
			l.Fatal(err)
		}
		return slices.ContainsFunc(events.Items, func(event eventsv1.Event) bool {
			return event.Reason == reason && about[event.Regarding.Name]
		})
	})
}

// told are the reasons of events of zonecut's about any of the pods.
func (l *lab) told(pods ...*corev1.Pod) []string {
	l.Helper()
	events, err := l.plane.client.EventsV1().Events(l.name).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		l.Fatal(err)
	}
	var reasons []string
	for _, event := range events.Items {
		if slices.Contains(namesOf(pods), event.Regarding.Name) && strings.HasPrefix(event.Reason, "Gang") {
			reasons = append(reasons, event.Reason)
		}
	}
	return reasons
}

func (l *lab) allPods() []*corev1.Pod {
	l.Helper()
	found, err := l.pods.List(labels.Everything())
	if err != nil {
		l.Fatal(err)
	}
	return found
}
