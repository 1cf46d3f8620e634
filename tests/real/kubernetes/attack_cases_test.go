package realtest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// nonsenseIsRefused: whoever may connect sends what no scheduler would, and slow clients by the thousand hold
// connections. Requests are answered or refused, never with a failure of zonecut's own, and gangs land on.
func nonsenseIsRefused(l *lab) {
	l.build(evenZones(2, 4)...)
	l.run()
	first := l.gang("first", 4, pipeline(4))
	l.create(first...)
	l.awaitAll(soon, first)
	body := l.proxy.seen("filter", "first-1")[0].request
	l.sendBroken(body)
	l.sendWrongTypes(body)
	l.sendLarge()
	l.sendNoHTTP()
	slow := l.holdConnections(10_000)
	second := l.gang("second", 8, pipeline(8))
	l.create(second...)
	l.distinct(l.awaitAll(soon, second))
	slow()
	l.calm(append(first, second...))
	if !l.zonecut.isRunning() || !l.zonecut.isReady() {
		l.Error("zonecut does not run any more")
	}
	l.checkZonecut()
}

// sent is the status of an answer, whose body must be JSON. 0: the connection was ended without one.
func (l *lab) sent(verb string, header http.Header, body io.Reader) int {
	l.Helper()
	request, err := http.NewRequest(http.MethodPost, l.zonecut.address+"/v1/"+verb, body)
	if err != nil {
		l.Fatal(err)
	}
	for key, values := range header {
		request.Header[key] = values
	}
	response, err := l.proxy.client.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0
	}
	if !json.Valid(text) || !utf8.Valid(text) {
		l.Errorf("%s answered %d with what is no JSON: %.200q", verb, response.StatusCode, text)
	}
	return response.StatusCode
}

// refused fails unless the body is answered with a status of 400 to 499.
func (l *lab) refused(what, verb string, body []byte) {
	l.Helper()
	if status := l.sent(verb, nil, bytes.NewReader(body)); status < 400 || status > 499 {
		l.Errorf("%s, sent to %s: status %d", what, verb, status)
	}
}

var verbsOfBodies = []string{"filter", "prioritize", "preempt"}

func (l *lab) sendBroken(body []byte) {
	l.Helper()
	chance := rand.New(rand.NewSource(1))
	for _, verb := range verbsOfBodies {
		for range 40 {
			l.refused("a truncated body", verb, body[:chance.Intn(len(body)-1)])
		}
		for _, opening := range []string{"[", `{"Pod":`, `{"Pod":{"spec":[`} {
			l.refused("deep nesting", verb, []byte(strings.Repeat(opening, 100_000)))
			closed := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
			l.refused("deep nesting that ends", verb, []byte(`{"Pod":`+closed+`}`))
		}
		for range 200 { // bytes that are other ones: read or refused
			other := bytes.Clone(body)
			for range 1 + chance.Intn(4) {
				other[chance.Intn(len(other))] = byte(chance.Intn(256))
			}
			l.answered("a body with other bytes", verb, other)
		}
		for _, bad := range []string{"\xff", "\xc3", "\xed\xa0\x80", "\xf8\x88\x80\x80\x80"} {
			l.answered("invalid UTF-8", verb, bytes.ReplaceAll(body, []byte("first-1"), []byte("first-"+bad)))
		}
	}
}

// answered fails unless the status is 200 or one of 400 to 499.
func (l *lab) answered(what, verb string, body []byte) {
	l.Helper()
	if status := l.sent(verb, nil, bytes.NewReader(body)); status != http.StatusOK && (status < 400 || status > 499) {
		l.Errorf("%s, sent to %s: status %d: %.300q", what, verb, status, body)
	}
}

// sendWrongTypes puts a value of every type in the place of each value of the request.
func (l *lab) sendWrongTypes(body []byte) {
	l.Helper()
	var request any
	if err := json.Unmarshal(body, &request); err != nil {
		l.Fatal(err)
	}
	wrong := []any{nil, true, -1, 1e300, "x", "\u0000", []any{}, []any{[]any{}}, map[string]any{}, map[string]any{"": 1}}
	count := 0
	var walk func(value any)
	each := func(now any, put func(any)) {
		for _, one := range wrong {
			put(one)
			l.answered("a wrong type", verbsOfBodies[count%len(verbsOfBodies)], encoded(request))
			count++
		}
		put(now)
		walk(now)
	}
	walk = func(value any) {
		switch inner := value.(type) {
		case map[string]any:
			for key, now := range inner {
				each(now, func(other any) { inner[key] = other })
			}
		case []any:
			for i, now := range inner {
				each(now, func(other any) { inner[i] = other })
			}
		}
	}
	walk(request)
	l.Logf("%d requests with a wrong type", count)
}

// sendLarge: bodies beyond the limit, packed and unpacked, and heads beyond theirs.
func (l *lab) sendLarge() {
	l.Helper()
	const beyond = 65 << 20
	if status := l.sent("filter", nil, io.LimitReader(zeros{}, beyond)); status != http.StatusRequestEntityTooLarge && status != 0 {
		l.Errorf("a body of %d bytes in chunks: status %d", beyond, status)
	}
	l.raw("an announced large body", fmt.Sprintf("POST /v1/filter HTTP/1.1\r\nHost: z\r\nContent-Length: %d\r\n\r\n", beyond), "413")
	l.raw("a length without end", "POST /v1/filter HTTP/1.1\r\nHost: z\r\nContent-Length: 99999999999999999999999\r\n\r\n", "400")
	var packed bytes.Buffer
	packer := gzip.NewWriter(&packed)
	_, _ = io.Copy(packer, io.LimitReader(zeros{}, 1<<30))
	packer.Close()
	header := http.Header{"Content-Encoding": {"gzip"}}
	if status := l.sent("filter", header, bytes.NewReader(packed.Bytes())); status != http.StatusRequestEntityTooLarge {
		l.Errorf("a gigabyte of zeros, packed: status %d", status)
	}
	if status := l.sent("filter", header, bytes.NewReader(packed.Bytes()[:packed.Len()/4096])); status != http.StatusBadRequest {
		l.Errorf("a truncated gzip stream: status %d", status)
	}
	if status := l.sent("filter", http.Header{"X": {strings.Repeat("x", 100_000)}}, strings.NewReader("{}")); status != http.StatusRequestHeaderFieldsTooLarge && status != 0 {
		l.Errorf("a large head: status %d", status)
	}
}

type zeros struct{}

func (zeros) Read(into []byte) (int, error) {
	clear(into)
	return len(into), nil
}

// sendNoHTTP: bytes that are no request, and requests that contradict themselves.
func (l *lab) sendNoHTTP() {
	l.Helper()
	chance := rand.New(rand.NewSource(2))
	for range 100 {
		noise := make([]byte, 1+chance.Intn(2000))
		chance.Read(noise)
		l.raw("noise", string(noise), "")
	}
	l.raw("a TLS greeting", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "")
	l.raw("a broken chunk", "POST /v1/filter HTTP/1.1\r\nHost: z\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "400")
	l.raw("a chunk without end", "POST /v1/filter HTTP/1.1\r\nHost: z\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n", "400")
	l.raw("two lengths", "POST /v1/filter HTTP/1.1\r\nHost: z\r\nContent-Length: 2\r\nContent-Length: 7\r\n\r\n{}", "400")
	l.raw("another version", "GET /healthz HTTP/9.9\r\n\r\n", "400")
	l.raw("an unknown verb", "BREW /v1/filter HTTP/1.1\r\nHost: z\r\n\r\n", "405")
}

// raw sends bytes and expects a status, or whatever where that is "".
func (l *lab) raw(what, text, status string) {
	l.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(l.zonecut.address, "http://"))
	if err != nil {
		l.Fatal(err)
	}
	defer connection.Close()
	_ = connection.SetDeadline(time.Now().Add(10 * time.Second))
	_, _ = io.WriteString(connection, text)
	if tcp, is := connection.(*net.TCPConn); is {
		_ = tcp.CloseWrite()
	}
	answer, _ := io.ReadAll(connection)
	if status != "" && !strings.HasPrefix(string(answer), "HTTP/1.1 "+status+" ") {
		l.Errorf("%s: %.200q", what, answer)
	}
}

// holdConnections: so many clients connect and are answered once, all of whom zonecut must hold at once. Then
// they send a request a byte a second, and connect again when they are ended, until the function is called.
func (l *lab) holdConnections(count int) (stop func()) {
	l.Helper()
	place := strings.TrimPrefix(l.zonecut.address, "http://")
	clients := make([]net.Conn, count)
	places := make([]*net.Conn, count)
	for i := range places {
		places[i] = &clients[i]
	}
	eachOf(l, places, func(client *net.Conn) error {
		made, err := net.DialTimeout("tcp", place, soon)
		if err != nil {
			return err
		}
		*client = made
		_ = made.SetReadDeadline(time.Now().Add(soon))
		if _, err = io.WriteString(made, "GET /healthz HTTP/1.1\r\nHost: zonecut\r\n\r\n"); err == nil {
			_, err = made.Read(make([]byte, 4096))
		}
		return err
	})
	held := l.sockets()
	l.Logf("%d connections at once", held)
	if held < count {
		l.Errorf("zonecut held %d connections at once, %d clients are there", held, count)
	}
	for _, client := range clients {
		_, _ = io.WriteString(client, slowHead)
	}
	ending, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		trickle(place, clients, ending)
	}()
	return func() {
		close(ending)
		<-ended
	}
}
