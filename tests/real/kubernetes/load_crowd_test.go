package realtest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// boundCalls: as a gang is bound, each pod right after its answer, so that the API server tells of
// every one of them while the next calls come.
func boundCalls(b *loadBench) {
	for _, size := range loadGangs {
		pods := b.exist(b.gang(fmt.Sprintf("bound-%d", size), size, loadJob))
		var times durations
		var before ownClock
		var binding sync.WaitGroup
		room := make(chan struct{}, 8)
		for i, pod := range pods {
			names, took := b.filter(b.candidates(pod, false, i), 1)
			if i == 0 { // it plans
				before = ownClockOf(b, b.zonecut.address)
			} else {
				times = append(times, took)
			}
			room <- struct{}{}
			binding.Go(func() {
				defer func() { <-room }()
				if err := b.bind(pod, names[0]); err != nil {
					b.Error(err)
				}
			})
		}
		binding.Wait()
		fmt.Printf("filter, names, gang of %4d whose pods are bound one by one: %v; %s\n", size, times,
			ownClockOf(b, b.zonecut.address).since(before))
		b.deleteAll()
	}
}

func (b *loadBench) bind(pod *corev1.Pod, node string) error {
	binding := &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace, UID: pod.UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: node},
	}
	return b.plane.client.CoreV1().Pods(pod.Namespace).Bind(context.Background(), binding, metav1.CreateOptions{})
}

// request is one of a crowd's.
type request struct {
	verb string
	body []byte
}

// mixture are six filter calls to three of prioritize and one of preempt, about pods of a gang that has
// a plan, of one that waits, of none, and such that ask for no GPU.
func (b *loadBench) mixture() []request {
	waiting := b.gang("waiting", len(b.names)+1, "")[:16]
	pods := append(b.gang("planned", 64, loadJob), waiting...)
	for i := range 16 {
		pods = append(pods, b.pod(fmt.Sprintf("alone-%d", i), 1), b.pod(fmt.Sprintf("plain-%d", i), 0))
	}
	verbs := strings.Fields("filter prioritize filter filter prioritize filter preempt filter prioritize filter")
	var mixed []request
	for i, pod := range b.exist(pods) {
		for j, verb := range verbs[i%2*5:][:5] {
			body := b.candidates(pod, false, i+j)
			if verb == "preempt" {
				body = b.preemption(pod)
			}
			mixed = append(mixed, request{verb, body})
		}
	}
	return mixed
}

// hourOfCalls: 24 connections, as fast as they are answered, while gangs come and go. What zonecut
// holds in memory is measured after every tenth of them.
func hourOfCalls(b *loadBench) {
	mixed := b.mixture()
	var sent, failed atomic.Int64
	var crowd sync.WaitGroup
	var mutex sync.Mutex
	times := map[string]durations{}
	start := time.Now()
	for range 24 {
		crowd.Go(func() {
			own := newCaller(b.zonecut.address)
			for at := sent.Add(1); at <= int64(*loadRequests); at = sent.Add(1) {
				one := mixed[at*7919%int64(len(mixed))]
				answer, took, err := own.post(one.verb, one.body)
				if err != nil || one.verb == "filter" && !bytes.Contains(answer, []byte(`"Error":""`)) {
					failed.Add(1)
				}
				mutex.Lock()
				times[one.verb] = append(times[one.verb], took)
				mutex.Unlock()
			}
		})
	}
	stop := make(chan struct{})
	var churning sync.WaitGroup
	gangs := 0
	churning.Go(func() { gangs = b.comeAndGo(stop) })
	for tenth := 1; tenth <= 10; tenth++ {
		for sent.Load() < int64(*loadRequests*tenth/10) {
			time.Sleep(20 * time.Millisecond)
		}
		fmt.Printf("24 connections, after %6d of %d requests: %.1f MB in memory\n", *loadRequests*tenth/10, *loadRequests,
			b.megabytes("VmRSS"))
	}
	crowd.Wait()
	took := time.Since(start)
	close(stop)
	churning.Wait()
	fmt.Printf("24 connections: %.0f requests a second, %d failed; %d gangs of 8 came and went\n",
		float64(*loadRequests)/took.Seconds(), failed.Load(), gangs)
	for _, verb := range []string{"filter", "prioritize", "preempt"} {
		fmt.Printf("24 connections, %s: %v\n", verb, times[verb])
	}
	b.deleteAll()
	if failed.Load() > 0 {
		b.Errorf("%d requests failed", failed.Load())
	}
}

// comeAndGo creates gangs, asks about their pods and deletes them until it shall stop; how many.
func (b *loadBench) comeAndGo(stop <-chan struct{}) int {
	own := newCaller(b.zonecut.address)
	for count := 0; ; count++ {
		select {
		case <-stop:
			return count
		default:
		}
		pods := b.gang(fmt.Sprintf("passing-%d", count), 8, loadJob)
		for i, pod := range pods {
			made, err := b.plane.client.CoreV1().Pods(b.name).Create(context.Background(), pod, metav1.CreateOptions{})
			if err != nil {
				b.Error(err)
				return count
			}
			made.ManagedFields = nil
			if _, _, err := own.post("filter", b.candidates(made, false, i)); err != nil {
				b.Error(err)
			}
		}
		for _, pod := range pods {
			if err := b.plane.client.CoreV1().Pods(b.name).Delete(context.Background(), pod.Name, metav1.DeleteOptions{}); err != nil {
				b.Error(err)
			}
		}
	}
}

// megabytes is a size of zonecut's process, as the kernel has it.
func (l *lab) megabytes(key string) float64 {
	l.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", l.zonecut.command.Process.Pid))
	if err != nil {
		l.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if value, is := strings.CutPrefix(line, key+":"); is {
			var kilobytes float64
			_, _ = fmt.Sscan(value, &kilobytes)
			return kilobytes / 1000
		}
	}
	l.Fatalf("the process has no %s", key)
	return 0
}

// timed are calls about planned pods, those that failed apart.
func (b *loadBench) timed(from poster, pods []*corev1.Pod, calls int) (times durations, failed int) {
	for i := range calls {
		_, took, err := from.post("filter", b.candidates(pods[i%len(pods)], false, i))
		if err != nil {
			failed++
			continue
		}
		times = append(times, took)
	}
	return times, failed
}

// idleConnections: calls while others hold keep-alive connections and say nothing.
func idleConnections(b *loadBench) {
	pods := b.exist(b.gang("idle", 64, loadJob))
	_, _ = b.filter(b.candidates(pods[0], false, 0), 1)
	before, _ := b.timed(b.apart, pods, *loadCalls)
	fmt.Printf("nobody else connected: %v\n", before)
	const count = 200
	var idle []net.Conn
	for range count {
		connection, err := net.Dial("tcp", strings.TrimPrefix(b.zonecut.address, "http://"))
		if err != nil {
			b.Fatal(err)
		}
		defer connection.Close()
		fmt.Fprint(connection, "GET /healthz HTTP/1.1\r\nHost: zonecut\r\n\r\n")
		idle = append(idle, connection)
	}
	times, failed := b.timed(b.apart, pods, *loadCalls)
	fmt.Printf("%d idle connections: %v, %d failed\n", len(idle), times, failed)
	b.deleteAll()
}

// slowClients: calls while thousands connect and send a byte a second; who is ended connects again.
func slowClients(b *loadBench) {
	pods := b.exist(b.gang("slow", 64, loadJob))
	_, _ = b.filter(b.candidates(pods[0], false, 0), 1)
	stop := make(chan struct{})
	var attack sync.WaitGroup
	attack.Go(func() {
		trickle(strings.TrimPrefix(b.zonecut.address, "http://"), make([]net.Conn, *loadClients), stop)
	})
	var most atomic.Int64
	attack.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Millisecond):
				most.Store(max(most.Load(), int64(b.sockets())))
			}
		}
	})
	time.Sleep(5 * time.Second)
	kept, failed := b.timed(b.apart, pods, *loadCalls/2)
	fmt.Printf("%d slow clients, a connection kept: %v, %d failed\n", *loadClients, kept, failed)
	failed = 0
	var fresh durations
	for i := range *loadCalls / 2 {
		own := newCaller(b.zonecut.address)
		took, wrong := b.timed(own, pods[i%len(pods):], 1)
		own.client.CloseIdleConnections()
		fresh, failed = append(fresh, took...), failed+wrong
	}
	fmt.Printf("%d slow clients, a connection for each call: %v, %d failed\n", *loadClients, fresh, failed)
	fmt.Printf("%d slow clients: zonecut has %.1f MB in memory, at most %.1f MB\n",
		*loadClients, b.megabytes("VmRSS"), b.megabytes("VmHWM"))
	fmt.Printf("%d slow clients: at most %d connected at once\n", *loadClients, most.Load())
	close(stop)
	attack.Wait()
	if !b.zonecut.isRunning() || !b.zonecut.isReady() {
		b.Errorf("zonecut does not run any more")
	}
	b.deleteAll()
}

const slowHead = "POST /v1/filter HTTP/1.1\r\nHost: zonecut\r\nX: "

// trickle keeps the connections, of which any may yet have to be made, until it shall stop.
func trickle(place string, clients []net.Conn, stop <-chan struct{}) {
	defer func() {
		for _, client := range clients {
			if client != nil {
				client.Close()
			}
		}
	}()
	for {
		round := time.After(time.Second)
		for i, client := range clients {
			if client == nil {
				client, _ = net.DialTimeout("tcp", place, time.Second)
				if client == nil {
					continue
				}
				fmt.Fprint(client, slowHead)
			} else if _, err := client.Write([]byte("x")); err != nil {
				client.Close()
				clients[i] = nil
				continue
			}
			clients[i] = client
		}
		select {
		case <-stop:
			return
		case <-round:
		}
	}
}
