package realtest

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func gated(pods []*podObject, gates ...string) {
	for _, pod := range pods {
		for _, gate := range gates {
			pod.Spec.SchedulingGates = append(pod.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: gate})
		}
	}
}

// gatesAreLifted: kube-scheduler knows of no extender; zonecut plans, selects nodes and lifts the gates.
// Nothing is planned for pods that another's gate holds back, maybe for hours.
func gatesAreLifted(l *lab) {
	l.build(zone{"north", []int{3, 4}}, zone{"south", []int{5, 4}})
	l.settings.extender = ""
	l.run("--gates")
	pods := l.gang("train", 12, pipeline(12))
	gated(pods, gateWord)
	other := l.gang("other", 2, pipeline(2))
	gated(other, gateWord, "example.com/quota")
	l.createQuickly(append(shuffled(pods), other...))
	expected := l.place(pipeline(12))
	l.equal(expected, l.awaitAll(soon, pods))
	for rank, pod := range pods {
		seen, err := l.pods.Get(pod.Name)
		if err != nil {
			l.Fatal(err)
		}
		if selected := seen.Spec.NodeSelector[hostLabel]; selected != expected[rank] {
			l.Errorf("pod %s selects %q", pod.Name, selected)
		}
	}
	l.staysUnbound(time.Second, other)
	for _, pod := range other {
		if seen, err := l.pods.Get(pod.Name); err != nil || len(seen.Spec.SchedulingGates) != 2 {
			l.Errorf("pod %s, which another's gate holds back, lost one of its two gates", pod.Name)
		}
		l.keepOneGate(pod.Name, gateWord)
	}
	l.distinct(l.awaitAll(soon, append(other, pods...)))
	l.liftedOnce(append(other, pods...))
	l.checkZonecut()
}

// liftedOnce: one patch for each gate, however long the API server took to tell of it. A pod may be bound before
// zonecut has read the answer to its patch, and counted it.
func (l *lab) liftedOnce(pods []*podObject) {
	l.Helper()
	patches := func() int { return l.metric("zonecut_api_writes_total", `kind="gate"`) }
	l.until("the last patch to be counted", soon, func() bool { return patches() >= len(pods) })
	if count := patches(); count != len(pods) {
		l.Errorf("%d patches for the gates of %d pods", count, len(pods))
	}
}

// keepOneGate is what whoever set the other gates does when nothing stands in their way any more.
func (l *lab) keepOneGate(pod, gate string) {
	l.Helper()
	patch := fmt.Appendf(nil, `{"spec":{"schedulingGates":[{"name":%q}]}}`, gate)
	if _, err := l.plane.client.CoreV1().Pods(l.name).Patch(context.Background(), pod, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		l.Fatal(err)
	}
}

func holdsGate(pod *podObject, name string) bool {
	for _, gate := range pod.Spec.SchedulingGates {
		if gate.Name == name {
			return true
		}
	}
	return false
}

// incompleteGangStaysGated, under a kube-scheduler that asks as well: of an opened pod it offers one node.
func incompleteGangStaysGated(l *lab) {
	l.build(evenZones(2, 4)...)
	l.run("--gates")
	pods := l.gang("train", 8, pipeline(8))
	gated(pods, gateWord)
	l.create(pods[:7]...)
	time.Sleep(2 * time.Second)
	for _, pod := range l.allPods() {
		if !holdsGate(pod, gateWord) {
			l.Errorf("pod %s of an incomplete gang lost its gate", pod.Name)
		}
	}
	if calls := l.proxy.count("filter", ""); calls != 0 {
		l.Errorf("%d filter calls for pods behind a gate", calls)
	}
	l.create(pods[7])
	l.equal(l.place(pipeline(8)), l.awaitAll(soon, pods))
	l.calm(pods)
	l.liftedOnce(pods)
	l.checkZonecut()
}
