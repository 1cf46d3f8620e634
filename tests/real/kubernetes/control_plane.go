// Package realtest tries `zonecut serve` on a real kube-apiserver, etcd and kube-scheduler.
//
// One control plane serves all cases. RBAC is on: each program has a user of its own with no more
// rights than it is shipped with.
package realtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/storage/etcd3/testserver"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app/testing"
)

// Users and their tokens are the same word.
const (
	adminUser     = "admin"
	schedulerUser = "system:kube-scheduler"
	zonecutUser   = "zonecut"
	narrowUser    = "narrow" // as zonecut, but may not read what owns pods
	binderUser    = "binder" // as zonecut, and may bind
)

type controlPlane struct {
	address    string // https://127.0.0.1:PORT
	caFile     string
	directory  string
	clientCA   *authority
	client     kubernetes.Interface
	anything   dynamic.Interface
	wakes      *wakeCount
	tokenUsers []string
	forget     func(*testing.T) // makes etcd forget every version but the last
}

// startControlPlane runs etcd and kube-apiserver until the test ends, with flags besides the usual ones.
func startControlPlane(t *testing.T, flags ...string) *controlPlane {
	t.Helper()
	plane := &controlPlane{
		directory: t.TempDir(),
		clientCA:  newAuthority(t),
		tokenUsers: []string{adminUser + `,1,"system:masters"`, schedulerUser + ",2", zonecutUser + ",3", narrowUser + ",4",
			binderUser + ",5"},
	}
	server := apiserver.StartTestServerOrDie(t, apiserver.NewDefaultTestServerOptions(), append(plane.flags(t), flags...), plane.etcd(t))
	t.Cleanup(server.TearDownFn)
	plane.address = server.ClientConfig.Host
	if !strings.HasPrefix(plane.address, "https://") {
		plane.address = "https://" + plane.address
	}
	plane.caFile = filepath.Join(server.TmpDir, "apiserver.crt")
	plane.connect(t)
	plane.furnish(t)
	plane.wakes = watchWakes(t, plane.client)
	return plane
}

func (plane *controlPlane) etcd(t *testing.T) *storagebackend.Config {
	config := testserver.NewTestConfig(t)
	client := testserver.RunEtcd(t, config)
	plane.forget = func(t *testing.T) {
		t.Helper()
		now, err := client.KV.Get(t.Context(), "any")
		if err == nil {
			_, err = client.Compact(t.Context(), now.Header.Revision)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	storage := storagebackend.NewDefaultConfig("registry", nil)
	for _, url := range config.ListenClientUrls {
		storage.Transport.ServerList = append(storage.Transport.ServerList, url.String())
	}
	return storage
}

func (plane *controlPlane) flags(t *testing.T) []string {
	var tokens strings.Builder
	for _, user := range plane.tokenUsers {
		name, _, _ := strings.Cut(user, ",")
		fmt.Fprintf(&tokens, "%s,%s\n", name, user)
	}
	return []string{
		// Otherwise nodes keep the taint not-ready, and pods fail on a missing service account.
		"--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
		"--endpoint-reconciler-type=none",
		"--authorization-mode=RBAC",
		"--token-auth-file=" + plane.write(t, "tokens.csv", tokens.String()),
		"--client-ca-file=" + plane.write(t, "client-ca.crt", string(plane.clientCA.certificate)),
		"--max-requests-inflight=4000",
		"--max-mutating-requests-inflight=2000",
		"--v=0",
	}
}

func (plane *controlPlane) write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(plane.directory, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func (plane *controlPlane) connect(t *testing.T) {
	t.Helper()
	config := &rest.Config{
		Host:            plane.address,
		BearerToken:     adminUser,
		TLSClientConfig: rest.TLSClientConfig{CAFile: plane.caFile},
		QPS:             -1,
	}
	var err error
	if plane.client, err = kubernetes.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
	if plane.anything, err = dynamic.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
}

// furnish creates what every cluster has before the first pod: rights, kinds, priorities.
func (plane *controlPlane) furnish(t *testing.T) {
	t.Helper()
	plane.grant(t, zonecutUser, shippedRules(t))
	plane.grant(t, narrowUser, shippedRules(t, "zonecut-sizes"))
	plane.grant(t, binderUser, append(shippedRules(t), bindRules...))
	plane.defineKinds(t)
	for name, value := range map[string]int32{"low": 10, "high": 1000} {
		class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value}
		if _, err := plane.client.SchedulingV1().PriorityClasses().Create(context.Background(), class, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

func (plane *controlPlane) createNamespace(t *testing.T, name string) {
	t.Helper()
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := plane.client.CoreV1().Namespaces().Create(context.Background(), space, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}
