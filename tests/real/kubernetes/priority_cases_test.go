package realtest

import (
	"fmt"
	"time"
)

// occupied binds a pod of low priority to each of the nodes.
func (l *lab) occupied(nodes []string) []*podObject {
	l.Helper()
	var pods []*podObject
	for i, node := range nodes {
		pod := l.pod(fmt.Sprintf("low-%d", i), gpusOfNode)
		pod.Spec.PriorityClassName, pod.Spec.NodeName = "low", node
		pods = append(pods, pod)
	}
	l.create(pods...)
	return pods
}

func nobodyIsEvictedForAGang(l *lab) {
	nodes := l.build(evenZones(2, 3)...)
	l.run()
	low := l.occupied(nodes[:8])
	pods := l.gang("train", 8, pipeline(8))
	for _, pod := range pods {
		pod.Spec.PriorityClassName = "high"
	}
	l.create(pods...)
	l.staysUnbound(4*time.Second, pods)
	if left := l.bound(low); left != 8 {
		l.Errorf("%d of 8 pods of low priority are left\n%s", left, l.describe())
	}
	l.calm(pods)
	l.checkZonecut()
}

func plainPodEvicts(l *lab) {
	nodes := l.build(evenZones(2, 2)...)
	l.run()
	low := l.occupied(nodes)
	high := l.pod("high", gpusOfNode)
	high.Spec.PriorityClassName = "high"
	l.create(high)
	l.awaitAll(soon, []*podObject{high})
	if left := l.bound(low); left != 7 {
		l.Errorf("%d of 8 pods of low priority are left, expected 7", left)
	}
	l.calm([]*podObject{high})
	l.checkZonecut()
}
