package realtest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Long enough for two processes that share a busy machine with the others.
const soon = 30 * time.Second

func largeGangLandsAsPlaced(l *lab) {
	l.build(zone{"north", []int{6, 9, 5, 8, 7}}, zone{"east", []int{4, 10, 3}}, zone{"south", []int{8, 8, 8, 2}},
		zone{"west", []int{12, 10}})
	l.run()
	const job = "tp=8,pp=8,dp=8,model=llama3-70b"
	pods := l.gang("train", 64, job)
	l.createQuickly(shuffled(pods))
	l.equal(l.place(job), l.awaitAll(soon, pods))
	l.calm(pods)
	l.checkZonecut()
}

func waitsForRoom(l *lab) {
	nodes := l.build(evenZones(2, 4)...)
	l.run()
	var plain []string
	for i := range 9 {
		pod := l.pod(nodes[i]+"-taken", gpusOfNode)
		pod.Spec.NodeName = nodes[i]
		l.create(pod)
		plain = append(plain, pod.Name)
	}
	pods := l.gang("train", 8, pipeline(8))
	l.create(shuffled(pods)...)
	l.staysUnbound(4*time.Second, pods)
	l.calm(pods)
	l.isTold(pods, "GangWaiting")
	l.delete(plain[0])
	l.distinct(l.awaitAll(soon, pods))
	l.isTold(pods, "GangPlanned")
	l.calm(pods)
	l.checkZonecut()
}

func incompleteGangIsCalm(l *lab) {
	l.build(evenZones(2, 4)...)
	l.run()
	pods := l.gang("train", 8, pipeline(8))
	l.create(pods[:7]...)
	time.Sleep(4 * time.Second)
	l.calm(pods)
	l.create(pods[7])
	l.equal(l.place(pipeline(8)), l.awaitAll(soon, pods))
	l.calm(pods)
	l.checkZonecut()
}

func twoGangsRace(l *lab) {
	l.build(evenZones(2, 3)...)
	l.run()
	red, blue := l.gang("red", 8, pipeline(8)), l.gang("blue", 8, pipeline(8))
	for i := range red {
		l.create(red[i], blue[i])
	}
	l.until("one of two gangs to be bound", soon, func() bool { return l.bound(red) == 8 || l.bound(blue) == 8 })
	winner, loser := red, blue
	if l.bound(blue) == 8 {
		winner, loser = blue, red
	}
	l.staysUnbound(3*time.Second, loser)
	l.calm(red)
	l.calm(blue)
	l.delete(namesOf(winner)...)
	l.distinct(l.awaitAll(soon, loser))
	l.calm(loser)
	l.checkZonecut()
}

func wholeNodesTravel(l *lab) {
	l.build(zone{"north", []int{3, 4}}, zone{"south", []int{5, 4}})
	l.settings.wholeNodes = true
	l.run()
	pods := l.gang("train", 12, pipeline(12))
	l.create(shuffled(pods)...)
	l.equal(l.place(pipeline(12)), l.awaitAll(soon, pods))
	l.calm(pods)
	l.checkZonecut()
}

// twoPodsOnANode: pods that ask for half of a node's GPUs fill four nodes in pairs.
func twoPodsOnANode(l *lab) {
	l.build(zone{"north", []int{1, 1}}, zone{"south", []int{1, 1}})
	l.run()
	pods := l.gang("half", 8, "tp=4,pp=8,model=llama3-70b")
	for _, pod := range pods {
		for _, asked := range []corev1.ResourceList{pod.Spec.Containers[0].Resources.Requests, pod.Spec.Containers[0].Resources.Limits} {
			asked[gpuResource] = resource.MustParse("4")
		}
	}
	l.create(shuffled(pods)...)
	found := l.awaitAll(soon, pods)
	for rank := 0; rank < len(found); rank += 2 {
		if found[rank] != found[rank+1] {
			l.Errorf("ranks %d and %d, neighbours in the pipeline, are on %s and %s", rank, rank+1, found[rank], found[rank+1])
		}
	}
	l.calm(pods)
	l.checkZonecut()
}

func clusterFileSaysWhere(l *lab) {
	l.build(zone{"north", []int{3, 4}}, zone{"south", []int{5, 4}})
	l.cluster = l.imported()
	l.run()
	pods := l.gang("train", 12, pipeline(12))
	l.create(shuffled(pods)...)
	l.equal(l.place(pipeline(12)), l.awaitAll(soon, pods))
	l.calm(pods)
	l.checkZonecut()
	const warning = "the cluster file has changed"
	if strings.Contains(l.zonecut.text(), warning) {
		l.Error("zonecut takes the cluster file for changed")
	}
	now := time.Now()
	if err := os.Chtimes(l.cluster, now, now); err != nil {
		l.Fatal(err)
	}
	eventually(l, "a word about the cluster file", soon, func() bool { return strings.Contains(l.zonecut.text(), warning) })
}

// wokenByOwnPatch: the room of a gang that was never completed is given up in silence, after the time
// a reservation lasts; no event of the API tells the gang that waits for it.
func wokenByOwnPatch(l *lab) {
	l.build(evenZones(2, 2)...)
	l.run("--reserve", "4")
	never, waiting := l.gang("never", 6, pipeline(6)), l.gang("waiting", 4, pipeline(4))
	l.create(never[:3]...)
	l.until("the first gang to be planned", soon, func() bool { return l.proxy.count("filter", "never-2") > 0 })
	l.create(waiting...)
	l.until("the second gang to be asked about", soon, func() bool { return l.proxy.count("filter", "waiting-3") > 0 })
	l.distinct(l.awaitAll(soon, waiting))
	l.calm(waiting)
	l.checkZonecut()
}

// fewAreReservedAhead: a gang as large as the cluster begins to come, pod by pod. Servers are kept for three that do
// not exist and for as many as run; another one goes to a pod that exists and has room nowhere else. What is left of
// the gang waits until that has ended, and then comes around what runs.
func fewAreReservedAhead(l *lab) {
	l.build(evenZones(2, 2)...)
	l.run("--ahead", "3")
	large := l.gang("large", 8, pipeline(8))
	l.create(large[0])
	l.awaitAll(soon, large[:1])
	plain := []*podObject{l.pod("plain", gpusOfNode)}
	l.create(plain...)
	l.awaitAll(soon, plain)
	l.create(large[1])
	l.isTold(large[1:2], "GangWaiting")
	l.staysUnbound(2*time.Second, large[1:2])
	l.create(large[2:]...)
	l.delete(namesOf(plain)...)
	l.distinct(l.awaitAll(soon, large))
	l.calm(large)
	l.checkZonecut()
}

// slowSetKeepsServers: the first pod of a StatefulSet takes longer to become ready than servers are kept for pods
// that do not come. Those that come after it find theirs.
func slowSetKeepsServers(l *lab) {
	l.build(evenZones(2, podsOfSource/4)...)
	l.run("--reserve", "2")
	pods := l.members("slow", l.statefulSet("slow", podsOfSource), func(rank int, pod *corev1.Pod) {
		pod.Labels["apps.kubernetes.io/pod-index"] = strconv.Itoa(rank)
	})
	l.create(pods[0])
	l.awaitAll(soon, pods[:1])
	l.setReady(pods[0].Name, corev1.ConditionFalse)
	plain := []*podObject{l.pod("plain-0", gpusOfNode), l.pod("plain-1", gpusOfNode)}
	l.create(plain...)
	l.staysUnbound(5*time.Second, plain)
	l.setReady(pods[0].Name, corev1.ConditionTrue)
	l.create(pods[1:]...)
	l.distinct(l.awaitAll(soon, pods))
	l.checkZonecut()
}

// orderedSetStarts: a StatefulSet whose controller makes each pod when the one before runs is as large as the cluster,
// and larger than what is kept for pods that do not exist.
func orderedSetStarts(l *lab) {
	const replicas = 72
	l.build(evenZones(3, replicas/6)...)
	l.run()
	var pods []*podObject
	owner := l.statefulSet("ordered", replicas)
	for rank := range replicas {
		pod := l.pod(fmt.Sprintf("ordered-%d", rank), gpusOfNode)
		pod.OwnerReferences = []metav1.OwnerReference{*owner}
		pod.Labels["apps.kubernetes.io/pod-index"] = strconv.Itoa(rank)
		pod.Annotations[jobWord] = pipeline(replicas)
		pods = append(pods, pod)
		l.create(pod)
		l.awaitAll(soon, pods[rank:])
		l.setPhase(pod.Name, corev1.PodRunning)
	}
	l.equal(l.place(pipeline(replicas)), l.nodesOf(pods))
	l.calm(pods)
	l.checkZonecut()
}
