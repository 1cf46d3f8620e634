package realtest

import (
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// wakeCount counts what makes kube-scheduler try a refused pod again: nodes that change, and pods that
// are bound, change while bound, or go. Each may cause one more filter call of a waiting pod.
type wakeCount struct{ count atomic.Int64 }

func (wakes *wakeCount) now() int64 { return wakes.count.Load() }

func watchWakes(t *testing.T, client kubernetes.Interface) *wakeCount {
	t.Helper()
	wakes := &wakeCount{}
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	factory := informers.NewSharedInformerFactory(client, 0)
	add := func(informer cache.SharedIndexInformer, matters func(before, after any) bool) {
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(after any) {
				if matters(nil, after) {
					wakes.count.Add(1)
				}
			},
			UpdateFunc: func(before, after any) {
				if matters(before, after) {
					wakes.count.Add(1)
				}
			},
			DeleteFunc: func(any) { wakes.count.Add(1) },
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	add(factory.Core().V1().Nodes().Informer(), nodeMatters)
	add(factory.Core().V1().Pods().Informer(), podMatters)
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	return wakes
}

func nodeMatters(before, after any) bool {
	old, known := before.(*corev1.Node)
	return !known || !reflect.DeepEqual(old.Spec, after.(*corev1.Node).Spec) ||
		!reflect.DeepEqual(old.Labels, after.(*corev1.Node).Labels) ||
		!reflect.DeepEqual(old.Annotations, after.(*corev1.Node).Annotations) ||
		!reflect.DeepEqual(old.Status, after.(*corev1.Node).Status)
}

// A patch of the waiting pod itself wakes it too, so it counts.
func podMatters(before, after any) bool {
	pod := after.(*corev1.Pod)
	if pod.Spec.NodeName != "" {
		return true
	}
	old, known := before.(*corev1.Pod)
	return known && (!reflect.DeepEqual(old.Labels, pod.Labels) || !reflect.DeepEqual(old.Annotations, pod.Annotations))
}

// eventually waits until something holds, or fails the test.
func eventually(t testing.TB, what string, limit time.Duration, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v in vain for %s", limit, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
