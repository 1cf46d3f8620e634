package realtest

import (
	"bytes"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"
)

// logIsNotRead: whoever should read zonecut's log has stalled, and the pipe to it is full. Gangs land all the
// same; what was said meanwhile comes when it is read, and zonecut ends when it is told to though it is not.
func logIsNotRead(l *lab) {
	l.build(evenZones(2, 4)...)
	log := stallingLog(l)
	l.stderr = log.end
	l.run()
	log.fill()
	pods := l.gang("train", 8, pipeline(8))
	l.create(pods...)
	l.equal(l.place(pipeline(8)), l.awaitAll(soon, pods))
	asked := l.proxy.seen("filter", pods[0].Name)[0].request
	for _, verb := range []string{"filter", "prioritize"} {
		if status := l.sent(verb, nil, bytes.NewReader(asked)); status != http.StatusOK {
			l.Errorf("%s: status %d", verb, status)
		}
	}
	l.calm(pods)
	log.readUntil(`"message":"gang planned"`)
	log.fill()
	go l.zonecut.terminate()
	l.until("zonecut to end", 10*time.Second, func() bool { return !l.zonecut.isRunning() })
	if code := l.zonecut.command.ProcessState.ExitCode(); code != 0 {
		l.Errorf("zonecut ended with %d", code)
	}
}

// stalledLog is a pipe that is read only when a case says so.
type stalledLog struct {
	l         *lab
	from, end *os.File
}

func stallingLog(l *lab) *stalledLog {
	l.Helper()
	from, end, err := os.Pipe()
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() {
		from.Close()
		end.Close()
	})
	return &stalledLog{l, from, end}
}

// fill leaves no room in the pipe.
func (log *stalledLog) fill() {
	log.l.Helper()
	to := int(log.end.Fd())
	if err := syscall.SetNonblock(to, true); err != nil {
		log.l.Fatal(err)
	}
	for size := 4096; size > 0; {
		if _, err := syscall.Write(to, []byte(strings.Repeat("\n", size))); err == syscall.EAGAIN {
			size /= 2
		} else if err != nil {
			log.l.Fatal(err)
		}
	}
	if err := syscall.SetNonblock(to, false); err != nil {
		log.l.Fatal(err)
	}
}

// readUntil reads what was written until the words come.
func (log *stalledLog) readUntil(words string) {
	log.l.Helper()
	_ = log.from.SetReadDeadline(time.Now().Add(soon))
	var text strings.Builder
	part := make([]byte, 4096)
	for !strings.Contains(text.String(), words) {
		size, err := log.from.Read(part)
		if err != nil {
			log.l.Fatalf("read no %s: %v in %s", words, err, endOf(text.String()))
		}
		text.Write(part[:size])
	}
}
