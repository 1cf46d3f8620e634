package realtest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// ownClock is what zonecut says of its filter answers: how many took at most so long, from the time
// when the request had come whole. A busy machine delays the caller of here as well, but not this.
type ownClock struct{ all, within1, within5 float64 }

func ownClockOf(t testing.TB, address string) ownClock {
	t.Helper()
	response, err := http.Get(address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var clock ownClock
	for line := range strings.Lines(string(text)) {
		for start, count := range map[string]*float64{
			`zonecut_request_seconds_count{verb="filter"} `:             &clock.all,
			`zonecut_request_seconds_bucket{verb="filter",le="0.001"} `: &clock.within1,
			`zonecut_request_seconds_bucket{verb="filter",le="0.005"} `: &clock.within5,
		} {
			if value, is := strings.CutPrefix(line, start); is {
				_, _ = fmt.Sscan(value, count)
			}
		}
	}
	return clock
}

// since describes the answers between two readings.
func (clock ownClock) since(before ownClock) string {
	all := clock.all - before.all
	return fmt.Sprintf("by zonecut's clock %.1f %% within 1 ms, %.1f %% within 5 ms",
		100*(clock.within1-before.within1)/all, 100*(clock.within5-before.within5)/all)
}
