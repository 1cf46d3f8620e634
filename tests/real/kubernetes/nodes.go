package realtest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	gpuResource = "nvidia.com/gpu"
	gpusOfNode  = 8
	caseLabel   = "zonecut.test/case"
	hostLabel   = "kubernetes.io/hostname"
)

type nodeObject = corev1.Node

// zone is one of a case's: its racks and how many nodes each has.
type zone struct {
	name  string
	racks []int
}

// Labels that say where a node stands: such as no other case has, or such as zonecut knows by itself.
func (l *lab) zoneKey() string {
	if l.knownLabels {
		return "network.topology.nvidia.com/spine"
	}
	return l.name + ".test/zone"
}

func (l *lab) rackKey() string {
	if l.knownLabels {
		return "network.topology.nvidia.com/leaf"
	}
	return l.name + ".test/rack"
}

// evenZones are zones of two racks each.
func evenZones(zones, nodesOfRack int) []zone {
	var made []zone
	for i := range zones {
		made = append(made, zone{fmt.Sprintf("zone%d", i+1), []int{nodesOfRack, nodesOfRack}})
	}
	return made
}

// build creates the nodes of the zones, called CASE-1, CASE-2, …, ready and empty.
func (l *lab) build(zones ...zone) []string {
	l.Helper()
	var nodes []*corev1.Node
	for _, zone := range zones {
		for rack, size := range zone.racks {
			for range size {
				name := fmt.Sprintf("%s-%d", l.name, len(nodes)+1)
				nodes = append(nodes, l.node(name, zone.name, fmt.Sprintf("rack%d", rack+1)))
			}
		}
	}
	l.createNodes(nodes)
	var names []string
	for _, node := range nodes {
		names = append(names, node.Name)
	}
	return names
}

func (l *lab) node(name, zone, rack string) *corev1.Node {
	room := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("64"),
		corev1.ResourceMemory: resource.MustParse("1Ti"),
		corev1.ResourcePods:   resource.MustParse("110"),
		gpuResource:           *resource.NewQuantity(gpusOfNode, resource.DecimalSI),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			caseLabel: l.name, hostLabel: name, l.zoneKey(): zone, l.rackKey(): rack}},
		Status: corev1.NodeStatus{
			Capacity: room, Allocatable: room,
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
}

func (l *lab) createNodes(nodes []*corev1.Node) {
	l.Helper()
	eachOf(l, nodes, func(node *corev1.Node) error {
		_, err := l.plane.client.CoreV1().Nodes().Create(context.Background(), node, metav1.CreateOptions{})
		return err
	})
}

func (l *lab) cordon(name string) {
	l.Helper()
	patch := []byte(`{"spec":{"unschedulable":true}}`)
	if _, err := l.plane.client.CoreV1().Nodes().Patch(context.Background(), name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		l.Fatal(err)
	}
}

func (l *lab) deleteNode(name string) {
	l.Helper()
	if err := l.plane.client.CoreV1().Nodes().Delete(context.Background(), name, metav1.DeleteOptions{}); err != nil {
		l.Fatal(err)
	}
}

// eachOf does something for every item, sixteen at a time.
func eachOf[T any](t testing.TB, items []T, do func(T) error) {
	t.Helper()
	var group sync.WaitGroup
	room := make(chan struct{}, 16)
	faults := make(chan error, len(items))
	for _, item := range items {
		room <- struct{}{}
		group.Go(func() {
			defer func() { <-room }()
			if err := do(item); err != nil {
				faults <- err
			}
		})
	}
	group.Wait()
	close(faults)
	for err := range faults {
		t.Fatal(err)
	}
}
