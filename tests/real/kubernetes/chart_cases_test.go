package realtest

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// nullLeavesOut are values of the chart that null takes out of the objects. Any other null is refused, or is
// as if nobody had said it: Helm removes the chart's own value then, and templates would see none.
var nullLeavesOut = []string{"image.pullPolicy", "nodeSelector", "priorityClassName", "resources", "scheduler.resources"}

// TestChartNulls needs no control plane.
func TestChartNulls(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(pluginFolder, "chart", "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var values map[string]any
	if err := yaml.Unmarshal(text, &values); err != nil {
		t.Fatal(err)
	}
	names := namesOfValues("", values)
	if !slices.Contains(names, "networkPolicy.apiServerPorts") || !slices.Contains(names, "reserveSeconds") {
		t.Fatalf("values are not all here: %v", names)
	}
	for _, mode := range slices.Sorted(maps.Keys(shippedModes)) {
		usual, err := template(t, "mode="+mode)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if name == "mode" {
				continue
			}
			objects, err := template(t, "mode="+mode, name+"=null")
			switch {
			case slices.Contains(nullLeavesOut, name):
				if err != nil {
					t.Errorf("mode %s: %v", mode, err)
				}
			case err != nil:
				if !strings.Contains(err.Error(), "values don't meet the specifications") {
					t.Errorf("mode %s, %s=null: a template fails where the schema should refuse: %v", mode, name, err)
				}
			case !reflect.DeepEqual(usual, objects):
				t.Errorf("mode %s, %s=null: the objects are others than without it", mode, name)
			}
		}
	}
}

// namesOfValues are the dotted names of all values of a tree, inner ones after that which holds them.
func namesOfValues(before string, tree map[string]any) []string {
	var names []string
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		name := before + key
		names = append(names, name)
		// Below are names that only a cluster knows.
		if inner, isTree := tree[key].(map[string]any); isTree && !slices.Contains(nullLeavesOut, name) {
			names = append(names, namesOfValues(name+".", inner)...)
		}
	}
	return names
}
