package realtest

import (
	"context"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// customKind is one that a controller of the world outside defines; here without its controller.
type customKind struct{ group, version, kind, plural string }

var (
	jobSetKind        = customKind{"jobset.x-k8s.io", "v1alpha2", "JobSet", "jobsets"}
	leaderWorkerKind  = customKind{"leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet", "leaderworkersets"}
	pyTorchKind       = customKind{"kubeflow.org", "v1", "PyTorchJob", "pytorchjobs"}
	podGroupKind      = customKind{"scheduling.x-k8s.io", "v1alpha1", "PodGroup", "podgroups"}
	volcanoGroupKind  = customKind{"scheduling.volcano.sh", "v1beta1", "PodGroup", "podgroups"}
	volcanoJobKind    = customKind{"batch.volcano.sh", "v1alpha1", "Job", "jobs"}
	grovePodGangKind  = customKind{"scheduler.grove.io", "v1alpha1", "PodGang", "podgangs"}
	groveCliqueKind   = customKind{"grove.io", "v1alpha1", "PodClique", "podcliques"}
	customKinds       = []customKind{jobSetKind, leaderWorkerKind, pyTorchKind, podGroupKind, volcanoGroupKind, volcanoJobKind, grovePodGangKind, groveCliqueKind}
	definitionsOfKind = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
)

func (kind customKind) resource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: kind.group, Version: kind.version, Resource: kind.plural}
}

// definition accepts whatever a field may hold.
func (kind customKind) definition() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata": map[string]any{
			"name": kind.plural + "." + kind.group,
			// Groups of the project itself ask for it.
			"annotations": map[string]any{"api-approved.kubernetes.io": "unapproved, a test"},
		},
		"spec": map[string]any{
			"group": kind.group,
			"scope": "Namespaced",
			"names": map[string]any{"kind": kind.kind, "plural": kind.plural, "singular": strings.ToLower(kind.kind)},
			"versions": []any{map[string]any{
				"name": kind.version, "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
			}},
		},
	}}
}

func (plane *controlPlane) defineKinds(t *testing.T) {
	t.Helper()
	definitions := plane.anything.Resource(definitionsOfKind)
	for _, kind := range customKinds {
		if _, err := definitions.Create(context.Background(), kind.definition(), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range customKinds {
		eventually(t, kind.kind+" to be served", 30*time.Second, func() bool {
			_, err := plane.anything.Resource(kind.resource()).List(context.Background(), metav1.ListOptions{Limit: 1})
			return err == nil
		})
	}
}

// create makes an object of the kind in a namespace.
func (plane *controlPlane) create(t *testing.T, kind customKind, namespace, name string, spec map[string]any) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": kind.group + "/" + kind.version,
		"kind":       kind.kind,
		"metadata":   map[string]any{"name": name},
		"spec":       spec,
	}}
	made, err := plane.anything.Resource(kind.resource()).Namespace(namespace).Create(context.Background(), object, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}
