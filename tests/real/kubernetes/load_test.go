package realtest

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

var (
	loadNodes    = flag.Int("load.nodes", 0, "measure zonecut serve under load on so many nodes")
	loadParts    = flag.String("load.parts", "planned,bound,plan,refused,hour,idle,slow", "what is measured")
	loadCalls    = flag.Int("load.calls", 2000, "calls about planned pods of each gang, names mode; a twentieth with whole nodes")
	loadRequests = flag.Int("load.requests", 200_000, "requests of the part hour")
	loadClients  = flag.Int("load.slow", 10_000, "clients of the part slow")
)

var loadGangs = []int{8, 64, 512, 1024}

const loadJob = "tp=8,pp=8"

// TestLoad measures how `zonecut serve` answers on a large cluster. No kube-scheduler runs: the calls
// that it would make come one by one from a process of their own, so that nothing but the answers is timed.
func TestLoad(t *testing.T) {
	if *loadNodes == 0 {
		t.Skip("a measurement: -load.nodes says on how many nodes")
	}
	l := newLab(t, startControlPlane(t), "load")
	l.build(unevenZones(*loadNodes)...)
	l.zonecut = l.startZonecut()
	eventually(l, "zonecut serve to be ready", time.Minute, l.zonecut.isReady)
	bench := &loadBench{lab: l, asker: newAsker(l), apart: newCallerApart(t, l.zonecut.address)}
	fmt.Printf("%d nodes; bodies of %d KB with names, %d KB with whole nodes\n", *loadNodes,
		len(bench.candidates(l.pod("any", gpusOfNode), false, 0))/1000, len(bench.nodes)/1000)
	for _, part := range strings.Split(*loadParts, ",") {
		run, known := loadPartsByName[part]
		if !known {
			t.Fatalf("no part is called %q", part)
		}
		run(bench)
	}
	l.checkZonecut()
}

var loadPartsByName = map[string]func(*loadBench){
	"planned": plannedCalls,
	"bound":   boundCalls,
	"plan":    planTimes,
	"refused": refusedCalls,
	"hour":    hourOfCalls,
	"idle":    idleConnections,
	"slow":    slowClients,
}

type loadBench struct {
	*lab
	*asker
	*apart
}

// unevenZones have one to six racks of 8 to 40 nodes.
func unevenZones(nodes int) []zone {
	chance := rand.New(rand.NewSource(1))
	var zones []zone
	for nodes > 0 {
		made := zone{name: fmt.Sprintf("zone%d", len(zones)+1)}
		for range 1 + chance.Intn(6) {
			size := min(nodes, 8+chance.Intn(33))
			if nodes -= size; size > 0 {
				made.racks = append(made.racks, size)
			}
		}
		zones = append(zones, made)
	}
	return zones
}

// exist creates pods and returns them as kube-scheduler sends them, in the order given.
func (b *loadBench) exist(pods []*corev1.Pod) []*corev1.Pod {
	b.Helper()
	b.createQuickly(pods)
	b.until("the pods to exist", time.Minute, func() bool {
		for _, pod := range pods {
			if _, err := b.pods.Get(pod.Name); err != nil {
				return false
			}
		}
		return true
	})
	var sent []*corev1.Pod
	for _, pod := range pods {
		found, _ := b.pods.Get(pod.Name)
		made := found.DeepCopy()
		made.ManagedFields = nil
		sent = append(sent, made)
	}
	time.Sleep(500 * time.Millisecond) // zonecut has heard of them, too
	return sent
}

// filter asks, and fails unless so many nodes are left.
func (b *loadBench) filter(body []byte, left int) ([]string, time.Duration) {
	b.Helper()
	answer, took, err := b.post("filter", body)
	if err != nil {
		b.Fatal(err)
	}
	names, err := keptNames(answer)
	if err != nil {
		b.Fatal(err)
	}
	if len(names) != left {
		b.Fatalf("%d nodes are left, not %d: %.500s", len(names), left, answer)
	}
	return names, took
}

func modeName(whole bool) string {
	if whole {
		return "whole nodes"
	}
	return "names"
}

// plannedCalls: the call that plans a gang, and those about its other members.
func plannedCalls(b *loadBench) {
	for _, whole := range []bool{false, true} {
		for _, size := range loadGangs {
			pods := b.exist(b.gang(fmt.Sprintf("planned-%d", size), size, loadJob))
			calls := *loadCalls
			if whole {
				calls /= 20
			}
			_, first := b.filter(b.candidates(pods[0], whole, 0), 1)
			before := ownClockOf(b, b.zonecut.address)
			places := make([]string, size)
			var times durations
			for i := range max(calls, size) {
				if whole && i >= calls {
					break
				}
				names, took := b.filter(b.candidates(pods[i%size], whole, i), 1)
				times = append(times, took)
				if was := places[i%size]; was != "" && was != names[0] {
					b.Errorf("rank %d was told of %s, then of %s", i%size, was, names[0])
				}
				places[i%size] = names[0]
			}
			fmt.Printf("filter, %-11s gang of %4d: first call %s, then %v; %s\n", modeName(whole)+",", size,
				milliseconds(first), times, ownClockOf(b, b.zonecut.address).since(before))
			if !slices.Contains(places, "") {
				b.distinct(places)
			}
			b.deleteAll()
		}
	}
}

// planTimes: how long planning takes, by zonecut's own log, on a free cluster and on one whose servers
// are half taken at random.
func planTimes(b *loadBench) {
	measure := func(cluster string) {
		for _, size := range loadGangs {
			for _, job := range []string{loadJob, ""} {
				var times durations
				for round := range 3 {
					name := fmt.Sprintf("plan-%s-%d-%d-%d", cluster, size, len(job), round)
					pods := b.gang(name, size, job)
					made := b.exist(pods)
					_, _ = b.filter(b.candidates(made[0], false, 0), 1)
					times = append(times, b.planning(name))
					b.delete(namesOf(pods)...)
				}
				fmt.Printf("plan, %s cluster, gang of %4d, job %-11q: median %s, max %s of %d\n", cluster, size, job,
					milliseconds(times.quantile(0.5)), milliseconds(slices.Max(times)), len(times))
			}
		}
	}
	measure("free")
	b.takeHalf()
	measure("half-taken")
	b.deleteAll()
}

// takeHalf gives every second server, at random, to a pod of no gang.
func (b *loadBench) takeHalf() {
	b.Helper()
	var pods []*corev1.Pod
	for i, server := range rand.New(rand.NewSource(2)).Perm(len(b.names))[:len(b.names)/2] {
		pod := b.pod(fmt.Sprintf("taker-%d", i), gpusOfNode)
		pod.Spec.NodeName = b.names[server]
		pods = append(pods, pod)
	}
	b.exist(pods)
}

// planning is what the log says of a gang's plan.
func (b *loadBench) planning(gang string) time.Duration {
	b.Helper()
	file, err := os.Open(b.zonecut.log)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var line struct {
			Gang    string  `json:"gang"`
			Seconds float64 `json:"planning_seconds"`
		}
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Seconds > 0 && strings.HasSuffix(line.Gang, "/"+gang) {
			return time.Duration(line.Seconds * float64(time.Second))
		}
	}
	b.Fatalf("the log does not tell of a plan of %s", gang)
	return 0
}

// refusedCalls: a gang that waits; the answer lists every node.
func refusedCalls(b *loadBench) {
	pods := b.gang("waiting", len(b.names)+1, loadJob)[:16]
	for _, pod := range pods {
		pod.Annotations[jobWord] = ""
	}
	pods = b.exist(pods)
	for _, whole := range []bool{false, true} {
		calls := *loadCalls
		if whole {
			calls /= 20
		}
		var times durations
		before := ownClockOf(b, b.zonecut.address)
		for i := range calls {
			_, took := b.filter(b.candidates(pods[i%len(pods)], whole, i), 0)
			times = append(times, took)
		}
		fmt.Printf("filter, %-11s gang that waits: %v; %s\n", modeName(whole)+",", times,
			ownClockOf(b, b.zonecut.address).since(before))
	}
	b.deleteAll()
}
