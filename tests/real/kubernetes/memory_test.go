package realtest

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

var (
	memoryPods      = flag.Int("memory.pods", 0, "measure what zonecut serve keeps of so many pods")
	memoryKilobytes = flag.Int("memory.kilobytes", 100, "thousands of bytes that annotations of each pod have")
	memoryNodes     = flag.Int("memory.nodes", 32, "of how many nodes")
)

// TestMemory measures the process of `zonecut serve` after it has listed pods that wait, in gangs of eight: such
// as they are, with annotations of others, and with words of its own at the same length.
func TestMemory(t *testing.T) {
	if *memoryPods == 0 {
		t.Skip("a measurement: -memory.pods says of how many pods")
	}
	l := newLab(t, startControlPlane(t), "memory")
	l.build(evenZones(2, *memoryNodes/4)...)
	long := strings.Repeat("x=1,", *memoryKilobytes*1000/4)
	for _, kind := range []struct{ what, key string }{
		{"no further annotations", ""},
		{"annotations of others", "example.com/notes"},
		{"a long zonecut.dev/job", jobWord},
	} {
		var pods []*corev1.Pod
		for i := range *memoryPods / 8 {
			pods = append(pods, l.gang(fmt.Sprintf("gang%d", i), 8, pipeline(8))...)
		}
		for _, pod := range pods {
			if kind.key != "" {
				pod.Annotations[kind.key] = long
			}
		}
		l.createQuickly(pods)
		l.serve()
		time.Sleep(5 * time.Second)
		fmt.Printf("%d pods, %-22s: %6.1f MB in memory, at most %6.1f MB\n", len(pods), kind.what,
			l.megabytes("VmRSS"), l.megabytes("VmHWM"))
		l.zonecut.kill()
		l.deleteAll()
	}
}
