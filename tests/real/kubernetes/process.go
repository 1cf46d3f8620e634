package realtest

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// asRole is the environment variable that makes the test binary another program.
const asRole = "ZONECUT_REAL_TEST_ROLE"

// process is a program started for a case. It never outlives the test binary.
type process struct {
	t       *testing.T
	command *exec.Cmd
	log     string // file of its stderr unless it has one, and of its stdout unless lines are read
	ended   chan struct{}
	once    sync.Once
}

// start runs a program whose log is shown when the test fails.
func start(t *testing.T, name string, command *exec.Cmd, lines func(line string)) *process {
	t.Helper()
	file, err := os.CreateTemp(t.TempDir(), name+"-*.log")
	if err != nil {
		t.Fatal(err)
	}
	started := &process{t: t, command: command, log: file.Name(), ended: make(chan struct{})}
	if command.Stderr == nil {
		command.Stderr = file
	}
	if command.SysProcAttr == nil {
		command.SysProcAttr = &syscall.SysProcAttr{}
	}
	command.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if lines == nil {
		command.Stdout = file
	} else {
		output, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { go readLines(bufio.NewScanner(output), lines) }()
	}
	if err := command.Start(); err != nil {
		t.Fatalf("%s: %v", command.Path, err)
	}
	file.Close()
	go func() {
		_ = command.Wait()
		close(started.ended)
	}()
	t.Cleanup(func() {
		started.kill()
		started.keep()
		if t.Failed() {
			t.Logf("end of the log of %s:\n%s", name, endOf(started.text()))
		}
	})
	return started
}

func readLines(scanner *bufio.Scanner, lines func(line string)) {
	for scanner.Scan() {
		lines(scanner.Text())
	}
}

// kill is kill -9, and returns when the process is gone.
func (started *process) kill() { started.end(syscall.SIGKILL) }

// terminate asks it to end and waits until it did.
func (started *process) terminate() { started.end(syscall.SIGTERM) }

func (started *process) end(signal syscall.Signal) {
	started.once.Do(func() { _ = started.command.Process.Signal(signal) })
	<-started.ended
}

func (started *process) isRunning() bool {
	select {
	case <-started.ended:
		return false
	default:
		return true
	}
}

// cpu is the time it has computed, once it has ended.
func (started *process) cpu() time.Duration {
	<-started.ended
	return started.command.ProcessState.UserTime() + started.command.ProcessState.SystemTime()
}

func (started *process) text() string {
	text, _ := os.ReadFile(started.log)
	return string(text)
}

// keep copies the log to the folder ZONECUT_REAL_LOGS, for people who look into a case.
func (started *process) keep() {
	if folder := os.Getenv("ZONECUT_REAL_LOGS"); folder != "" {
		name := strings.ReplaceAll(started.t.Name(), "/", "_") + "-" + filepath.Base(started.log)
		_ = os.WriteFile(filepath.Join(folder, name), []byte(started.text()), 0o600)
	}
}

func endOf(text string) string {
	const most = 6000
	if len(text) > most {
		return "…" + text[len(text)-most:]
	}
	return text
}

// itself is the command that runs this binary in another role.
func itself(t *testing.T, role string, arguments ...string) *exec.Cmd {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(path, arguments...)
	command.Env = append(os.Environ(), asRole+"="+role)
	return command
}
