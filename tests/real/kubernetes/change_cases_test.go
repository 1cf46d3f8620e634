package realtest

import "slices"

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
	l.checkZonecut()
}

func plannedNodeCordoned(l *lab) { l.plannedNodeLost(l.cordon) }
func plannedNodeDeleted(l *lab)  { l.plannedNodeLost(l.deleteNode) }
