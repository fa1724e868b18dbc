package gateway

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// A secret has six bytes at least, and so has the beginning of one at the end of a text.
func TestShortestSecret(t *testing.T) {
	all := secretsOf([]relay.Server{{Name: "a", Options: manager.Options{Endpoint: dial.Command{Args: []string{"x"}, Env: []string{"A=12345", "B=abcdef", "C=ABCDEFGH"}}}}})["a"]
	for text, want := range map[string]string{
		"12345": "12345", "abcdef": "•••", "xabcdefx": "x•••x", "abcde": "abcde", "abcde…": "abcde…",
		"ABCDEFG": "•••", "ABCDEF": "•••", "ABCDEF.": "•••", "ABCDE": "ABCDE", "ABCDEF x": "ABCDEF x", "ABCDEFGH": "•••", "BCDEFGH": "BCDEFGH",
	} {
		if got := hide(text, all); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

// Texts of others have 200 bytes at most, are cut between characters and print.
func TestClean(t *testing.T) {
	x := strings.Repeat("x", maxText)
	for text, want := range map[string]string{
		"": "", "a\nb\x1b[1m": "a·b·[1m", x: x, x + "y": x + "…", x[1:] + "é": x[1:] + "…", x[2:] + "é": x[2:] + "é",
	} {
		if got := clean(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

// The lines of a Status say what there is to say, and nothing of what is zero.
func TestStatusText(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	rev := protocol.Revision20250618
	st := Status{
		At: at, Servers: []string{"a", "b"}, Notes: []string{"a\tnote"},
		Sessions: []SessionStatus{
			{Number: 1, Kind: "stdio", Since: at.Add(-time.Second), Phase: server.Phase(0)},
			{
				Number: 2, Kind: "http", Principal: "secret", Since: at.Add(time.Second), Client: protocol.Implementation{Name: "c", Version: "1"}, Revision: rev,
				Calls: 1, Asked: 2, Waiting: 1, Ending: true, Resting: true,
				Servers: []manager.Status{
					{Link: manager.Link{Server: "a"}, Condition: manager.Ready, Since: at.Add(-90 * time.Millisecond), Revision: rev, Pending: 1, ReadyCount: 2, Misses: 1},
					{Link: manager.Link{Server: "b"}, Condition: manager.Waiting, ReadyCount: 1, RetryAt: at.Add(3 * time.Second), Err: errors.New("bad\nlines")},
				},
			},
			{Number: 3, Servers: []manager.Status{{Link: manager.Link{Server: "a"}, Condition: manager.Closed}, {Link: manager.Link{Server: "a"}, Condition: manager.Idle}}},
		},
	}
	var b strings.Builder
	n, err := st.WriteTo(&b)
	want := `gateway at 2026-01-02T03:04:05Z: 2 servers, 3 sessions
server a: 1 idle, 1 ready, 1 closed
server b: 1 waiting
a·note

session 1, stdio, 1s: ` + server.Phase(0).String() + `, 0 calls, 0 questions

session 2, http, 0s: ` + server.Phase(0).String() + `, ending, servers rest, client c 1, revision 2025-06-18, 1 calls, 2 questions, 1 waiting
  a: ready for 100ms, revision 2025-06-18, 1 requests, opened 2 times, 1 pings without answer
  b: waiting for some time, next attempt in 3s, last failure: bad·lines

session 3, , some time: ` + server.Phase(0).String() + `, 0 calls, 0 questions
  a: closed for some time
  a: idle for some time
`
	if got := b.String(); err != nil || got != want || n != int64(len(want)) {
		t.Errorf("%d, %v:\n%s\nwant\n%s", n, err, got, want)
	}
	if got := (Status{Servers: []string{"x"}}).count("x"); got != "no session" {
		t.Error(got)
	}
	data, err := json.Marshal(st)
	if err != nil || strings.Contains(string(data), "secret") {
		t.Errorf("%v %s", err, data)
	}
	for _, part := range []string{
		`"servers":[{"name":"a","states":{"closed":1,"idle":1,"ready":1}},{"name":"b","states":{"waiting":1}}],"notes":["a·note"]`,
		`{"number":2,"kind":"http","since":"2026-01-02T03:04:06Z","client":{"name":"c","version":"1"},"revision":"2025-06-18","phase":"` + server.Phase(0).String() + `","calls":1,"questions":2,"waiting":1,"ending":true,"resting":true,`,
		`{"name":"a","state":"ready","since":"2026-01-02T03:04:04.91Z","revision":"2025-06-18","pending":1,"opens":2,"misses":1}`,
		`{"name":"b","state":"waiting","pending":0,"opens":1,"retryAt":"2026-01-02T03:04:08Z","error":"bad·lines"}`,
		`"client":{"name":"","version":""},"phase"`,
	} {
		if !strings.Contains(string(data), part) {
			t.Errorf("%s\ndoes not have\n%s", data, part)
		}
	}
}

// Of two times the earlier counts, and the zero time is never.
func TestEarlier(t *testing.T) {
	a, b, never := time.Unix(1, 0), time.Unix(2, 0), time.Time{}
	for _, c := range [][3]time.Time{{a, b, a}, {b, a, a}, {a, a, a}, {a, never, a}, {never, b, b}, {never, never, never}} {
		if got := earlier(c[0], c[1]); !got.Equal(c[2]) {
			t.Errorf("of %v and %v %v", c[0], c[1], got)
		}
	}
}

// What is known of the start of servers stays with those that are the same, and is not overwritten.
func TestCarried(t *testing.T) {
	old := []relay.Server{{Name: "a", Definition: "1", Startup: 1}, {Name: "b", Definition: "1", Startup: 2}, {Name: "c", Definition: "1", Startup: 3}}
	old[0].Options.Handshake, old[2].Options.Handshake = true, true
	got := carried(old, []relay.Server{{Name: "c", Definition: "1"}, {Name: "a", Definition: "2"}, {Name: "b", Definition: "1", Startup: 9}, {Name: "d", Definition: "1"}})
	for i, want := range []time.Duration{3, 0, 9, 0} {
		if got[i].Startup != want {
			t.Errorf("%s: %d, want %d", got[i].Name, got[i].Startup, want)
		}
		if got[i].Options.Handshake != (i == 0) {
			t.Errorf("%s has sessions: %v", got[i].Name, got[i].Options.Handshake)
		}
	}
}
