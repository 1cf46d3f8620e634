package realtest

import (
	"testing"
	"time"
)

// TestBare tries the control plane itself, without zonecut: what the other cases stand on.
func TestBare(t *testing.T) {
	plane := startControlPlane(t)
	t.Run("kube-scheduler alone binds pods", func(t *testing.T) {
		l := newLab(t, plane, "bare")
		l.settings.extender = ""
		l.build(evenZones(2, 4)...)
		l.schedule()
		pods := l.gang("some", 8, pipeline(8))
		l.create(pods...)
		l.distinct(l.awaitAll(20*time.Second, pods))
	})
	t.Run("calls of an extender are counted", func(t *testing.T) {
		l := newLab(t, plane, "idle")
		l.build(evenZones(2, 4)...)
		extender := listen(t, "idle-extender", itself(t, "idle-extender"))
		l.proxy.send(extender.address)
		l.schedule()
		pods := l.gang("some", 8, pipeline(8))
		l.create(pods...)
		l.distinct(l.awaitAll(20*time.Second, pods))
		for _, pod := range pods {
			if calls := l.proxy.count("filter", pod.Name); calls != 1 {
				t.Errorf("%d filter calls for %s", calls, pod.Name)
			}
		}
		l.calm(pods)
	})
}
