package realtest

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// nativeGang makes a PodGroup of Kubernetes' own and its pods, which are yet to be created.
func (l *lab) nativeGang(size int) []*podObject {
	l.Helper()
	group := &schedulingv1alpha2.PodGroup{
		ObjectMeta: metav1.ObjectMeta{Name: "native"},
		Spec: schedulingv1alpha2.PodGroupSpec{SchedulingPolicy: schedulingv1alpha2.PodGroupSchedulingPolicy{
			Gang: &schedulingv1alpha2.GangSchedulingPolicy{MinCount: int32(size)}}},
	}
	if _, err := l.plane.client.SchedulingV1alpha2().PodGroups(l.name).Create(context.Background(), group, metav1.CreateOptions{}); err != nil {
		l.Fatal(err)
	}
	var pods []*podObject
	for i := range size {
		pod := l.pod(fmt.Sprintf("native-%d", i), gpusOfNode)
		pod.Annotations[jobWord] = pipeline(size)
		pod.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &group.Name}
		pods = append(pods, pod)
	}
	return pods
}

// nativeGangLandsWhole: kube-scheduler itself holds the pods of a PodGroup back until all exist, then asks
// about each in one cycle.
func nativeGangLandsWhole(l *lab) {
	nodes := l.build(zone{"north", []int{3, 2}}, zone{"south", []int{5, 4}})
	l.run()
	pods := l.nativeGang(8)
	l.create(pods[:7]...)
	l.staysUnbound(time.Second, pods)
	l.create(pods[7])
	found := l.awaitAll(soon, pods)
	l.distinct(found)
	for _, node := range found {
		if slices.Contains(nodes[:5], node) {
			l.Errorf("%s is in the zone that does not hold the gang", node)
		}
	}
	l.calm(pods)
	l.checkZonecut()
}

// nativeGangWaits: kube-scheduler asks again and again of its own accord, so calls are not bounded, but what
// they make zonecut do: it plans once for what there is, and once more when room has come.
func nativeGangWaits(l *lab) {
	nodes := l.build(evenZones(2, 2)...)
	l.run()
	low := l.occupied(nodes[:1])
	pods := l.nativeGang(8)
	wakes := l.plane.wakes.now()
	l.create(pods...)
	l.staysUnbound(2*time.Second, pods)
	l.delete(namesOf(low)...)
	l.distinct(l.awaitAll(soon, pods))
	plans, due := l.metric("zonecut_plan_attempts_total", ""), 2+int(l.plane.wakes.now()-wakes)
	if calls := l.proxy.count("filter", ""); plans > due || calls <= plans {
		l.Errorf("%d plans for %d filter calls, at most %d were due", plans, calls, due)
	}
	l.checkZonecut()
}
