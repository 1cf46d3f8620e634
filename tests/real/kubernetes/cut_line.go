package realtest

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// cutLine carries bytes to the API server until it is cut: then every connection ends and none is made.
type cutLine struct {
	address  string // https://127.0.0.1:PORT
	target   string
	mutex    sync.Mutex
	isCut    bool
	carrying map[net.Conn]bool
}

func startLine(t *testing.T, to string) *cutLine {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	line := &cutLine{address: "https://" + listener.Addr().String(), target: target.Host, carrying: map[net.Conn]bool{}}
	t.Cleanup(func() {
		listener.Close()
		line.cut()
	})
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go line.carry(connection)
		}
	}()
	return line
}

func (line *cutLine) carry(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", line.target)
	if err != nil {
		return
	}
	defer server.Close()
	if !line.begin(client, server) {
		return
	}
	defer line.end(client, server)
	go func() {
		_, _ = io.Copy(server, client)
		server.Close()
	}()
	_, _ = io.Copy(client, server)
}

func (line *cutLine) begin(connections ...net.Conn) bool {
	line.mutex.Lock()
	defer line.mutex.Unlock()
	for _, connection := range connections {
		line.carrying[connection] = true
	}
	return !line.isCut
}

func (line *cutLine) end(connections ...net.Conn) {
	line.mutex.Lock()
	defer line.mutex.Unlock()
	for _, connection := range connections {
		delete(line.carrying, connection)
	}
}

func (line *cutLine) cut() {
	line.mutex.Lock()
	defer line.mutex.Unlock()
	line.isCut = true
	for connection := range line.carrying {
		connection.Close()
	}
}

func (line *cutLine) mend() {
	line.mutex.Lock()
	defer line.mutex.Unlock()
	line.isCut = false
}
