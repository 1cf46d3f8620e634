package realtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
)

// What zonecut is shipped with: manifests and chart, rendered by kustomize and Helm, and created on the real
// API server.

const (
	pluginFolder = "../../../plugins/kubernetes"
	zonecutsOwn  = "zonecut-system" // the namespace in the manifests
)

type object = unstructured.Unstructured

type shippedDeployment = appsv1.Deployment

// run starts helm or kustomize, as tests/real/kubernetes/run builds them, and returns what it prints.
func run(t *testing.T, program string, arguments ...string) ([]byte, error) {
	t.Helper()
	folder := os.Getenv("ZONECUT_PROGRAMS")
	if folder == "" {
		t.Fatal("ZONECUT_PROGRAMS does not name the folder of helm and kustomize")
	}
	var said bytes.Buffer
	command := exec.Command(filepath.Join(folder, program), arguments...)
	command.Stderr = &said
	// What whoever runs the tests has set for Helm and kubectl has no say.
	for _, name := range []string{"HOME", "HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"} {
		command.Env = append(command.Env, name+"="+t.TempDir())
	}
	text, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %v: %w: %s", program, arguments, err, said.String())
	}
	return text, nil
}

// template is the chart with values as `--set` takes them.
func template(t *testing.T, settings ...string) ([]*object, error) {
	t.Helper()
	// Helm takes the version that it was built for.
	arguments := []string{"template", "zonecut", filepath.Join(pluginFolder, "chart"), "--namespace", zonecutsOwn, "--kube-version", "1.36.3"}
	for _, setting := range settings {
		arguments = append(arguments, "--set", setting)
	}
	text, err := run(t, "helm", arguments...)
	if err != nil {
		return nil, err
	}
	return objectsIn(text)
}

// objectsIn are the documents of a text.
func objectsIn(text []byte) ([]*object, error) {
	var objects []*object
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		one := &object{}
		if err := decoder.Decode(&one.Object); errors.Is(err, io.EOF) {
			return objects, nil
		} else if err != nil {
			return nil, err
		}
		if len(one.Object) > 0 {
			objects = append(objects, one)
		}
	}
}

// manifests are those of a mode, with the admission policy, by an overlay such as docs/kubernetes-admin.md
// shows. kustomize takes relative paths only.
func manifests(t *testing.T, mode string) []*object {
	t.Helper()
	shipped, err := filepath.Abs(filepath.Join(pluginFolder, "manifests"))
	if err != nil {
		t.Fatal(err)
	}
	own := t.TempDir()
	if err := os.CopyFS(filepath.Join(own, "zonecut"), os.DirFS(shipped)); err != nil {
		t.Fatal(err)
	}
	overlay := "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n" +
		"resources: [zonecut/overlays/" + mode + "]\ncomponents: [zonecut/components/patch-policy]\n"
	if err := os.WriteFile(filepath.Join(own, "kustomization.yaml"), []byte(overlay), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := run(t, "kustomize", "build", own)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := objectsIn(text)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// chart is the same by Helm; its namespace is made by whoever installs it.
func chart(t *testing.T, mode string) []*object {
	t.Helper()
	objects, err := template(t, "mode="+mode, "patchPolicy.enabled=true")
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// apply creates the objects, none of whose fields the API server may not know, and removes them in the end.
// A namespace stays: nobody is here who could empty it.
func (l *lab) apply(objects []*object) {
	l.Helper()
	groups, err := restmapper.GetAPIGroupResources(l.plane.client.Discovery())
	if err != nil {
		l.Fatal(err)
	}
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	for _, one := range objects {
		kind := one.GroupVersionKind()
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			l.Fatal(err)
		}
		var at dynamic.ResourceInterface = l.plane.anything.Resource(mapping.Resource)
		if space := one.GetNamespace(); space != "" {
			at = l.plane.anything.Resource(mapping.Resource).Namespace(space)
		}
		_, err = at.Create(context.Background(), one, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
		if kind.Kind == "Namespace" && apierrors.IsAlreadyExists(err) {
			continue
		}
		if err != nil {
			l.Fatalf("%s %s: %v", kind.Kind, one.GetName(), err)
		}
		if kind.Kind != "Namespace" {
			l.Cleanup(func() { _ = at.Delete(context.Background(), one.GetName(), metav1.DeleteOptions{}) })
		}
	}
}

// ensureNamespace makes the one of zonecut as `helm install --create-namespace` does it.
func (l *lab) ensureNamespace(name string) {
	l.Helper()
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err := l.plane.client.CoreV1().Namespaces().Create(context.Background(), space, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		l.Fatal(err)
	}
}

// read finds the one object of a kind, and of a name unless that is "".
func read[T any](l *lab, objects []*object, kind, name string) *T {
	l.Helper()
	at := slices.IndexFunc(objects, func(one *object) bool {
		return one.GetKind() == kind && (name == "" || one.GetName() == name)
	})
	if at < 0 {
		l.Fatalf("no %s %q is shipped", kind, name)
	}
	made := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(objects[at].Object, made); err != nil {
		l.Fatal(err)
	}
	return made
}

// container is that of the deployment with the name.
func container(l *lab, deployment *shippedDeployment, name string) *corev1.Container {
	l.Helper()
	containers := deployment.Spec.Template.Spec.Containers
	at := slices.IndexFunc(containers, func(one corev1.Container) bool { return one.Name == name })
	if at < 0 {
		l.Fatalf("the pods have no container %q", name)
	}
	return &containers[at]
}

// replaced has other words in the place of some, each of which must be there.
func replaced(l *lab, text string, pairs ...string) string {
	l.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			l.Fatalf("%q is not in %s", pairs[i], text)
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}
