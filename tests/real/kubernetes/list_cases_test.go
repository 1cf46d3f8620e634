package realtest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// sizesAreListed: 30 Jobs of two pods run when zonecut starts anew, and 30 others have ended. Their sizes come by
// lists, those of what has ended are not asked for, and what is left of the gangs that run lands beside it.
func sizesAreListed(l *lab) {
	const jobs = 30
	nodes := l.build(evenZones(2, jobs/2)...)
	var late []*podObject
	for i := range 2 * jobs {
		name := fmt.Sprintf("job-%d", i)
		owner := l.batchJob(name, 2)
		for index := range 2 {
			pod := l.pod(fmt.Sprintf("%s-%d", name, index), gpusOfNode/2)
			pod.OwnerReferences = []metav1.OwnerReference{*owner}
			indexedPod(pod, name, index)
			if i < jobs && index == 1 {
				late = append(late, pod)
				continue
			}
			pod.Spec.NodeName = nodes[i%jobs]
			l.create(pod)
			l.setPhase(pod.Name, map[bool]corev1.PodPhase{true: corev1.PodRunning, false: corev1.PodSucceeded}[i < jobs])
		}
	}
	got, listed := l.requests("GET", "jobs"), l.requests("LIST", "jobs")
	l.run()
	if count := l.requests("GET", "jobs") - got; count != 0 {
		l.Errorf("%d Jobs were asked for one by one", count)
	}
	if count := l.requests("LIST", "jobs") - listed; count != 1 {
		l.Errorf("Jobs were listed %d times", count)
	}
	l.createQuickly(late)
	l.awaitAll(soon, late)
	l.checkZonecut()
}

func (l *lab) setPhase(name string, phase corev1.PodPhase) {
	l.Helper()
	l.setStatus(name, func(status *corev1.PodStatus) { status.Phase = phase })
}

// setReady says of a pod that runs whether it is ready, as a kubelet does.
func (l *lab) setReady(name string, ready corev1.ConditionStatus) {
	l.Helper()
	l.setStatus(name, func(status *corev1.PodStatus) {
		status.Phase = corev1.PodRunning
		status.Conditions = append(slices.DeleteFunc(status.Conditions, func(one corev1.PodCondition) bool {
			return one.Type == corev1.PodReady
		}), corev1.PodCondition{Type: corev1.PodReady, Status: ready})
	})
}

func (l *lab) setStatus(name string, change func(*corev1.PodStatus)) {
	l.Helper()
	pods := l.plane.client.CoreV1().Pods(l.name)
	pod, err := pods.Get(context.Background(), name, metav1.GetOptions{})
	if err == nil {
		change(&pod.Status)
		_, err = pods.UpdateStatus(context.Background(), pod, metav1.UpdateOptions{})
	}
	if err != nil {
		l.Fatal(err)
	}
}

// requests is how many of a verb the API server has answered about a resource, by its own count.
func (l *lab) requests(verb, resource string) int {
	l.Helper()
	text, err := l.plane.client.CoreV1().RESTClient().Get().AbsPath("/metrics").DoRaw(context.Background())
	if err != nil {
		l.Fatal(err)
	}
	sum := 0.0
	for line := range bytes.Lines(text) {
		labels, value, _ := strings.Cut(strings.TrimSpace(string(line)), "} ")
		if !strings.HasPrefix(labels, "apiserver_request_total{") ||
			!strings.Contains(labels, fmt.Sprintf("verb=%q", verb)) ||
			!strings.Contains(labels, fmt.Sprintf("resource=%q", resource)) {
			continue
		}
		var one float64
		if _, err := fmt.Sscan(value, &one); err != nil {
			l.Fatalf("%s: %v", line, err)
		}
		sum += one
	}
	return int(sum)
}
