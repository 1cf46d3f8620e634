package realtest

import (
	"encoding/json"
	"slices"
	"time"

	extender "k8s.io/kube-scheduler/extender/v1"
)

// plannedNodeLost creates half of a gang, takes the node planned for rank 6 away, and creates the rest.
func (l *lab) plannedNodeLost(lose func(node string)) {
	l.Helper()
	l.build(zone{"north", []int{3, 4}}, zone{"south", []int{5, 4}})
	l.run()
	pods := l.gang("train", 8, pipeline(8))
	l.create(pods[:4]...)
	l.until("zonecut to plan", soon, func() bool { return l.proxy.count("filter", "train-3") > 0 })
	lost := l.place(pipeline(8))[6]
	before := l.nodesOf(pods[:4])
	lose(lost)
	l.create(pods[4:]...)
	after := l.awaitAll(soon, pods)
	if slices.Contains(after, lost) {
		l.Errorf("a pod is on %s, which was taken away: %v", lost, after)
	}
	for rank, node := range before {
		if node != "" && after[rank] != node {
			l.Errorf("rank %d moved from %s to %s", rank, node, after[rank])
		}
	}
	l.distinct(after)
	l.calm(pods)
	l.checkZonecut()
}

func plannedNodeCordoned(l *lab) { l.plannedNodeLost(l.cordon) }
func plannedNodeDeleted(l *lab)  { l.plannedNodeLost(l.deleteNode) }

// lostRankIsReplaced: a bound pod dies with its node and is made anew, as its controller would do it. The
// others run on, so the new one must come to them.
func lostRankIsReplaced(l *lab) {
	l.build(zone{"north", []int{3, 4}}, zone{"south", []int{5, 4}})
	l.run()
	pods := l.gang("train", 8, pipeline(8))
	l.create(pods...)
	before := l.awaitAll(soon, pods)
	l.deleteNode(before[5])
	l.delete(pods[5].Name)
	l.create(pods[5])
	after := l.awaitAll(soon, pods)
	if after[5] == before[5] {
		l.Errorf("rank 5 is on %s again, which is gone", after[5])
	}
	before[5] = after[5]
	l.equal(before, after)
	l.distinct(after)
	l.calm(pods)
	l.checkZonecut()
}

// sameRankComesBack: only the pod dies; its node is still the best one.
func sameRankComesBack(l *lab) {
	l.build(zone{"north", []int{3, 4}}, zone{"south", []int{5, 4}})
	l.run()
	pods := l.gang("train", 8, pipeline(8))
	l.create(pods...)
	before := l.awaitAll(soon, pods)
	l.delete(pods[5].Name)
	l.create(pods[5])
	l.equal(before, l.awaitAll(soon, pods))
	l.calm(pods)
	l.checkZonecut()
}

// sameNameTakesThePlace: kube-scheduler may ask about a pod made anew before zonecut's own watch tells that
// the one before it is gone. Here that is sure to be so, since the new pod exists in the request alone.
func sameNameTakesThePlace(l *lab) {
	l.build(zone{"north", []int{3, 4}}, zone{"south", []int{5, 4}})
	l.run()
	pods := l.gang("train", 8, pipeline(8))
	l.create(pods...)
	nodes := l.awaitAll(soon, pods)
	l.calm(pods)
	for _, name := range []string{"train-5", "train-2"} {
		var request extender.ExtenderArgs
		if err := json.Unmarshal(l.proxy.seen("filter", name)[0].request, &request); err != nil {
			l.Fatal(err)
		}
		request.Pod.UID, request.NodeNames = request.Pod.UID+"-new", &nodes
		request.Pod.CreationTimestamp.Time = request.Pod.CreationTimestamp.Add(time.Minute)
		var answer extender.ExtenderFilterResult
		l.proxy.post(l.T, "filter", request, &answer)
		if answer.NodeNames == nil || !slices.Equal(*answer.NodeNames, []string{l.nodeOf(name)}) {
			l.Errorf("%s made anew: expected %s, found %+v", name, l.nodeOf(name), answer)
		}
	}
}
