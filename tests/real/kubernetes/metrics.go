package realtest

import (
	"fmt"
	"io"
	"strings"
)

// metric is the sum of what zonecut says of a name, over all labels that hold the words.
func (l *lab) metric(name, words string) int {
	l.Helper()
	response, err := l.zonecut.client.Get(l.zonecut.address + "/metrics")
	if err != nil {
		l.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		l.Fatal(err)
	}
	sum := 0.0
	for line := range strings.Lines(string(text)) {
		labels, value, is := strings.Cut(strings.TrimSpace(line), " ")
		if !is || !strings.HasPrefix(labels, name) || !strings.Contains(labels, words) {
			continue
		}
		if rest := strings.TrimPrefix(labels, name); rest != "" && rest[0] != '{' {
			continue // a longer name
		}
		var one float64
		if _, err := fmt.Sscan(value, &one); err != nil {
			l.Fatalf("%s: %v", line, err)
		}
		sum += one
	}
	return int(sum)
}

// filterAnswers are those that zonecut counted itself.
func (l *lab) filterAnswers() int {
	l.Helper()
	return l.metric("zonecut_requests_total", `verb="filter"`)
}
