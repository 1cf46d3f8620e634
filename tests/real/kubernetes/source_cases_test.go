package realtest

import "slices"

func everySourceInRankOrder(l *lab) {
	l.build(zone{"north", []int{3, 4}}, zone{"south", []int{5, 4}})
	l.run()
	expected := l.place(pipeline(podsOfSource))
	for _, source := range []struct {
		name string
		pods func() []*podObject
	}{
		{"Job", l.ofJob}, {"JobSet", l.ofJobSet}, {"LeaderWorkerSet", l.ofLeaderWorkerSet},
		{"PyTorchJob", l.ofKubeflow}, {"StatefulSet", l.ofStatefulSet}, {"Volcano", l.ofVolcano},
		{"Kueue", l.ofKueue}, {"Grove", l.ofGrove},
	} {
		pods := source.pods()
		l.create(shuffled(pods)...)
		l.Logf("%s", source.name)
		l.equal(expected, l.awaitAll(soon, pods))
		l.calm(pods)
		l.delete(namesOf(pods)...)
		// Else the next gang would be planned around pods that zonecut has yet to hear the end of.
		eventually(l, "zonecut to have let the gang go", soon, func() bool { return l.metric("zonecut_cut_bytes", "") == 0 })
	}
	l.checkZonecut()
}

// gangsWithoutRanks: only that they are whole and stay in the one zone that holds them can be said.
func gangsWithoutRanks(l *lab) {
	nodes := l.build(zone{"north", []int{3, 4}}, zone{"south", []int{6, 7}})
	l.run()
	pods := l.ofSchedulerPlugins()
	l.create(shuffled(pods)...)
	found := l.awaitAll(soon, pods)
	l.distinct(found)
	for _, node := range found {
		if slices.Contains(nodes[:7], node) {
			l.Errorf("%s is in the zone that does not hold the gang", node)
		}
	}
	l.calm(pods)
	l.checkZonecut()
}
