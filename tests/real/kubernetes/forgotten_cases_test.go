package realtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestForgottenVersions needs an API server that asks etcd whenever somebody watches: with its cache it
// remembers what etcd has forgotten.
func TestForgottenVersions(t *testing.T) {
	plane := startControlPlane(t, "--watch-cache=false")
	t.Run("what the API server has forgotten is listed anew", func(t *testing.T) {
		versionsAreForgotten(newLab(t, plane, "forgotten"))
	})
}

// versionsAreForgotten: while zonecut is cut off, room comes, a node goes and another one comes; then etcd is
// compacted, so that the real 410 Gone answers its watches.
func versionsAreForgotten(l *lab) {
	nodes := l.build(evenZones(2, 2)...)
	l.line = startLine(l.T, l.plane.address)
	l.user = l.plane.kubeconfigBy(l.T, l.name+"-line", tokenLine(zonecutUser), l.line.address)
	l.run()
	low := l.occupied(nodes[:4])
	pods := l.gang("train", 8, pipeline(8))
	l.create(pods...)
	l.staysUnbound(time.Second, pods)
	l.line.cut()
	l.delete(namesOf(low)...)
	l.deleteNode(nodes[1])
	l.createNodes([]*nodeObject{l.node(l.name+"-new", "zone1", "rack2")})
	l.staysUnbound(time.Second, pods)
	l.plane.forget(l.T)
	l.line.mend()
	found := l.awaitAll(soon, pods)
	l.distinct(found)
	// Nodes and pods are listed anew one after the other, so a plan may have been made between and mended.
	// What is left has eight nodes, four in each zone, and the pipeline has to cross once.
	crossings := 0
	for rank, node := range found {
		if node == nodes[1] {
			l.Errorf("rank %d is on %s, which is gone", rank, node)
		}
		if rank > 0 && slices.Contains(nodes[4:], node) != slices.Contains(nodes[4:], found[rank-1]) {
			crossings++
		}
	}
	if crossings != 1 {
		l.Errorf("the pipeline crosses between zones %d times: %v", crossings, found)
	}
	for _, resource := range []string{"nodes", "pods"} {
		if count := l.metric("zonecut_relists_total", fmt.Sprintf("resource=%q", resource)); count == 0 {
			l.Errorf("%s were not listed anew", resource)
		}
	}
	if text := l.zonecut.text(); strings.Count(text, "The resourceVersion for the provided watch is too old") < 2 {
		l.Errorf("the API server did not say that it had forgotten: %s", endOf(text))
	}
	l.calm(pods)
}
