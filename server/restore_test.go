package server_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// snapshots returns those of one session: ready with everything in it, shutting down and
// disconnected, and the Config.
func snapshots(t *testing.T) (ready, ending, gone string, cfg server.Config) {
	t.Helper()
	cfg, _ = config(t)
	cfg.Limits.Inbound, cfg.Limits.Outbound, cfg.Limits.Subscriptions = 5, 3, 2
	cfg.Limits.Requests.Burst = 20
	s, err := server.New(cfg, t0)
	if err != nil {
		t.Fatal(err)
	}
	subscribe := `{"jsonrpc":"2.0","id":9,"method":"resources/subscribe","params":{"uri":"a:b"}}`
	for _, line := range append(lines[:6:6], lines[12], subscribe) {
		s, _ = s.Receive(t0.Add(time.Hour), jsonrpc.DecodeString(line))
	}
	s, _, err = s.Request(t0, protocol.ListRootsParams{}, server.RequestOptions{Progress: true})
	if err == nil {
		own := protocol.ListRootsParams{Meta: `{"progressToken":"own"}`}
		s, _, err = s.Request(t0, own, server.RequestOptions{Timeout: 5 * time.Second, Maximum: 50 * time.Second})
	}
	if err != nil {
		t.Fatal(err)
	}
	ready = string(s.Snapshot())
	s, _ = s.Shutdown(t0, 3*time.Second)
	ending = string(s.Snapshot())
	s, _ = s.Disconnected(t0, &jsonrpc.Error{Code: 1, Message: "x"})
	return ready, ending, string(s.Snapshot()), cfg
}

// What no session can have come to is refused, one fault at a time.
func TestSnapshotsWithOneFault(t *testing.T) {
	ready, ending, gone, cfg := snapshots(t)
	for _, good := range []string{ready, ending, gone} {
		if _, err := server.Restore(cfg, []byte(good), t0); err != nil {
			t.Fatal(err, good)
		}
	}
	for _, edge := range []string{`"calls":9007199254740992`, `"calls":5`} { // the most there can be, and as many as are open
		text := strings.Replace(ready, `"calls":7`, edge, 1)
		if _, err := server.Restore(cfg, []byte(text), t0); err != nil {
			t.Error(err, text)
		}
	}
	if _, err := server.Restore(cfg, []byte(strings.Replace(ready, `"last":2`, `"last":9007199254740992`, 1)), t0); err != nil {
		t.Error(err)
	}
	begun := strings.Replace(noMember(noMember(ready, "inbound"), "outbound"), `"phase":"ready"`, `"phase":"initializing"`, 1)
	bare := `{"snapshot":1,"role":"server","phase":"uninitialized","first":1}`
	for _, text := range []string{begun, bare} {
		if _, err := server.Restore(cfg, []byte(text), t0); err != nil {
			t.Error(err, text)
		}
	}
	call, req := `{"id":2,"call":2,`, `{"id":1,"method":"roots/list",`
	for _, tt := range []struct{ name, text, old, with string }{
		{"another version", ready, `"snapshot":1`, `"snapshot":2`},
		{"no version", ready, `"snapshot":1,`, ``},
		{"another role", ready, `"role":"server"`, `"role":"client"`},
		{"an unknown phase", ready, `"phase":"ready"`, `"phase":"asleep"`},
		{"no phase", ready, `"phase":"ready",`, ``},
		{"a phase that is no string", ready, `"phase":"ready"`, `"phase":7`},
		{"ready with nothing negotiated", ready, `"revision":"2025-06-18",`, ``},
		{"not begun with something negotiated", gone, `"phase":"disconnected"`, `"phase":"uninitialized"`},
		{"an unknown revision", ready, `,"revision":"2025-06-18",`, `,"revision":"1999-01-01",`},
		{"an unknown capability", ready, `"capabilities":"roots,`, `"capabilities":"root,`},
		{"a peer that is no object", ready, `"peer":{"name":"c","title":"C","version":"1"}`, `"peer":[]`},
		{"a peer without a name", ready, `"peer":{"name":"c","title":"C","version":"1"}`, `"peer":{"version":"1"}`},
		{"more calls than there can be", ready, `"calls":7`, `"calls":9007199254740993`},
		{"more requests than there can be", ready, `"last":2`, `"last":9007199254740993`},
		{"an epoch of nothing", ready, `"first":1`, `"first":0`},
		{"an epoch that is to come", ready, `"first":1`, `"first":4`},
		{"an epoch that is to come, with nothing open", gone, `"first":1`, `"first":4`},
		{"a negative number", ready, `"step":10`, `"step":-11`},
		{"a number with a fraction", ready, `"step":10`, `"step":1.5`},
		{"a number over 64 bits", ready, `"step":10`, `"step":18446744073709551616`},
		{"a time with a fraction", ready, `"keepalive":7000000000`, `"keepalive":7.5`},
		{"a time that is never", ready, `"keepalive":7000000000`, `"keepalive":9223372036854775807`},
		{"a flag that is false", ready, `"tokenIsID":true`, `"tokenIsID":false`},
		{"a grace time before the end", ready, `"keepalive":`, `"grace":5,"keepalive":`},
		{"closed with requests", ending, `"phase":"shutting_down"`, `"phase":"shutting_down","closed":true`},
		{"requests after the end", ready, `"phase":"ready"`, `"phase":"disconnected"`},
		{"calls alone after the end", noMember(ready, "outbound"), `"phase":"ready"`, `"phase":"disconnected"`},
		{"requests alone after the end", noMember(ready, "inbound"), `"phase":"ready"`, `"phase":"error"`},
		{"closed with calls alone", noMember(ending, "outbound"), `"phase":"shutting_down"`, `"phase":"shutting_down","closed":true`},
		{"closed with requests alone", noMember(ending, "inbound"), `"phase":"shutting_down"`, `"phase":"shutting_down","closed":true`},
		{"requests to a peer that sends no more", ready, `"phase":"ready"`, `"phase":"ready","inputClosed":true`},
		{"too many calls", ready, `"inbound":[`, `"inbound":[{"id":7,"call":1,"method":"ping"},{"id":8,"call":1,"method":"ping"},`},
		{"too many requests", ready, `"outbound":[`, `"outbound":[{"id":3,"method":"ping","revision":"2025-06-18"},{"id":4,"method":"ping","revision":"2025-06-18"},`},
		{"a call without an id", ready, call, `{"call":2,`},
		{"a call with an id that is none", ready, call, `{"id":2.5,"call":2,`},
		{"two calls of one id", ready, call, `{"id":3,"call":2,`},
		{"a call without a number", ready, call, `{"id":2,`},
		{"a call that is to come", ready, call, `{"id":2,"call":8,`},
		{"a method that is no string", ready, `"call":2,"method":"tools/call"`, `"call":2,"method":1`},
		{"a request without an id", ready, req, `{"method":"roots/list",`},
		{"two requests of one id", ready, req, `{"id":2,"method":"roots/list",`},
		{"a request that is to come", ready, req, `{"id":3,"method":"roots/list",`},
		{"a request of an earlier epoch", ready, `"first":1`, `"first":2`},
		{"a request without a revision", ready, `"revision":"2025-06-18","due":5`, `"due":5`},
		{"a request of an unknown revision", ready, `"revision":"2025-06-18","due":5`, `"revision":"x","due":5`},
		{"a request due after its latest deadline", ready, `"hard":50000000000`, `"hard":4000000000`},
		{"two requests of one token", ready, `"tokenIsID":true`, `"token":"own"`},
		{"progress that is no number", ready, `"tokenIsID":true`, `"tokenIsID":true,"progress":"1"`},
		{"a token that is no id", ready, `"token":"own"`, `"token":{}`},
		{"calls that are no list", ready, `"inbound":[`, `"inbound":{},"x":[`},
		{"a list with a tail", ready, `"inbound":[`, `"inbound":[1,`},
		{"a cause that is no object", gone, `"cause":{`, `"cause":1,"x":{`},
		{"a cause with an error that is none", gone, `"error":"jsonrpc error 1: x"`, `"rpc":{"code":"x"}`},
		{"an unknown level", ready, `"level":"error"`, `"level":"loud"`},
		{"a level that is no string", ready, `"level":"error"`, `"level":1`},
		{"too many subscriptions", ready, `"subscriptions":[`, `"subscriptions":["a:c","a:d",`},
		{"subscriptions that are no strings", ready, `"subscriptions":["`, `"subscriptions":[5,"`},
		{"subscriptions that are no list", ready, `"subscriptions":[`, `"subscriptions":1,"x":[`},
		{"a member twice", ready, `"step":10`, `"step":10,"step":10`},
		{"a member of a call twice", ready, call, `{"id":2,"id":2,"call":2,`},
		{"an unknown peer", ready, `"capabilities":"roots,`, `"capabilities":"tools,`},
		{"a cause before the end", ready, `"revision":`, `"cause":{"kind":"shut down"},"revision":`},
		{"an end without a cause", gone, `"cause":{"kind":"transport lost","error":"jsonrpc error 1: x"},`, ``},
		{"the cause of another end", gone, `"kind":"transport lost"`, `"kind":"shut down"`},
		{"a cause of no kind", gone, `"kind":"transport lost",`, ``},
		{"shutting down with nothing open", noMember(noMember(ending, "inbound"), "outbound"), `"step":`, `"x":0,"step":`},
		{"failed without the close action", gone, `"phase":"disconnected"`, `"phase":"error"`},
		{"ready and closed", noMember(noMember(ready, "inbound"), "outbound"), `"phase":"ready"`, `"phase":"ready","closed":true`},
		{"ready and deaf", noMember(ready, "outbound"), `"phase":"ready"`, `"phase":"ready","inputClosed":true`},
		{"initializing with nothing negotiated", begun, `"revision":"2025-06-18",`, ``},
		{"initializing with nothing negotiated, and no more", bare, `"phase":"uninitialized"`, `"phase":"initializing"`},
		{"two calls of one number", ready, call, `{"id":2,"call":3,`},
		{"a call that the machine answers", ready, `"call":2,"method":"tools/call"`, `"call":2,"method":"ping"`},
		{"a call of the other role", ready, `"call":2,"method":"tools/call"`, `"call":2,"method":"roots/list"`},
		{"a call of a notification", ready, `"call":2,"method":"tools/call"`, `"call":2,"method":"notifications/initialized"`},
		{"a call of no method", ready, `"call":2,"method":"tools/call",`, `"call":2,`},
		{"a call that asks what its method does not", ready, `"call":5,"method":"resources/read",`, `"call":5,"method":"resources/read","asked":"x",`},
		{"a spelling that is no id", ready, `"spelling":3.0`, `"spelling":{}`},
		{"the spelling of another id", ready, `"spelling":3.0`, `"spelling":4.0`},
		{"a spelling that is the usual one", ready, `"spelling":3.0`, `"spelling":3`},
		{"progress without a token", ready, `"call":5,`, `"call":5,"progress":1,`},
		{"a rate without progress", ready, call, call + `"rate":900000000,`},
		{"a request for a notification", ready, req, `{"id":1,"method":"notifications/message",`},
		{"a request of a notification of its own", ready, req, `{"id":1,"method":"notifications/x",`},
		{"a request to the other role", ready, req, `{"id":1,"method":"tools/call",`},
		{"a request of no method", ready, req, `{"id":1,`},
		{"a request of a later revision", ready, `{"id":1,"method":"roots/list","revision":"2025-06-18"`, `{"id":1,"method":"elicitation/create","revision":"2025-03-26"`},
		{"a request that asks what its method does not", ready, req, req + `"asked":"x",`},
		{"a timeout of nothing", ready, `"timeout":5000000000`, `"timeout":0`},
		{"a timeout over 63 bits", ready, `"timeout":5000000000`, `"timeout":9223372036854775808`},
		{"a request due after its timeout", ready, `"timeout":5000000000`, `"timeout":4000000000`},
		{"a request without a timeout that is due", ready, `,"timeout":5000000000`, ``},
		{"a token beside the id", ready, `"tokenIsID":true`, `"tokenIsID":true,"token":"x"`},
		{"the id of another as a token", ready, `"token":"own"`, `"token":1`},
		{"progress that restarts nothing", ready, `"token":"own"`, `"token":"own","reset":true`},
		{"progress that was not asked for", ready, `,"token":"own"`, `,"progress":1`},
		{"a request within a call that is to come", ready, req, req + `"within":8,`},
		{"a request within no call", ready, req, req + `"withinKey":8,`},
		{"a ping of the machine that is none", ready, req, req + `"machine":true,`},
		{"two pings of the machine", ready, `"outbound":[`, `"outbound":[{"id":1,"method":"ping","revision":"2025-06-18","machine":true},{"id":2,"method":"ping","revision":"2025-06-18","machine":true}],"x":[`},
		{"more pings missed than there can be", ready, `"keepalive":`, `"missed":65536,"keepalive":`},
		{"an overdue time out of range", ready, `"keepalive":7000000000`, `"keepalive":-4611686018427387905`},
		{"steps over what is exact", ready, `"step":10`, `"step":9007199254740993`},
		{"a subscription twice", ready, `"subscriptions":[`, `"subscriptions":["a:b",`},
		{"a level before the handshake", gone, `"revision":"2025-06-18",`, ``},
		{"a capability as a change", ready, `"level":"error"`, `"level":"error","changed":"tools","announce":5`},
		{"an announcement at no time", ready, `"level":"error"`, `"level":"error","changed":"tools.listChanged","announce":"x"`},
		{"an unknown change", ready, `"level":"error"`, `"level":"error","changed":"colours","announce":5`},
	} {
		bad := strings.Replace(tt.text, tt.old, tt.with, 1)
		if bad == tt.text {
			t.Errorf("%s: no %s in %s", tt.name, tt.old, tt.text)
			continue
		}
		s, err := server.Restore(cfg, []byte(bad), t0)
		if !errors.Is(err, lifecycle.ErrSnapshot) || s != (server.State{}) {
			t.Errorf("%s: %v for %s", tt.name, err, bad)
		}
	}
	for _, text := range []string{"", "{", "[]", "1", `"x"`, ready + "x", `{"x":[1 2],` + ready[1:], `{"x":tru,` + ready[1:],
		`{"x":"\q",` + ready[1:], "{\"x\":\"\xff\"," + ready[1:], `{"x":-,` + ready[1:], `{"x":{"a"},` + ready[1:], `{"x":[1,],` + ready[1:], `{"x":01,` + ready[1:],
	} {
		if _, err := server.Restore(cfg, []byte(text), t0); !errors.Is(err, lifecycle.ErrSnapshot) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if s, err := server.Restore(server.Config{}, []byte(ready), t0); !errors.Is(err, lifecycle.ErrConfig) || s != (server.State{}) {
		t.Errorf("without a Config: %v", err)
	}
}

// noMember takes a member with an array out of a snapshot.
func noMember(text, name string) string {
	before, rest, _ := strings.Cut(text, `,"`+name+`":[`)
	_, after, _ := strings.Cut(rest, `]`)
	return before + after
}

// Who nothing was negotiated with has subscribed to nothing, and a uri in a snapshot is no
// longer than one that is subscribed to.
func TestRestoreSubscriptions(t *testing.T) {
	ready, _, _, cfg := snapshots(t)
	s, err := server.New(cfg, t0)
	if err != nil {
		t.Fatal(err)
	}
	fresh := string(s.Snapshot())
	if _, err := server.Restore(cfg, []byte(fresh), t0); err != nil {
		t.Fatal(err)
	}
	if _, err := server.Restore(cfg, []byte(strings.TrimSuffix(fresh, "}")+`,"subscriptions":["a:b"]}`), t0); !errors.Is(err, lifecycle.ErrSnapshot) || errors.Is(err, lifecycle.ErrLimit) {
		t.Errorf("before the handshake: %v", err)
	}
	for size, good := range map[int]bool{4095: true, 4096: true, 4097: false} {
		uri := "a:" + strings.Repeat("x", size-2)
		_, err := server.Restore(cfg, []byte(strings.Replace(ready, `"subscriptions":["a:b"`, `"subscriptions":["`+uri+`"`, 1)), t0)
		if good != (err == nil) || !good && !(errors.Is(err, lifecycle.ErrSnapshot) && errors.Is(err, lifecycle.ErrLimit)) {
			t.Errorf("a uri of %d bytes: %v", size, err)
		}
	}
}
