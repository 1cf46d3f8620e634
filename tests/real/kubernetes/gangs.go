package realtest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Words of zonecut's own on pods.
const (
	jobWord  = "zonecut.dev/job"
	gangWord = "zonecut.dev/gang"
	sizeWord = "zonecut.dev/size"
	rankWord = "zonecut.dev/rank"
	gateWord = "zonecut.dev/placement"
)

// pipeline is a job of so many pods whose cut depends on their order: a pipeline stage in each.
func pipeline(pods int) string { return fmt.Sprintf("tp=8,pp=%d,model=llama3-70b", pods) }

// gang makes pods NAME-0, NAME-1, … that say by annotations alone that they belong together.
func (l *lab) gang(name string, size int, job string) []*corev1.Pod {
	var pods []*corev1.Pod
	for rank := range size {
		pod := l.pod(fmt.Sprintf("%s-%d", name, rank), gpusOfNode)
		pod.Annotations = map[string]string{gangWord: name, sizeWord: strconv.Itoa(size),
			rankWord: strconv.Itoa(rank), jobWord: job}
		pods = append(pods, pod)
	}
	return pods
}

// shuffled is the same in an order that is neither that of ranks nor that of names.
func shuffled(pods []*corev1.Pod) []*corev1.Pod {
	mixed := slices.Clone(pods)
	for i := range mixed {
		j := (i*7 + 3) % len(mixed)
		mixed[i], mixed[j] = mixed[j], mixed[i]
	}
	return mixed
}

// equal fails unless each rank is where it is expected.
func (l *lab) equal(expected, found []string) {
	l.Helper()
	if !slices.Equal(expected, found) {
		l.Errorf("ranks are elsewhere\nexpected %v\nfound    %v", expected, found)
	}
}

// distinct fails unless each pod has a node of its own.
func (l *lab) distinct(nodes []string) {
	l.Helper()
	sorted := slices.Sorted(slices.Values(nodes))
	if slices.Contains(sorted, "") || len(slices.Compact(sorted)) != len(nodes) {
		l.Errorf("pods share nodes or have none: %v", nodes)
	}
}

// calmBetweenDeaths: as calm(), of answers. A call that nobody answered is made again, a second later at the
// earliest unless something woke the pod meanwhile.
func (l *lab) calmBetweenDeaths(pods []*corev1.Pod) {
	l.Helper()
	for _, pod := range pods {
		made, known := l.made.Load(pod.Name)
		if !known {
			continue
		}
		calls := l.proxy.seen("filter", pod.Name)
		if len(calls) == 0 {
			continue
		}
		failed := 0
		for _, one := range calls {
			if one.status != http.StatusOK {
				failed++
			}
		}
		wakes := int(l.plane.wakes.now() - made.(int64))
		seconds := int(time.Since(calls[0].at)/time.Second) + 1
		if failed > 1+seconds+wakes || len(calls)-failed > 2+wakes+failed {
			l.Errorf("%d filter calls for pod %s, %d of them failed; in %d s with %d wakes", len(calls), pod.Name, failed, seconds, wakes)
		}
	}
}

// calm fails when kube-scheduler asked more often about a pod than the cluster gave it reasons to: twice
// of its own accord, and once more for each event since the pod was made that wakes refused pods. Events
// that have yet to be told of here are waited for; a loop outruns them.
func (l *lab) calm(pods []*corev1.Pod) {
	l.Helper()
	var calls, most int
	for _, pod := range pods {
		made, known := l.made.Load(pod.Name)
		if !known { // not made yet
			continue
		}
		for deadline := time.Now().Add(2 * time.Second); ; time.Sleep(50 * time.Millisecond) {
			calls, most = l.proxy.count("filter", pod.Name), 2+int(l.plane.wakes.now()-made.(int64))
			if calls <= most || time.Now().After(deadline) {
				break
			}
		}
		if calls > most {
			l.Errorf("%d filter calls for pod %s, at most %d were due", calls, pod.Name, most)
		}
	}
}
