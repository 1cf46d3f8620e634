package realtest

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// served is a process that answers as an extender: `zonecut serve`, or the idle one.
type served struct {
	*process
	address string // http://127.0.0.1:PORT
	client  http.Client
}

// zonecutProgram is the program under test.
func zonecutProgram(t *testing.T) string {
	t.Helper()
	program := os.Getenv("ZONECUT")
	if program == "" {
		t.Fatal("ZONECUT does not name the program under test")
	}
	return program
}

// listen starts an extender and waits until it says where it listens.
func listen(t *testing.T, name string, command *exec.Cmd) *served {
	t.Helper()
	said := make(chan string, 1)
	extender := &served{client: http.Client{Timeout: 5 * time.Second}}
	extender.process = start(t, name, command, func(line string) {
		if place, is := strings.CutPrefix(line, "listening on "); is {
			select {
			case said <- place:
			default:
			}
		}
	})
	select {
	case place := <-said:
		extender.address = "http://" + place
	case <-extender.ended:
		t.Fatalf("%s ended: %s", name, endOf(extender.text()))
	case <-time.After(20 * time.Second):
		t.Fatalf("%s does not say where it listens: %s", name, endOf(extender.text()))
	}
	return extender
}

// status asks a path of the extender; 0 when nobody answers.
func (extender *served) status(path string) int {
	response, err := extender.client.Get(extender.address + path)
	if err != nil {
		return 0
	}
	response.Body.Close()
	return response.StatusCode
}

func (extender *served) isReady() bool { return extender.status("/readyz") == http.StatusOK }
