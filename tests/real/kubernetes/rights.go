package realtest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Manifests with the rights that zonecut is shipped with.
var roleFiles = []string{
	"../../../plugins/kubernetes/manifests/base/roles.yaml",
	"../../../plugins/kubernetes/manifests/overlays/gates/lease-role.yaml",
}

// bindRules are what whoever configures a bindVerb adds.
var bindRules = []rbacv1.PolicyRule{
	{APIGroups: []string{""}, Resources: []string{"pods/binding"}, Verbs: []string{"create"}},
	{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}},
}

// shippedRules are those of all roles in the manifests, but for the roles of the given names.
func shippedRules(t *testing.T, without ...string) []rbacv1.PolicyRule {
	t.Helper()
	left := map[string]bool{}
	for _, name := range without {
		left[name] = true
	}
	var rules []rbacv1.PolicyRule
	for _, name := range roleFiles {
		for _, role := range rolesIn(t, name) {
			if left[role.Name] {
				delete(left, role.Name)
			} else {
				rules = append(rules, role.Rules...)
			}
		}
	}
	if len(left) > 0 || len(rules) == 0 {
		t.Fatalf("the manifests have no roles %v, and %d rules", left, len(rules))
	}
	return rules
}

// rolesIn are the documents of a file that have rules: ClusterRoles and Roles.
func rolesIn(t *testing.T, name string) []rbacv1.ClusterRole {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var roles []rbacv1.ClusterRole
	for decoder := yaml.NewYAMLOrJSONDecoder(bufio.NewReader(file), 4096); ; {
		var role rbacv1.ClusterRole
		if err := decoder.Decode(&role); errors.Is(err, io.EOF) {
			return roles
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(role.Rules) > 0 {
			roles = append(roles, role)
		}
	}
}

// grant gives a user its rights. kube-scheduler's come with the API server.
func (plane *controlPlane) grant(t *testing.T, user string, rules []rbacv1.PolicyRule) {
	t.Helper()
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: user}, Rules: rules}
	if _, err := plane.client.RbacV1().ClusterRoles().Create(context.Background(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: user},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: user}},
	}
	if _, err := plane.client.RbacV1().ClusterRoleBindings().Create(context.Background(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}
