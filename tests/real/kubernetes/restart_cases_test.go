package realtest

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// brokenOff creates five of eight pods and lets them settle; zonecut may bind them or wait for the rest.
func (l *lab) brokenOff() (expected []string, finish func() []string) {
	l.Helper()
	l.build(zone{"north", []int{3, 4}}, zone{"south", []int{5, 4}})
	l.run()
	gang := l.gang("train", 8, pipeline(8))
	first := []int{6, 1, 4, 0, 3}
	for _, rank := range first {
		l.create(gang[rank])
	}
	l.until("zonecut to be asked about the first five", soon, func() bool {
		for _, rank := range first {
			if l.proxy.count("filter", gang[rank].Name) == 0 {
				return false
			}
		}
		return true
	})
	return l.place(pipeline(8)), func() []string {
		for rank, pod := range gang {
			if !slices.Contains(first, rank) {
				l.create(pod)
			}
		}
		nodes := l.awaitAll(soon, gang)
		l.calm(gang)
		return nodes
	}
}

func finishedAfterKill(l *lab) {
	expected, finish := l.brokenOff()
	l.zonecut.kill()
	l.serve()
	l.equal(expected, finish())
	l.checkZonecut()
}

func finishedAfterRestart(l *lab) {
	expected, finish := l.brokenOff()
	l.zonecut.terminate()
	l.serve()
	l.equal(expected, finish())
	l.checkZonecut()
}

// refusedAreWoken: what the killed zonecut held back is in nobody's memory, and the room that comes is the end
// of a reservation, of which the API does not tell.
func refusedAreWoken(l *lab) {
	l.build(evenZones(2, 2)...)
	l.run("--reserve", "6")
	never, waiting := l.gang("never", 6, pipeline(6)), l.gang("waiting", 4, pipeline(4))
	l.create(never[:3]...)
	l.awaitAll(soon, never[:3])
	l.create(waiting...)
	l.until("the second gang to be refused", soon, func() bool {
		return !slices.ContainsFunc(waiting, func(pod *podObject) bool { return !l.isRefused(pod.Name) })
	})
	// kube-scheduler tries each once more of its own accord; a call that fails would be one too many.
	l.staysUnbound(1500*time.Millisecond, waiting)
	l.zonecut.kill()
	l.serve()
	l.distinct(l.awaitAll(soon, waiting))
	l.calm(waiting)
	l.checkZonecut()
}

// isRefused: kube-scheduler has written onto the pod that zonecut does not let it go.
func (l *lab) isRefused(name string) bool {
	pod, err := l.pods.Get(name)
	return err == nil && slices.ContainsFunc(pod.Status.Conditions, func(condition corev1.PodCondition) bool {
		return condition.Type == corev1.PodScheduled && strings.Contains(condition.Message, "zonecut: ")
	})
}

// completedAroundBound: three ranks stand where nobody would have put them; they stay, the others join.
func completedAroundBound(l *lab) {
	nodes := l.build(zone{"north", []int{3, 4}}, zone{"south", []int{5, 4}})
	l.schedule()
	pods := l.gang("train", 8, pipeline(8))
	for rank, node := range []string{nodes[2], nodes[9], nodes[15]} {
		pods[rank].Spec.NodeName = node
	}
	l.create(pods[:3]...)
	l.serve()
	l.create(pods[3:]...)
	found := l.awaitAll(soon, pods)
	l.equal([]string{nodes[2], nodes[9], nodes[15]}, found[:3])
	l.distinct(found)
	l.calm(pods)
	l.checkZonecut()
}

func waitsWhileDown(l *lab) {
	l.build(zone{"north", []int{3, 4}}, zone{"south", []int{5, 4}})
	l.run()
	l.zonecut.kill()
	pods := l.gang("train", 8, pipeline(8))
	l.create(pods...)
	l.staysUnbound(3*time.Second, pods)
	l.serve()
	l.equal(l.place(pipeline(8)), l.awaitAll(soon, pods))
	for _, pod := range pods { // a failed call is tried again after a second
		if calls := l.proxy.count("filter", pod.Name); calls > 15 {
			l.Errorf("%d filter calls for pod %s", calls, pod.Name)
		}
	}
	l.calmBetweenDeaths(pods)
	l.checkZonecut()
}

func ignorableLetsPlainPodsPass(l *lab) {
	l.build(evenZones(2, 2)...)
	l.settings.ignorable = true
	l.run()
	l.zonecut.kill()
	plain := l.pod("plain", gpusOfNode)
	l.create(plain)
	l.awaitAll(soon, []*podObject{plain})
	if calls := l.proxy.count("filter", plain.Name); calls != 1 {
		l.Errorf("%d filter calls for a pod that is bound at the first, failed one", calls)
	}
}
