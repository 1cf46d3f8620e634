package realtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extender "k8s.io/kube-scheduler/extender/v1"
)

// poster sends a request and times it until its answer has come whole.
type poster interface {
	post(verb string, body []byte) (answer []byte, took time.Duration, err error)
}

// caller sends requests as kube-scheduler does: one after another on one keep-alive connection, with
// Content-Length and never compressed.
type caller struct {
	client  http.Client
	address string
}

func newCaller(address string) *caller {
	return &caller{address: address, client: http.Client{
		Timeout:   30 * time.Second,
		Transport: &http.Transport{DisableCompression: true},
	}}
}

func (from *caller) post(verb string, body []byte) (answer []byte, took time.Duration, err error) {
	start := time.Now()
	response, err := from.client.Post(from.address+"/v1/"+verb, "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, time.Since(start), err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	took = time.Since(start)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %.300s", verb, response.Status, answer)
	}
	return answer, took, err
}

// asker writes requests about pods for all nodes of a case, in both cache modes.
type asker struct {
	names []string
	nodes []byte // JSON of their list
}

func newAsker(l *lab) *asker {
	l.Helper()
	list, err := l.plane.client.CoreV1().Nodes().List(l.Context(), metav1.ListOptions{LabelSelector: caseLabel + "=" + l.name})
	if err != nil {
		l.Fatal(err)
	}
	made := &asker{}
	for _, node := range list.Items {
		made.names = append(made.names, node.Name)
	}
	made.nodes = encoded(&corev1.NodeList{Items: list.Items})
	return made
}

// candidates is the body of filter and prioritize. The order of names rotates from call to call.
func (from *asker) candidates(pod *corev1.Pod, whole bool, turn int) []byte {
	if whole {
		return slices.Concat([]byte(`{"Pod":`), encoded(pod), []byte(`,"Nodes":`), from.nodes, []byte(`,"NodeNames":null}`))
	}
	start := turn * 17 % len(from.names)
	names := slices.Concat(from.names[start:], from.names[:start])
	return encoded(&extender.ExtenderArgs{Pod: pod, NodeNames: &names})
}

// preemption is the body of preempt: the first hundred nodes, one victim on each.
func (from *asker) preemption(pod *corev1.Pod) []byte {
	victims := map[string]*extender.MetaVictims{}
	for _, name := range from.names[:min(100, len(from.names))] {
		victims[name] = &extender.MetaVictims{Pods: []*extender.MetaPod{{UID: "victim-on-" + name}}}
	}
	return encoded(&extender.ExtenderPreemptionArgs{Pod: pod, NodeNameToMetaVictims: victims})
}

func encoded(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// keptNames are the nodes that an answer to filter leaves.
func keptNames(answer []byte) ([]string, error) {
	var result extender.ExtenderFilterResult
	if err := json.Unmarshal(answer, &result); err != nil {
		return nil, err
	}
	if result.Error != "" {
		return nil, fmt.Errorf("filter: %s", result.Error)
	}
	var names []string
	if result.NodeNames != nil {
		names = *result.NodeNames
	}
	if result.Nodes != nil {
		for _, node := range result.Nodes.Items {
			names = append(names, node.Name)
		}
	}
	return names, nil
}

// durations are how long calls took.
type durations []time.Duration

func (times durations) quantile(share float64) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

func (times durations) String() string {
	return fmt.Sprintf("p50 %s, p99 %s, max %s over %d calls", milliseconds(times.quantile(0.5)),
		milliseconds(times.quantile(0.99)), milliseconds(slices.Max(times)), len(times))
}

func milliseconds(length time.Duration) string {
	return fmt.Sprintf("%.2f ms", length.Seconds()*1000)
}
