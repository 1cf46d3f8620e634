package realtest

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"
)

// apart is a caller in a process of its own. In the process of the API server a call would also wait for
// that one's garbage collection and goroutines, as kube-scheduler's do not.
type apart struct {
	asks    *gob.Encoder
	flush   func() error
	answers *gob.Decoder
}

// question and told go to that process and come from it.
type question struct {
	Verb string
	Body []byte
}

type told struct {
	Answer []byte
	Took   time.Duration
	Fault  string
}

func newCallerApart(t *testing.T, address string) *apart {
	t.Helper()
	command := itself(t, "load-caller", address)
	command.Stderr = os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close()
		_ = command.Wait()
	})
	buffer := bufio.NewWriterSize(input, 1<<20)
	return &apart{gob.NewEncoder(buffer), buffer.Flush, gob.NewDecoder(bufio.NewReader(output))}
}

// post is caller.post, timed in the other process.
func (from *apart) post(verb string, body []byte) ([]byte, time.Duration, error) {
	var answer told
	err := errors.Join(from.asks.Encode(question{verb, body}), from.flush())
	if err == nil {
		err = from.answers.Decode(&answer)
	}
	if err == nil && answer.Fault != "" {
		err = errors.New(answer.Fault)
	}
	return answer.Answer, answer.Took, err
}

// loadCaller is that process. Its memory is collected between calls only.
func loadCaller() int {
	const bytesBetween = 64 << 20
	debug.SetGCPercent(-1)
	from := newCaller(os.Args[1])
	questions, answers := gob.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<20)), gob.NewEncoder(os.Stdout)
	for bytes := 0; ; {
		var asked question
		if err := questions.Decode(&asked); err != nil {
			if !errors.Is(err, io.EOF) {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
			return 0
		}
		answer, took, err := from.post(asked.Verb, asked.Body)
		result := told{Answer: answer, Took: took}
		if err != nil {
			result.Fault = err.Error()
		}
		if err := answers.Encode(result); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		if bytes += len(asked.Body) + len(answer); bytes > bytesBetween {
			runtime.GC()
			bytes = 0
		}
	}
}
