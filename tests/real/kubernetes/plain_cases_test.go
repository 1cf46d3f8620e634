package realtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	extender "k8s.io/kube-scheduler/extender/v1"
)

type podObject = corev1.Pod

func namesOf(pods []*podObject) []string {
	var names []string
	for _, pod := range pods {
		names = append(names, pod.Name)
	}
	return names
}

func plainPodsLand(l *lab) {
	l.build(evenZones(2, 2)...)
	l.settings.everyPod = true
	l.run()
	var pods []*podObject
	for i := range 8 {
		pods = append(pods, l.pod(fmt.Sprintf("gpu-%d", i), gpusOfNode), l.pod(fmt.Sprintf("cpu-%d", i), 0))
	}
	l.createQuickly(pods)
	l.awaitAll(soon, pods)
	for _, pod := range pods {
		for _, one := range l.proxy.seen("filter", pod.Name) {
			if asked, left := candidates(l, one); len(left) != len(asked) {
				l.Errorf("pod %s lost candidates: of %v remain %v", pod.Name, asked, left)
			}
		}
	}
	l.calm(pods)
	l.checkZonecut()
}

// ganglessIsTold: of six pods beside a gang, one has words that only a gang's have, one says besides that it is
// alone, one's are of a job of its own GPUs, two have those of no other number of GPUs, one has none.
func ganglessIsTold(l *lab) {
	l.build(evenZones(2, 4)...)
	l.run()
	gang := l.gang("train", 4, pipeline(4))
	bare, alone, plain := l.pod("bare", gpusOfNode), l.pod("alone", gpusOfNode), l.pod("plain", gpusOfNode)
	whole := l.pod("whole", gpusOfNode)
	bare.Annotations = map[string]string{jobWord: "tp=8,pp=2"}
	alone.Annotations = map[string]string{jobWord: "tp=8,pp=2", sizeWord: "1"}
	whole.Annotations = map[string]string{jobWord: "tp=8"}
	replicas := []*podObject{l.pod("replica-a", gpusOfNode), l.pod("replica-b", gpusOfNode)}
	for _, replica := range replicas {
		replica.Annotations = map[string]string{jobWord: "tp=8,dp=1"}
	}
	pods := append(append(slices.Clone(gang), bare, alone, whole, plain), replicas...)
	l.create(pods...)
	l.distinct(l.awaitAll(soon, pods))
	l.isTold([]*podObject{bare}, "GangMissing")
	l.isTold(gang, "GangPlanned")
	if told := l.told(append([]*podObject{alone, whole, plain}, replicas...)...); len(told) > 0 {
		l.Errorf("pods that say nothing wrong are told %v", told)
	}
	const line = "a pod has words for a gang and is in none"
	if text := l.zonecut.text(); !strings.Contains(text, line) || strings.Count(text, line) > 1 {
		l.Errorf("the log has not one line of the pod: %s", endOf(text))
	}
	l.calm(pods)
	l.checkZonecut()
}

// candidates are the nodes of a filter call and those of its answer.
func candidates(l *lab, one call) (asked, left []string) {
	l.Helper()
	var request extender.ExtenderArgs
	var answer extender.ExtenderFilterResult
	if err := json.Unmarshal(one.request, &request); err != nil {
		l.Fatal(err)
	}
	if err := json.Unmarshal(one.answer, &answer); err != nil || answer.NodeNames == nil {
		l.Fatalf("answer %s: %v", one.answer, err)
	}
	return *request.NodeNames, *answer.NodeNames
}

// plainPodsLeaveReservedRoom: of eight nodes a gang whose second half is yet to come has six.
func plainPodsLeaveReservedRoom(l *lab) {
	l.build(evenZones(2, 2)...)
	l.run()
	gang := l.gang("train", 6, pipeline(6))
	l.create(gang[:3]...)
	l.until("the gang to be planned", soon, func() bool { return l.proxy.count("filter", "train-2") > 0 })
	var plain []*podObject
	for i := range 5 {
		plain = append(plain, l.pod(fmt.Sprintf("plain-%d", i), gpusOfNode))
	}
	l.create(plain...)
	l.until("two plain pods to be bound", soon, func() bool { return l.bound(plain) == 2 })
	time.Sleep(2 * time.Second)
	if count := l.bound(plain); count != 2 {
		l.Fatalf("%d plain pods are bound where only two nodes are not reserved\n%s", count, l.describe())
	}
	l.create(gang[3:]...)
	l.equal(l.place(pipeline(6)), l.awaitAll(soon, gang))
	l.calm(append(slices.Clone(gang), plain...))
	l.checkZonecut()
}

// burstLeavesReservedRoom: two members fill a node, four GPUs of the other are kept for the third. Eight pods of a
// GPU are asked about faster than the watch tells where the first of them went.
func burstLeavesReservedRoom(l *lab) {
	l.build(zone{"north", []int{2}})
	l.run()
	gang := l.gang("train", 3, "tp=4,pp=3")
	for _, pod := range gang {
		needs := pod.Spec.Containers[0].Resources
		for _, asked := range []corev1.ResourceList{needs.Requests, needs.Limits} {
			asked[gpuResource] = resource.MustParse("4")
		}
	}
	l.create(gang[:2]...)
	l.awaitAll(soon, gang[:2])
	var plain []*podObject
	for i := range 8 {
		plain = append(plain, l.pod(fmt.Sprintf("plain-%d", i), 1))
	}
	l.createQuickly(plain)
	l.until("some plain pods to be bound", soon, func() bool { return l.bound(plain) > 0 })
	time.Sleep(2 * time.Second)
	if count := l.bound(plain); count > 4 {
		l.Fatalf("%d plain pods are bound where four GPUs are not reserved\n%s", count, l.describe())
	}
	l.create(gang[2])
	l.awaitAll(soon, gang)
	l.checkZonecut()
}

func oneNodeFilterCall(l *lab) {
	l.build(evenZones(2, 4)...)
	l.run()
	pods := l.gang("train", 8, pipeline(8))
	l.create(pods[:7]...)
	l.until("zonecut to plan", soon, func() bool { return l.proxy.count("filter", "train-6") > 0 })
	l.create(pods[7])
	l.awaitAll(soon, pods)
	l.calm(pods)
	var request extender.ExtenderArgs
	calls := l.proxy.seen("filter", "train-5")
	if err := json.Unmarshal(calls[len(calls)-1].request, &request); err != nil {
		l.Fatal(err)
	}
	planned := l.nodeOf("train-5")
	for _, node := range l.nodesOf(pods) {
		var answer extender.ExtenderFilterResult
		l.proxy.post(l.T, "filter", extender.ExtenderArgs{Pod: request.Pod, NodeNames: &[]string{node}}, &answer)
		if answer.Error != "" || answer.NodeNames == nil {
			l.Fatalf("one-node filter call: %+v", answer)
		}
		if kept := len(*answer.NodeNames) == 1; kept != (node == planned) {
			l.Errorf("asked about %s alone, planned %s: %+v", node, planned, answer)
		}
		if _, refused := answer.FailedAndUnresolvableNodes[node]; refused == (node == planned) {
			l.Errorf("asked about %s alone, planned %s: %+v", node, planned, answer)
		}
	}
}
