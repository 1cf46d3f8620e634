package realtest

import (
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/restmapper"
)

// release is the chart on an API server, in the hands of Helm's own program.
type release struct {
	*testing.T
	plane *controlPlane
	kinds []schema.GroupVersionResource // of all that the chart makes in any mode
}

// helm runs a command on the release, and returns what it prints.
func (r *release) helm(command string, arguments ...string) string {
	r.Helper()
	arguments = append([]string{command, "zonecut"}, arguments...)
	arguments = append(arguments, "--namespace", zonecutsOwn, "--kube-apiserver", r.plane.address, "--kube-ca-file", r.plane.caFile,
		"--kube-token", adminUser)
	text, err := run(r.T, "helm", arguments...)
	if err != nil {
		r.Fatal(err)
	}
	return string(text)
}

// set installs or upgrades to a mode, with more values.
func (r *release) set(command, mode string, values ...string) {
	r.Helper()
	values = append([]string{"mode=" + mode, "patchPolicy.enabled=true"}, values...)
	said := r.helm(command, filepath.Join(pluginFolder, "chart"), "--set", strings.Join(values, ","))
	if !strings.Contains(said, "runs in mode "+mode+".") || !strings.Contains(said, "kubectl -n "+zonecutsOwn+" logs") {
		r.Errorf("the notes of mode %s are %s", mode, said)
	}
}

// held are the objects of the release as the API server has them, without what is another's each time.
func (r *release) held() map[string]map[string]any {
	r.Helper()
	found := map[string]map[string]any{}
	for _, kind := range r.kinds {
		list, err := r.plane.anything.Resource(kind).List(r.Context(),
			metav1.ListOptions{LabelSelector: "app.kubernetes.io/instance=zonecut"})
		if err != nil {
			r.Fatal(err)
		}
		for _, one := range list.Items {
			name, labels := kind.Resource+" "+one.GetNamespace()+"/"+one.GetName(), one.GetLabels()
			delete(one.Object, "metadata")
			delete(one.Object, "status")
			if spec, has := one.Object["spec"].(map[string]any); has && one.GetKind() == "Service" {
				delete(spec, "clusterIP")
				delete(spec, "clusterIPs")
			}
			one.Object["labels"] = labels
			found[name] = one.Object
		}
	}
	return found
}

// newRelease knows what kinds of objects to look for.
func newRelease(t *testing.T, plane *controlPlane) *release {
	t.Helper()
	r := &release{T: t, plane: plane}
	groups, err := restmapper.GetAPIGroupResources(plane.client.Discovery())
	if err != nil {
		t.Fatal(err)
	}
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	for mode := range shippedModes {
		for _, one := range chart(t, mode) {
			kind := one.GroupVersionKind()
			var mapping *meta.RESTMapping
			if mapping, err = mapper.RESTMapping(kind.GroupKind(), kind.Version); err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(r.kinds, mapping.Resource) {
				r.kinds = append(r.kinds, mapping.Resource)
			}
		}
	}
	return r
}

// changesModes: whatever mode a release was in before, it has the objects then that it would have if it had been
// installed so; none that it no longer needs is left, and no field.
func (r *release) changesModes() {
	r.Helper()
	modes := slices.Sorted(maps.Keys(shippedModes))
	fresh := map[string]map[string]map[string]any{}
	for _, mode := range modes {
		r.set("install", mode)
		fresh[mode] = r.held()
		if len(fresh[mode]) < len(chart(r.T, mode)) {
			r.Errorf("mode %s: %d objects, the chart has %d", mode, len(fresh[mode]), len(chart(r.T, mode)))
		}
		r.helm("uninstall")
		if left := r.held(); len(left) > 0 {
			r.Errorf("mode %s: is left after `helm uninstall`: %v", mode, slices.Sorted(maps.Keys(left)))
		}
	}
	for _, before := range modes {
		r.set("install", before)
		for _, after := range modes {
			if after == before {
				continue
			}
			r.set("upgrade", after)
			r.same(before+" upgraded to "+after, fresh[after])
			r.helm("rollback", "1")
			r.same(after+" rolled back to "+before, fresh[before])
		}
		r.helm("uninstall")
	}
}

// fixesAddress: the address that a Service has got can be written into the scheduler's configuration afterwards, as
// docs/kubernetes-admin.md says it.
func (r *release) fixesAddress() {
	r.Helper()
	r.set("install", "extender")
	service, err := r.plane.client.CoreV1().Services(zonecutsOwn).Get(r.Context(), "zonecut", metav1.GetOptions{})
	if err != nil {
		r.Fatal(err)
	}
	r.set("upgrade", "extender", "service.clusterIP="+service.Spec.ClusterIP)
	settings, err := r.plane.client.CoreV1().ConfigMaps(zonecutsOwn).Get(r.Context(), "zonecut-kube-scheduler", metav1.GetOptions{})
	if err != nil {
		r.Fatal(err)
	}
	if text := settings.Data["scheduler.yaml"]; !strings.Contains(text, "urlPrefix: https://"+service.Spec.ClusterIP+"/v1\n") {
		r.Errorf("the address %s is not in %s", service.Spec.ClusterIP, text)
	}
	r.helm("uninstall")
}

func (r *release) same(how string, expected map[string]map[string]any) {
	r.Helper()
	found := r.held()
	for name := range maps.Keys(found) {
		if _, known := expected[name]; !known {
			r.Errorf("%s: %s is left", how, name)
		}
	}
	for name, one := range expected {
		if !reflect.DeepEqual(one, found[name]) {
			r.Errorf("%s: %s is\n%v\nexpected\n%v", how, name, found[name], one)
		}
	}
}
