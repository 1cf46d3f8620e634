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

// throughputKinds are measured side by side: the first is what the others are compared with.
var throughputKinds = []struct {
	name string
	rate func(l *lab, pods []*podObject) float64
}{
	{"bare kube-scheduler", bareRate},
	{"an extender that does nothing", idleRate},
	{"zonecut serve", zonecutRate},
	{"zonecut serve with gates", gatesRate},
}

func TestThroughput(t *testing.T) {
	if *throughputNodes == 0 {
		t.Skip("a measurement: -throughput.nodes says on how many nodes")
	}
	l := newLab(t, startControlPlane(t), "throughput")
	nodes := l.build(evenZones(max(1, *throughputNodes/50), 25)...)
	l.settings.wholeNodes = *throughputWhole
	rates := make([][]float64, len(throughputKinds))
	for range *throughputRounds {
		for i, kind := range throughputKinds {
			rates[i] = append(rates[i], kind.rate(l, l.gangs()))
			t.Logf("%-30s %6.1f pods/s", kind.name, rates[i][len(rates[i])-1])
		}
	}
	fmt.Printf("%d nodes, %d pods in gangs of %d, %d rounds, whole nodes: %v\n", len(nodes), *throughputPods,
		*throughputGang, *throughputRounds, *throughputWhole)
	for i, kind := range throughputKinds {
		fmt.Printf("%-30s %6.1f pods/s (%5.1f to %5.1f), %.2f of bare, %.2f of the extender that does nothing\n", kind.name,
			median(rates[i]), slices.Min(rates[i]), slices.Max(rates[i]), ratio(rates[i], rates[0]), ratio(rates[i], rates[1]))
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

func bareRate(l *lab, pods []*podObject) float64 {
	l.settings.extender = ""
	return l.rate(pods, func() func() { return func() {} })
}

func idleRate(l *lab, pods []*podObject) float64 {
	idle := listen(l.T, "idle-extender", itself(l.T, "idle-extender"))
	defer idle.kill()
	l.settings.extender = idle.address
	return l.rate(pods, func() func() { return func() {} })
}

func zonecutRate(l *lab, pods []*podObject) float64 {
	zonecut := l.startZonecut()
	defer zonecut.kill()
	eventually(l, "zonecut serve to be ready", time.Minute, zonecut.isReady)
	l.settings.extender = zonecut.address
	return l.rate(pods, func() func() { return func() {} })
}

// gatesRate starts zonecut last: planning, lifting and binding then all count.
func gatesRate(l *lab, pods []*podObject) float64 {
	l.settings.extender = ""
	gated(pods, gateWord)
	return l.rate(pods, func() func() { return l.startZonecut("--gates").kill })
}

// rate is pods per second between the first that is bound and the last. All exist before kube-scheduler
// starts, so that creating them does not count.
func (l *lab) rate(pods []*podObject, begin func() (end func())) float64 {
	l.Helper()
	times := &bindTimes{}
	registered, err := l.informer.AddEventHandler(times)
	if err != nil {
		l.Fatal(err)
	}
	defer func() { _ = l.informer.RemoveEventHandler(registered) }()
	l.createQuickly(pods)
	l.schedule()
	defer l.scheduler.kill()
	defer begin()()
	l.until("all pods to be bound", 10*time.Minute, func() bool { return times.count() == len(pods) })
	defer l.deleteAll()
	return times.rate()
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
