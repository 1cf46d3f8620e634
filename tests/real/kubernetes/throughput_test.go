package realtest

import (
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

var (
	throughputNodes  = flag.Int("throughput.nodes", 0, "measure pods per second on so many nodes")
	throughputPods   = flag.Int("throughput.pods", 400, "pods of each run, in gangs")
	throughputGang   = flag.Int("throughput.gang", 8, "pods of a gang")
	throughputRounds = flag.Int("throughput.rounds", 3, "runs of each kind, interleaved")
	throughputWhole  = flag.Bool("throughput.whole", false, "whole nodes travel to the extender")
)

// pace is what one run shows.
type pace struct {
	rate float64 // pods per second
	cost float64 // milliseconds that kube-scheduler and the extender computed for a pod: steadier on a busy machine
}

// throughputKinds are measured side by side: the others are compared with the first two.
var throughputKinds = []struct {
	name string
	run  func(l *lab, pods []*podObject) pace
}{
	{"bare kube-scheduler", bareRun},
	{"an extender that does nothing", idleRun},
	{"zonecut serve", zonecutRun},
	{"zonecut serve with gates", gatesRun},
}

func TestThroughput(t *testing.T) {
	if *throughputNodes == 0 {
		t.Skip("a measurement: -throughput.nodes says on how many nodes")
	}
	l := newLab(t, startControlPlane(t), "throughput")
	nodes := l.build(evenZones(max(1, *throughputNodes/50), 25)...)
	l.settings.wholeNodes = *throughputWhole
	rates, costs := make([][]float64, len(throughputKinds)), make([][]float64, len(throughputKinds))
	for range *throughputRounds {
		for i, kind := range throughputKinds {
			seen := kind.run(l, l.gangs())
			rates[i], costs[i] = append(rates[i], seen.rate), append(costs[i], seen.cost)
			t.Logf("%-30s %6.1f pods/s %6.2f ms of CPU a pod", kind.name, seen.rate, seen.cost)
		}
	}
	fmt.Printf("%d nodes, %d pods in gangs of %d, %d rounds, whole nodes: %v\n", len(nodes), *throughputPods,
		*throughputGang, *throughputRounds, *throughputWhole)
	for i, kind := range throughputKinds {
		fmt.Printf("%-30s %6.1f pods/s (%5.1f to %5.1f), %.2f of bare, %.2f of the extender that does nothing; "+
			"%.2f ms of CPU a pod\n", kind.name, median(rates[i]), slices.Min(rates[i]), slices.Max(rates[i]),
			ratio(rates[i], rates[0]), ratio(rates[i], rates[1]), median(costs[i]))
	}
}

// ratio is the median over the rounds: neighbours in time, so that a machine's moods matter less.
func ratio(rates, others []float64) float64 {
	var ratios []float64
	for i := range rates {
		ratios = append(ratios, rates[i]/others[i])
	}
	return median(ratios)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

func (l *lab) gangs() []*podObject {
	var pods []*podObject
	for i := range *throughputPods / *throughputGang {
		pods = append(pods, l.gang(fmt.Sprintf("gang%d", i), *throughputGang, pipeline(*throughputGang))...)
	}
	return pods
}

func bareRun(l *lab, pods []*podObject) pace {
	l.settings.extender = ""
	return l.measure(pods, nil)
}

func idleRun(l *lab, pods []*podObject) pace {
	idle := listen(l.T, "idle-extender", itself(l.T, "idle-extender"))
	l.settings.extender = idle.address
	return l.measure(pods, func() *process { return idle.process })
}

func zonecutRun(l *lab, pods []*podObject) pace {
	zonecut := l.startZonecut()
	eventually(l, "zonecut serve to be ready", time.Minute, zonecut.isReady)
	l.settings.extender = zonecut.address
	return l.measure(pods, func() *process { return zonecut.process })
}

// gatesRun starts zonecut last: planning, lifting and binding then all count.
func gatesRun(l *lab, pods []*podObject) pace {
	l.settings.extender = ""
	gated(pods, gateWord)
	return l.measure(pods, func() *process { return l.startZonecut("--gates").process })
}

// measure counts from the first pod that is bound to the last. All exist before kube-scheduler starts, so
// that creating them does not count; `extender` is called when kube-scheduler runs.
func (l *lab) measure(pods []*podObject, extender func() *process) pace {
	l.Helper()
	times := &bindTimes{}
	registered, err := l.informer.AddEventHandler(times)
	if err != nil {
		l.Fatal(err)
	}
	defer func() { _ = l.informer.RemoveEventHandler(registered) }()
	l.createQuickly(pods)
	l.schedule()
	running := []*process{l.scheduler}
	if extender != nil {
		running = append(running, extender())
	}
	l.until("all pods to be bound", 10*time.Minute, func() bool { return times.count() == len(pods) })
	var computed time.Duration
	for _, one := range running {
		one.kill()
		computed += one.cpu()
	}
	l.deleteAll()
	return pace{times.rate(), computed.Seconds() * 1000 / float64(len(pods))}
}

// bindTimes notes when pods are bound.
type bindTimes struct {
	mutex       sync.Mutex
	bound       int
	first, last time.Time
}

var _ cache.ResourceEventHandler = &bindTimes{}

func (times *bindTimes) OnAdd(any, bool) {}
func (times *bindTimes) OnDelete(any)    {}
func (times *bindTimes) OnUpdate(before, after any) {
	if before.(*corev1.Pod).Spec.NodeName != "" || after.(*corev1.Pod).Spec.NodeName == "" {
		return
	}
	times.mutex.Lock()
	defer times.mutex.Unlock()
	times.last = time.Now()
	if times.bound == 0 {
		times.first = times.last
	}
	times.bound++
}

func (times *bindTimes) count() int {
	times.mutex.Lock()
	defer times.mutex.Unlock()
	return times.bound
}

func (times *bindTimes) rate() float64 {
	times.mutex.Lock()
	defer times.mutex.Unlock()
	return float64(times.bound-1) / times.last.Sub(times.first).Seconds()
}
