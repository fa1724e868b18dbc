package client_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Connect says why it does nothing: no Config, no handshake, a connection that is open, a text that is no Verdict.
func TestConnectErrors(t *testing.T) {
	var zero client.State
	if _, _, err := zero.Connect(began, ""); !errors.Is(err, lifecycle.ErrPhase) {
		t.Error(err)
	}
	if v := zero.Verdict(); v != "" {
		t.Error(v)
	}
	s, _, _ := probing(t, 0)
	if _, _, err := s.Connect(began, ""); !errors.Is(err, lifecycle.ErrPhase) {
		t.Error(err)
	}
	const known = client.Verdict(`{"supportedVersions":["2026-07-28"],"capabilities":{}}`)
	if _, _, err := s.Connect(began, known); !errors.Is(err, lifecycle.ErrPhase) {
		t.Error(err)
	}
	alone := newState(t, client.Config{Revisions: protocol.StatelessRevisions()})
	if _, _, err := alone.Initialize(began); !errors.Is(err, lifecycle.ErrRevision) {
		t.Error(err)
	}
	if _, _, err := alone.Connect(began, `{}`); !errors.Is(err, lifecycle.ErrParams) || alone.Phase() != lifecycle.Uninitialized {
		t.Error(err)
	}
	if alone, o, err := alone.Connect(began, client.NeedsHandshake); err != nil || len(o.Send) != 1 || o.Send[0].Message.Method != protocol.MethodDiscover {
		t.Error(err, alone.Phase(), sent(o)) // what it was it may be no more, and there is no other way
	}
	if alone, _, err := alone.Connect(began, known); err != nil || alone.Phase() != lifecycle.Ready {
		t.Error(err, alone.Phase())
	}
	// A server that lacks what the program needs.
	picky := newState(t, client.Config{Revisions: protocol.StatelessRevisions(), Require: protocol.CapTools})
	if picky, o, err := picky.Connect(began, known); err != nil || picky.Phase() != lifecycle.Failed || picky.Status().Cause.Kind != lifecycle.CauseMissingCapability {
		t.Error(err, picky.Status(), o)
	}
}

func newState(t *testing.T, cfg client.Config) client.State {
	t.Helper()
	cfg.Info = protocol.Implementation{Name: "n", Version: "1"}
	s, err := client.New(cfg, began)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// probing is a client of both eras that has asked a server what it is.
func probing(t *testing.T, require protocol.Capability) (client.State, client.Output, client.Config) {
	t.Helper()
	cfg := client.Config{Info: protocol.Implementation{Name: "n", Version: "1"}, Revisions: protocol.AllRevisions(), Require: require}
	s, o, err := newState(t, cfg).Connect(began, "")
	if err != nil || len(o.Send) != 1 || o.Send[0].Message.Method != protocol.MethodDiscover {
		t.Fatal(err, o)
	}
	return s, o, cfg
}

// A probe that did not get out ends the connection, one that the server refused before it did anything
// is that of an old server (ERA-020).
//
// rows: ERA-020
// revisions: 2026-07-28
func TestProbeNotDelivered(t *testing.T) {
	for cause, want := range map[error]string{
		errors.New("broken"):           "error",
		refused{errors.New("no such")}: "initializing initialize",
	} {
		s, o, _ := probing(t, 0)
		s, o = s.SendFailed(began, o.Req, cause)
		got := s.Phase().String()
		for _, out := range o.Send {
			got += " " + out.Message.Method
		}
		if got != want {
			t.Errorf("%v: %s, want %s", cause, got, want)
		}
	}
}

// Until the server has said what it is, nothing else is sent, and the probe is not given up but with the
// connection. So the handshake follows at once where it is needed.
//
// rows: ERA-015
// revisions: 2026-07-28
func TestNothingBesideTheProbe(t *testing.T) {
	s, o, _ := probing(t, 0)
	probe := o.Req
	for name, do := range map[string]func() (client.State, client.Output, error){
		"ping": func() (client.State, client.Output, error) {
			return s.Request(began, protocol.PingParams{}, client.RequestOptions{})
		},
		"in its place": func() (client.State, client.Output, error) {
			return s.Request(began, protocol.PingParams{}, client.RequestOptions{Replaces: probe})
		},
		"a method": func() (client.State, client.Output, error) {
			return s.Request(began, protocol.RawRequest{Name: "x/y"}, client.RequestOptions{})
		},
		"initialize": func() (client.State, client.Output, error) { return s.Initialize(began) },
		"cancel":     func() (client.State, client.Output, error) { return s.Cancel(began, probe, "") },
		"notify": func() (client.State, client.Output, error) {
			return s.Notify(began, protocol.RawRequest{Name: "notifications/x"}, client.Call{})
		},
	} {
		next, o, err := do()
		if !errors.Is(err, lifecycle.ErrPhase) || len(o.Send)+len(o.Events) > 0 || next.Status() != s.Status() {
			t.Errorf("%s: %v %s %s", name, err, sent(o), kinds(o))
		}
	}
	for answer, want := range map[string]lifecycle.Phase{
		`"error":{"code":-32601,"message":"m"}`: lifecycle.Initializing,
		`"result":5`:                            lifecycle.Initializing,
		`"result":{"resultType":"input_required","supportedVersions":["2026-07-28"],"capabilities":{}}`: lifecycle.Initializing,
		`"result":{"resultType":5,"supportedVersions":["2026-07-28"],"capabilities":{}}`:                lifecycle.Initializing,
		`"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}`:       lifecycle.Ready,
		`"result":{"resultType":null,"supportedVersions":["2026-07-28"],"capabilities":{}}`:             lifecycle.Ready,
	} {
		next, o := s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,`+answer+`}`))
		if finds := strings.HasPrefix(kinds(o), lifecycle.ResponseReceived.String()); finds != (want == lifecycle.Ready || strings.Contains(answer, "error")) {
			t.Errorf("%s: %s", answer, kinds(o))
		}
		if next.Phase() != want || (len(o.Send) == 1) != (want == lifecycle.Initializing) || next.Check() != nil {
			t.Errorf("%s: %v %s %v", answer, next.Phase(), sent(o), next.Check())
		}
	}
	// In a session that is opened, pings go out beside initialize, which is not cancelled either.
	old := newState(t, client.Config{})
	old, o, err := old.Initialize(began)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := old.Cancel(began, o.Req, ""); !errors.Is(err, lifecycle.ErrPhase) {
		t.Error(err)
	}
	if _, _, err := old.Initialize(began); !errors.Is(err, lifecycle.ErrPhase) {
		t.Error(err)
	}
	if _, _, err := old.Request(began, protocol.PingParams{}, client.RequestOptions{}); err != nil {
		t.Error(err)
	}
}

// An answer to the probe that comes while the connection shuts down opens nothing.
func TestProbeAnsweredTooLate(t *testing.T) {
	s, o, _ := probing(t, 0)
	id := o.Send[0].Message.ID
	s, _ = s.Shutdown(began, time.Minute)
	s, o = s.Receive(began, jsonrpc.Message{Kind: jsonrpc.KindResult, ID: id, Body: `{"supportedVersions":["2026-07-28"],"capabilities":{}}`})
	if s.Phase() == lifecycle.Ready || len(o.Send) > 0 || s.Verdict() != "" {
		t.Error(s.Phase(), o)
	}
}

// What a Snapshot says that no State can be in is refused.
func TestRestoreOddVerdicts(t *testing.T) {
	s, o, cfg := probing(t, 0)
	s, _ = s.Receive(began, jsonrpc.Message{Kind: jsonrpc.KindResult, ID: o.Send[0].Message.ID, Body: `{"supportedVersions":["2026-07-28"],"capabilities":{}}`})
	data := string(s.Snapshot())
	if _, err := client.Restore(cfg, []byte(data), began); err != nil || !strings.Contains(data, "supportedVersions") {
		t.Fatal(err, data)
	}
	if _, err := client.Restore(cfg, []byte(strings.ReplaceAll(data, "supportedVersions", "supported")), began); err == nil {
		t.Error("restored")
	}
	small := cfg
	small.Limits.Schema = len(s.Verdict()) - 1
	if _, err := client.Restore(small, []byte(data), began); err == nil {
		t.Error("a verdict that is too long is restored")
	}
	session := newState(t, cfg)
	session, _, _ = session.Initialize(began)
	session, _ = session.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`))
	text := string(session.Snapshot())
	if _, err := client.Restore(cfg, []byte(text), began); err != nil || session.Verdict() != client.NeedsHandshake {
		t.Fatal(err, session.Verdict())
	}
	if _, err := client.Restore(cfg, []byte(text[:len(text)-1]+`,"verdict":`+string(s.Verdict())+`}`), began); err == nil {
		t.Error("a verdict is restored in a session")
	}
	// One that is too long to be kept is none, and the connection is as good.
	for limit, want := range map[int]client.Verdict{len(s.Verdict()): s.Verdict(), len(s.Verdict()) - 1: ""} {
		small.Limits.Schema = limit
		c, _, err := newState(t, small).Connect(began, s.Verdict())
		if err != nil || c.Phase() != lifecycle.Ready || c.Verdict() != want {
			t.Errorf("%d: %v %v %q", limit, err, c.Phase(), c.Verdict())
		}
	}
}

// refused is an error of a message that a server did not act on.
type refused struct{ error }

func (refused) Delivery() lifecycle.Delivery { return lifecycle.Rejected }

// A snapshot with a question that is there twice or of no request, an answer that is none, or without what
// is to be sent again is refused.
func TestRestoreOddRounds(t *testing.T) {
	of := []protocol.Revision{protocol.Revision20260728}
	p := newPair(t, of, of)
	var o client.Output
	var err error
	if p.c, o, err = p.c.Connect(began, ""); err != nil {
		t.Fatal(err)
	}
	p.deliver(o)
	if p.c, o, err = p.c.Request(began, protocol.CallToolParams{Name: "ask"}, client.RequestOptions{}); err != nil {
		t.Fatal(err)
	}
	p.deliver(o)
	data := string(p.c.Snapshot())
	if _, err := client.Restore(p.cfg, []byte(data), began); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		`"key":"roots"`: `"key":"who"`,
		`"key":"who"`:   `"key":"x"`,
		`"of":2`:        `"of":1`,
		`"id":"2 who"`:  `"id":"1 who"`,
		`"answer":{"roots":[{"uri":"file:///a"}]}`: `"answer":[1]`,
		`"round":{`: `"round":{"params":1,`,
		`"state":"`: `"state":"` + strings.Repeat("s", 64<<10),
	} {
		bad := strings.Replace(data, from, to, 1)
		if bad == data {
			t.Fatalf("%s is not in %s", from, data)
		}
		if _, err := client.Restore(p.cfg, []byte(bad), began); err == nil {
			t.Errorf("%.100s: restored", to)
		}
	}
	data = string(newAsker(t).c.Snapshot())
	for from, to := range map[string]string{`"round":{`: `"other":{`, `"method":"tools/call"`: `"method":"tools/list"`} {
		if _, err := client.Restore(newAsker(t).cfg, []byte(strings.Replace(data, from, to, 1)), began); err == nil {
			t.Errorf("%.100s: restored", to)
		}
	}
}

// A connection is opened once, and nothing is said before it is: each verb that would do so leaves the State as it is.
//
// revisions: 2026-07-28
// rows: ERA-009 ERA-015
func TestConnectOnce(t *testing.T) {
	const known = client.Verdict(`{"supportedVersions":["2026-07-28"],"capabilities":{}}`)
	for _, revisions := range [][]protocol.Revision{protocol.AllRevisions(), protocol.StatelessRevisions()} {
		blank := newState(t, client.Config{Revisions: revisions})
		probes, _, err := blank.Connect(began, "")
		if err != nil {
			t.Fatal(err)
		}
		ready, _, err := blank.Connect(began, known)
		if err != nil {
			t.Fatal(err)
		}
		later := began.Add(time.Second)
		for name, s := range map[string]client.State{"before": blank, "while asking": probes} {
			after, o, err := s.Request(later, protocol.DiscoverParams{}, client.RequestOptions{})
			if !errors.Is(err, lifecycle.ErrPhase) && !errors.Is(err, lifecycle.ErrRevision) || after != s || !o.IsZero() {
				t.Errorf("a request %s: %v %s", name, err, sent(o))
			}
			after, o, err = s.Notify(later, protocol.RawRequest{Name: "notifications/custom"}, client.Call{})
			if !errors.Is(err, lifecycle.ErrPhase) || after != s || !o.IsZero() {
				t.Errorf("a notification %s: %v %s", name, err, sent(o))
			}
		}
		for name, s := range map[string]client.State{"while asking": probes, "when ready": ready} {
			for _, prior := range []client.Verdict{"", known, client.NeedsHandshake} {
				after, o, err := s.Connect(later, prior)
				if !errors.Is(err, lifecycle.ErrPhase) || after != s || !o.IsZero() {
					t.Errorf("Connect %s with %q: %v %s", name, prior, err, sent(o))
				}
			}
		}
	}
}

// What a server without sessions asks by a request opens no Call: there is nothing to answer, and nothing that ends.
//
// revisions: 2026-07-28
// rows: JRPC-204
func TestRequestOfAServerOpensNothing(t *testing.T) {
	s, _, err := newState(t, client.Config{Revisions: protocol.AllRevisions()}).Connect(began, `{"supportedVersions":["2026-07-28"],"capabilities":{}}`)
	if err != nil {
		t.Fatal(err)
	}
	_, o := s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if !o.Opened.IsZero() || o.Fate != lifecycle.FateRefused || len(o.Send) != 0 {
		t.Errorf("%v %v %s", o.Opened, o.Fate, sent(o))
	}
}

// A request within a question ends with the request that the question is of, so it cannot take its place.
//
// revisions: 2026-07-28
// rows: COMPL-019
func TestReplacesWhatItIsWithin(t *testing.T) {
	s, _, err := newState(t, client.Config{Revisions: protocol.AllRevisions(), Serve: []string{"sampling/createMessage"}}).
		Connect(began, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
	if err != nil {
		t.Fatal(err)
	}
	s, first, err := s.Request(began, protocol.CallToolParams{Name: "t"}, client.RequestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const asks = `{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":5}}}}`
	s, o := s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":`+asks+`}`))
	s, second, err := s.Request(began, protocol.CallToolParams{Name: "u"}, client.RequestOptions{Within: o.Events[0].Call})
	if err != nil {
		t.Fatal(err)
	}
	s, o = s.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"result":`+asks+`}`)) // a question within a question
	for _, replaced := range []client.Req{first.Req, second.Req} {
		after, out, err := s.Request(began, protocol.CallToolParams{Name: "v"}, client.RequestOptions{Within: o.Events[0].Call, Replaces: replaced})
		if !errors.Is(err, lifecycle.ErrParams) || after != s || !out.IsZero() {
			t.Errorf("in place of %v: %v %s", replaced, err, sent(out))
		}
	}
}
