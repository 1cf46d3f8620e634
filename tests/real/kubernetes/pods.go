package realtest

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// pod is one that asks for GPUs, on the nodes of this case.
func (l *lab) pod(name string, gpus int64) *corev1.Pod {
	asked := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
	if gpus > 0 {
		asked[gpuResource] = *resource.NewQuantity(gpus, resource.DecimalSI)
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}, Annotations: map[string]string{}},
		Spec: corev1.PodSpec{
			SchedulerName:                 l.settings.name,
			NodeSelector:                  map[string]string{caseLabel: l.name},
			TerminationGracePeriodSeconds: new(int64),
			Containers: []corev1.Container{{Name: "main", Image: "none",
				Resources: corev1.ResourceRequirements{Requests: asked, Limits: asked.DeepCopy()}}},
		},
	}
}

// create makes pods, in this order.
func (l *lab) create(pods ...*corev1.Pod) {
	l.Helper()
	for _, pod := range pods {
		if err := l.createOne(pod); err != nil {
			l.Fatal(err)
		}
	}
}

func (l *lab) createOne(pod *corev1.Pod) error {
	l.made.Store(pod.Name, l.plane.wakes.now())
	_, err := l.plane.client.CoreV1().Pods(l.name).Create(context.Background(), pod, metav1.CreateOptions{})
	return err
}

// createQuickly makes pods in any order.
func (l *lab) createQuickly(pods []*corev1.Pod) {
	l.Helper()
	eachOf(l, pods, l.createOne)
}

// delete removes pods and waits until they are gone.
func (l *lab) delete(names ...string) {
	l.Helper()
	for _, name := range names {
		if err := l.plane.client.CoreV1().Pods(l.name).Delete(context.Background(), name, metav1.DeleteOptions{}); err != nil {
			l.Fatal(err)
		}
	}
	l.until("deleted pods to be gone", 10*time.Second, func() bool {
		for _, name := range names {
			if _, err := l.pods.Get(name); err == nil {
				return false
			}
		}
		return true
	})
}

// deleteAll removes every pod of the case and waits until they are gone.
func (l *lab) deleteAll() {
	l.Helper()
	remove := func() error {
		return l.plane.client.CoreV1().Pods(l.name).DeleteCollection(context.Background(), metav1.DeleteOptions{}, metav1.ListOptions{})
	}
	err := remove()
	for ; apierrors.IsTimeout(err); err = remove() { // ten thousands take longer than a request may
	}
	if err != nil {
		l.Fatal(err)
	}
	l.until("all pods to be gone", time.Minute, func() bool { return len(l.allPods()) == 0 })
}

func (l *lab) annotate(pod, key, value string) {
	l.Helper()
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, key, value)
	if _, err := l.plane.client.CoreV1().Pods(l.name).Patch(context.Background(), pod, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		l.Fatal(err)
	}
}

// nodeOf is where a pod is bound, "" where it is not or does not exist.
func (l *lab) nodeOf(name string) string {
	pod, err := l.pods.Get(name)
	if err != nil {
		return ""
	}
	return pod.Spec.NodeName
}

// nodesOf are those of pods, in their order.
func (l *lab) nodesOf(pods []*corev1.Pod) []string {
	var nodes []string
	for _, pod := range pods {
		nodes = append(nodes, l.nodeOf(pod.Name))
	}
	return nodes
}

func (l *lab) bound(pods []*corev1.Pod) int {
	count := 0
	for _, node := range l.nodesOf(pods) {
		if node != "" {
			count++
		}
	}
	return count
}

// awaitAll waits until all pods are bound, and says where.
func (l *lab) awaitAll(limit time.Duration, pods []*corev1.Pod) []string {
	l.Helper()
	l.until(fmt.Sprintf("%d pods to be bound", len(pods)), limit, func() bool { return l.bound(pods) == len(pods) })
	return l.nodesOf(pods)
}

// staysUnbound fails unless none of the pods is bound for the time.
func (l *lab) staysUnbound(length time.Duration, pods []*corev1.Pod) {
	l.Helper()
	for deadline := time.Now().Add(length); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if l.bound(pods) > 0 {
			l.Fatalf("pods of a gang that does not fit were bound\n%s", l.describe())
		}
	}
}

// describe lists the pods of the case with what kube-scheduler says of them.
func (l *lab) describe() string {
	var text strings.Builder
	for _, pod := range l.allPods() {
		fmt.Fprintf(&text, "%s on %q, %d filter calls", pod.Name, pod.Spec.NodeName, l.proxy.count("filter", pod.Name))
		for _, condition := range pod.Status.Conditions {
			fmt.Fprintf(&text, "; %s=%s %s", condition.Type, condition.Status, condition.Message)
		}
		if calls := l.proxy.seen("filter", pod.Name); len(calls) > 0 {
			last := calls[len(calls)-1]
			fmt.Fprintf(&text, "; last answer %d %.300s", last.status, last.answer)
		}
		text.WriteString("\n")
	}
	return text.String()
}
