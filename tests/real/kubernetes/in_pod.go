package realtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Where every client in a pod looks for its service account.
const accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount"

// account is a service account with the folder that the kubelet mounts into a pod of it: ca.crt, namespace
// and a token of the API server's, which are exchanged at once when the token rotates.
type account struct {
	*lab
	name            string // of its pods, which a number follows
	namespace, user string
	template        corev1.PodTemplateSpec // of the pods that tokens are bound to
	folder          string
	token           string
	holder          string // pod that the token is bound to
	round           int
}

func (l *lab) newAccount(name string, deployment *shippedDeployment) *account {
	l.Helper()
	made := &account{lab: l, name: name, namespace: deployment.Namespace, user: deployment.Spec.Template.Spec.ServiceAccountName,
		template: deployment.Spec.Template, folder: l.TempDir()}
	made.rotate()
	return made
}

// rotate writes a new token, bound to a pod of its own, the way the kubelet does: a new folder, and a
// symbolic link that is renamed.
func (own *account) rotate() {
	own.Helper()
	own.round++
	own.token = own.newToken()
	inner := fmt.Sprintf("..%d", own.round)
	own.put(os.Mkdir(filepath.Join(own.folder, inner), 0o755))
	ca, err := os.ReadFile(own.plane.caFile)
	own.put(err)
	for name, text := range map[string]string{"ca.crt": string(ca), "namespace": own.namespace, "token": own.token} {
		own.put(os.WriteFile(filepath.Join(own.folder, inner, name), []byte(text), 0o644))
		if own.round == 1 {
			own.put(os.Symlink(filepath.Join("..data", name), filepath.Join(own.folder, name)))
		}
	}
	own.put(os.Symlink(inner, filepath.Join(own.folder, "..data_tmp")))
	own.put(os.Rename(filepath.Join(own.folder, "..data_tmp"), filepath.Join(own.folder, "..data")))
}

func (own *account) put(err error) {
	own.Helper()
	if err != nil {
		own.Fatal(err)
	}
}

// newToken creates a pod as the Deployment would, and asks for a token that is good as long as the pod is.
func (own *account) newToken() string {
	own.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", own.name, own.round), Namespace: own.namespace,
			Labels: own.template.Labels, Annotations: own.template.Annotations},
		Spec: *own.template.Spec.DeepCopy(),
	}
	pod.Spec.TerminationGracePeriodSeconds = new(int64)
	made, err := own.plane.client.CoreV1().Pods(own.namespace).Create(context.Background(), pod,
		metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	own.put(err)
	own.holder = made.Name
	own.Cleanup(func() {
		_ = own.plane.client.CoreV1().Pods(own.namespace).Delete(context.Background(), made.Name, metav1.DeleteOptions{})
	})
	seconds := int64(607) // as the kubelet asks at least
	asked := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds,
		BoundObjectRef: &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: made.Name, UID: made.UID}}}
	given, err := own.plane.client.CoreV1().ServiceAccounts(own.namespace).CreateToken(context.Background(), own.user, asked,
		metav1.CreateOptions{})
	own.put(err)
	return given.Status.Token
}

// end makes the token worthless by deleting its pod, and waits until the API server refuses it.
func (own *account) end(holder, token string) {
	own.Helper()
	own.put(own.plane.client.CoreV1().Pods(own.namespace).Delete(context.Background(), holder, metav1.DeleteOptions{}))
	client := own.clientOf(token)
	eventually(own, "the API server to refuse the token", soon, func() bool {
		_, err := client.CoreV1().Nodes().List(context.Background(), metav1.ListOptions{Limit: 1})
		return apierrors.IsUnauthorized(err)
	})
}

// clientOf has the rights of whoever holds the token.
func (own *account) clientOf(token string) kubernetes.Interface {
	own.Helper()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: own.plane.address, BearerToken: token,
		TLSClientConfig: rest.TLSClientConfig{CAFile: own.plane.caFile}})
	own.put(err)
	return client
}

// inPod makes a command run as in a container of the pod: with the account's files where they belong, which
// a mount namespace makes possible, and the environment by which the API server is found.
func (own *account) inPod(address string, command *exec.Cmd) *exec.Cmd {
	own.Helper()
	server, err := url.Parse(address)
	own.put(err)
	inside := itself(own.T, "pod", append([]string{own.folder, command.Path}, command.Args[1:]...)...)
	inside.Env = append(inside.Env, "KUBERNETES_SERVICE_HOST="+server.Hostname(), "KUBERNETES_SERVICE_PORT="+server.Port())
	if command.Env != nil { // another role of this program
		inside.Env = append(inside.Env, withinPod+"="+roleOf(command))
	}
	inside.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	return inside
}

// withinPod is the environment variable with the role that the program has in a pod.
const withinPod = "ZONECUT_REAL_TEST_WITHIN_POD"

func roleOf(command *exec.Cmd) string {
	for _, one := range command.Env {
		if len(one) > len(asRole) && one[:len(asRole)+1] == asRole+"=" {
			return one[len(asRole)+1:]
		}
	}
	return ""
}

// becomePod mounts the folder and becomes the program: pod FOLDER PROGRAM [ARGUMENT…].
func becomePod() int {
	folder, program := os.Args[1], os.Args[2]
	role := os.Getenv(withinPod)
	os.Unsetenv(withinPod)
	os.Unsetenv(asRole)
	if role != "" {
		os.Setenv(asRole, role)
	}
	err := mountAccount(folder)
	if err == nil {
		err = syscall.Exec(program, os.Args[2:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, "no pod can be had:", err)
	return 1
}

func mountAccount(folder string) error {
	// The folder may lie below what is covered.
	opened, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer opened.Close()
	run, err := filepath.EvalSymlinks("/var/run")
	if err != nil {
		return err
	}
	if err := syscall.Mount("none", run, "tmpfs", 0, ""); err != nil {
		return fmt.Errorf("%s: %w", run, err)
	}
	if err := os.MkdirAll(accountFolder, 0o755); err != nil {
		return err
	}
	return syscall.Mount(fmt.Sprintf("/proc/self/fd/%d", opened.Fd()), accountFolder, "", syscall.MS_BIND, "")
}

// hasPods says whether this machine lets a test have namespaces of its own.
func hasPods() error {
	probe := exec.Command("/bin/true")
	probe.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	return probe.Run()
}
