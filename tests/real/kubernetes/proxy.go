package realtest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	extender "k8s.io/kube-scheduler/extender/v1"
)

// call is one request of kube-scheduler with the answer it got. Status 0: nobody answered.
type call struct {
	verb, pod       string
	request, answer []byte
	status          int
	at              time.Time
	took            time.Duration
}

// countingProxy stands between kube-scheduler and the extender, so that the extender may die and come
// back at another port, and so that every call is seen.
type countingProxy struct {
	server  *httptest.Server
	client  *http.Client
	backend atomic.Pointer[string]
	mutex   sync.Mutex
	calls   []call
}

func startProxy(t *testing.T) *countingProxy {
	t.Helper()
	proxy := &countingProxy{client: &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}}
	proxy.server = httptest.NewServer(proxy)
	t.Cleanup(proxy.server.Close)
	return proxy
}

func (proxy *countingProxy) send(address string) { proxy.backend.Store(&address) }

func (proxy *countingProxy) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	done := call{verb: path.Base(request.URL.Path), request: body, at: time.Now()}
	done.pod = podOf(done.verb, body)
	done.status, done.answer = proxy.forward(request, body)
	done.took = time.Since(done.at)
	proxy.mutex.Lock()
	proxy.calls = append(proxy.calls, done)
	proxy.mutex.Unlock()
	if done.status == 0 { // as a dead peer does it
		panic(http.ErrAbortHandler)
	}
	answer.Header().Set("Content-Type", "application/json")
	answer.WriteHeader(done.status)
	_, _ = answer.Write(done.answer)
}

func (proxy *countingProxy) forward(request *http.Request, body []byte) (int, []byte) {
	address := proxy.backend.Load()
	if address == nil {
		return 0, nil
	}
	onward, err := http.NewRequestWithContext(request.Context(), request.Method, *address+request.URL.Path, bytes.NewReader(body))
	if err != nil {
		return 0, nil
	}
	onward.Header.Set("Content-Type", "application/json")
	response, err := proxy.client.Do(onward)
	if err != nil {
		return 0, nil
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, nil
	}
	return response.StatusCode, text
}

// podOf names the pod of a request, "" for one without.
func podOf(verb string, body []byte) string {
	if verb == "bind" {
		var arguments extender.ExtenderBindingArgs
		_ = json.Unmarshal(body, &arguments)
		return arguments.PodName
	}
	var arguments struct {
		Pod struct {
			Metadata struct{ Name string }
		}
	}
	_ = json.Unmarshal(body, &arguments)
	return arguments.Pod.Metadata.Name
}

// seen are the calls of a verb so far; of one pod unless pod is "".
func (proxy *countingProxy) seen(verb, pod string) []call {
	proxy.mutex.Lock()
	defer proxy.mutex.Unlock()
	var found []call
	for _, one := range proxy.calls {
		if one.verb == verb && (pod == "" || one.pod == pod) {
			found = append(found, one)
		}
	}
	return found
}

func (proxy *countingProxy) count(verb, pod string) int { return len(proxy.seen(verb, pod)) }

// post sends a request of the test's own to the extender.
func (proxy *countingProxy) post(t *testing.T, verb string, request, answer any) {
	t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	response, err := proxy.client.Post(*proxy.backend.Load()+"/v1/"+verb, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s answered %d: %s", verb, response.StatusCode, text)
	}
	if err := json.Unmarshal(text, answer); err != nil {
		t.Fatalf("%s answered %s: %v", verb, text, err)
	}
}
