package client_test

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/memory"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// The zero State refuses everything and panics at nothing.
func TestZeroState(t *testing.T) {
	var s client.State
	if c := s.Capabilities(); c != 0 {
		t.Error(c)
	}
	if _, err := s.NewSession(t0); err == nil {
		t.Error("NewSession made a session of nothing")
	}
	if _, _, err := s.Initialize(t0); !errors.Is(err, lifecycle.ErrPhase) {
		t.Error(err)
	}
	if _, _, err := s.SetRoots(t0, nil); !errors.Is(err, lifecycle.ErrCapability) {
		t.Error(err)
	}
	if roots := s.Roots(); roots != nil {
		t.Error(roots)
	}
	if data := s.Snapshot(); data != nil {
		t.Errorf("%s", data)
	}
	if s.Check() == nil {
		t.Error("the zero State is sound")
	}
	for uri := range s.Subscriptions() {
		t.Error(uri)
	}
}

// New refuses a client that cannot work.
func TestRefusedConfigs(t *testing.T) {
	who := protocol.Implementation{Name: "c", Version: "1"}
	for name, cfg := range map[string]client.Config{
		"no name":              {Info: protocol.Implementation{Version: "1"}},
		"no version":           {Info: protocol.Implementation{Name: "c"}},
		"what clients declare": {Info: who, Require: protocol.CapSampling},
		"unknown capability":   {Info: who, Require: 1 << 30},
		"pings without end":    {Info: who, Keepalive: lifecycle.Keepalive{Interval: time.Second}, Timeouts: lifecycle.Timeouts{Ping: lifecycle.NoTimeout}},
		"impossible misses":    {Info: who, Keepalive: lifecycle.Keepalive{Interval: time.Second, Misses: -1}},
	} {
		if _, err := client.New(cfg, t0); !errors.Is(err, lifecycle.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := client.New(client.Config{Info: who, Require: protocol.ServerCaps}, t0); err != nil {
		t.Error(err)
	}
	s, err := client.New(client.Config{Info: who, Roots: []protocol.Root{{URI: "file:///a"}}}, t0)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.SetRoots(t0, []protocol.Root{{URI: "a:b"}}); !errors.Is(err, lifecycle.ErrParams) {
		t.Error(err)
	}
}

// Roots gives what Config or SetRoots gave, nil without either, and SetRoots changes
// nothing if it refuses.
func TestRootsAreThose(t *testing.T) {
	who := protocol.Implementation{Name: "c", Version: "1"}
	a, b := []protocol.Root{{URI: "file:///a", Name: "a"}}, []protocol.Root{{URI: "file:///b"}}
	for _, first := range [][]protocol.Root{nil, {}, a} {
		s, err := client.New(client.Config{Info: who, Roots: first}, t0)
		if err != nil {
			t.Fatal(err)
		}
		same := func(want []protocol.Root) {
			t.Helper()
			if got := s.Roots(); (got == nil) != (want == nil) || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%v, want %v", got, want)
			}
		}
		same(first)
		next, out, err := s.SetRoots(t0, []protocol.Root{{URI: "a:b"}})
		want := lifecycle.ErrParams
		if first == nil {
			want = lifecycle.ErrCapability
		}
		if !errors.Is(err, want) || next != s || !out.IsZero() {
			t.Errorf("%v: %v, %+v", first, err, out)
		}
		if first == nil {
			continue
		}
		for _, list := range [][]protocol.Root{b, {}, a} {
			if s, out, err = s.SetRoots(t0, list); err != nil || !out.IsZero() {
				t.Error(err, out)
			}
			same(list)
		}
	}
}

// begun returns a client of 2025-03-26, which has batches, with n requests of a kind
// whose answer gets mended.
func begun(t *testing.T, n int) client.State {
	t.Helper()
	s, err := client.New(client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}, t0)
	if err != nil {
		t.Fatal(err)
	}
	s, _, _ = s.Initialize(t0)
	s, _ = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26","capabilities":{"completions":{}},"serverInfo":{"name":"s","version":"1"}}}`))
	for range n {
		p := protocol.CompleteParams{Ref: protocol.PromptReference("p"), Argument: protocol.CompleteArgument{Name: "a"}}
		if s, _, err = s.Request(t0, p, client.RequestOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// A Message may be fed twice: what is mended in an answer is mended in a copy, also
// within a batch (the race detector watches too).
func TestMessagesAreNotWritten(t *testing.T) {
	s := begun(t, 1)
	one := `{"jsonrpc":"2.0","id":2,"result":{"completion":{"values":[` + strings.Repeat(`"v",`, 101) + `"v"]}}}`
	for _, text := range []string{one, "[" + one + "]"} {
		m := jsonrpc.DecodeString(text)
		outs := make(chan client.Output)
		for range 2 {
			go func() { _, o := s.Receive(t0, m); outs <- o }()
		}
		a, b := <-outs, <-outs
		if len(a.Events) != 2 || a.Events[0].Rule != "COMPL-008" || !reflect.DeepEqual(a, b) {
			t.Errorf("%.30s: %d events and %d events", text, len(a.Events), len(b.Events))
		}
		if _, c := s.Receive(t0, m); !reflect.DeepEqual(a, c) {
			t.Errorf("%.30s: once more it is read differently", text)
		}
	}
}

// What follows the close action in a batch is not heard.
func TestBatchAfterClose(t *testing.T) {
	s := begun(t, 1)
	s, _ = s.Shutdown(t0, time.Minute)
	_, out := s.Receive(t0, jsonrpc.DecodeString(`[{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"m"}},{"jsonrpc":"2.0","id":9,"method":"ping"}]`))
	if out.Close == nil || len(out.Send) != 0 || !out.Opened.IsZero() {
		t.Errorf("close %v, sent %d, opened %v", out.Close, len(out.Send), out.Opened)
	}
}

// In a batch an event is about the call that its own message opened, and about none where
// that opened none.
func TestBatchEventsNameTheirOwnCall(t *testing.T) {
	_, out := begun(t, 0).Receive(t0, jsonrpc.DecodeString(`[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","method":"ping"}]`))
	if len(out.Send) != 1 || len(out.Events) != 1 || out.Events[0].Kind != lifecycle.Violation || !out.Events[0].Call.IsZero() || out.Opened != out.Send[0].Call {
		t.Errorf("%+v", out)
	}
}

var alive = memory.Retained

// No State and no Pager keeps a message alive for a part of it.
func TestNothingIsPinned(t *testing.T) {
	const large = 8 << 20
	blob := strings.Repeat("x", large)
	dial := func() client.State {
		s, err := client.New(client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}, t0)
		if err != nil {
			t.Fatal(err)
		}
		s, _, _ = s.Initialize(t0)
		return s
	}
	for name, answer := range map[string]string{
		"instructions of a revision that nobody knows": `"result":{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"s","version":"1"},"instructions":"` + blob + `"}`,
		"data of a refusal":                            `"error":{"code":1,"message":"m","data":"` + blob + `"}`,
		"text of a refusal":                            `"error":{"code":1,"message":"` + blob + `"}`,
		"revision":                                     `"result":{"protocolVersion":"` + blob + `","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`,
	} {
		pinsNothing(t, name, func() any {
			s, _ := dial().Receive(t0, jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,%s}`, answer)))
			if s.Phase() != lifecycle.Failed {
				t.Fatal(s.Phase())
			}
			return &s
		})
	}
	pinsNothing(t, "a peer with a name alone", func() any {
		s, _ := dial().Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":""},"instructions":"`+blob+`"}}`))
		if s.Phase() != lifecycle.Ready {
			t.Fatal(s.Phase())
		}
		return &s
	})
	pinsNothing(t, "a restored snapshot", func() any {
		cfg := client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}, Roots: []protocol.Root{{URI: "file:///a"}}}
		s, err := client.New(cfg, t0)
		if err != nil {
			t.Fatal(err)
		}
		if s, _, err = s.SetRoots(t0, []protocol.Root{{URI: "file:///b"}}); err != nil {
			t.Fatal(err)
		}
		data := append(s.Snapshot(), strings.Repeat(" ", large)...)
		if s, err = client.Restore(cfg, data, t0); err != nil {
			t.Fatal(err)
		}
		return &s
	})
	pinsNothing(t, "a Pager", func() any { return walked(t, blob) })
	runtime.KeepAlive(blob) // or its end would hide as much
}

// pinsNothing wants that what is made is small, whatever large it was made of.
func pinsNothing(t *testing.T, name string, produce func() any) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		if n := alive(produce); n > 1<<20 {
			t.Errorf("%d bytes stay alive", n)
		}
	})
}

// walked returns a Pager after one page with a large item.
func walked(t *testing.T, blob string) *client.Pager {
	s := connected(t, lifecycle.Limits{})
	p, err := client.NewPager("tools/list")
	if err != nil {
		t.Fatal(err)
	}
	p, _, out, err := p.Next(s, t0, client.RequestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	body := `{"tools":[{"name":"` + blob + `","inputSchema":{"type":"object"}}],"nextCursor":"c"}`
	ev := client.Event{Kind: lifecycle.ResponseReceived, Req: out.Req, Body: jsonrpc.Raw(strings.Clone(body))}
	if p, _, _, err = p.Page(ev); err != nil || p.Done() {
		t.Fatal(err)
	}
	return &p
}

// A cause that is kept in part is still text.
func TestKeptCauseIsText(t *testing.T) {
	s, err := client.New(client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}, t0)
	if err != nil {
		t.Fatal(err)
	}
	for shift := range 3 { // so that some cut falls within a character
		s, _, _ := s.Initialize(t0)
		s, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"`+strings.Repeat("a", shift)+strings.Repeat("€", 5000)+`"}}`))
		kept := s.Status().Cause.RPC.Message
		if !utf8.ValidString(kept) || len(kept) < 4000 || len(kept) > 4096 {
			t.Errorf("%d bytes are kept, text %v", len(kept), utf8.ValidString(kept))
		}
		if told := out.Events[0].Err.Message; len(told) < 15_000 {
			t.Errorf("the event has %d bytes", len(told))
		}
	}
}

// Data of a refusal is kept whole or not at all; of a text the beginning is kept.
func TestKeptCauseToTheByte(t *testing.T) {
	for size, whole := range map[int]bool{4096: true, 4097: false} {
		s, err := client.New(client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}, t0)
		if err != nil {
			t.Fatal(err)
		}
		s, _, _ = s.Initialize(t0)
		text := strings.Repeat("x", size)
		s, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"`+text+`","data":"`+text[2:]+`"}}`))
		kept, told := s.Status().Cause.RPC, out.Events[0].Err
		if (len(kept.Data) == size) != whole || kept.Message != text[:4096] {
			t.Errorf("of %d bytes %d are kept, and %d of the message", size, len(kept.Data), len(kept.Message))
		}
		if len(told.Data) != size || told.Message != text {
			t.Errorf("of %d bytes the event has %d", size, len(told.Data))
		}
	}
}

// A OpError says what was asked for, in which phase, and more where there is more to say.
func TestMisuseSaysWhat(t *testing.T) {
	s := session(t, client.Config{Serve: []string{"elicitation/create"}, Roots: []protocol.Root{}})
	s, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"message":"","requestedSchema":{"type":"object","properties":{"n":{"type":"number"}}}}}`))
	call := out.Opened
	if call.IsZero() {
		t.Fatalf("%+v", out)
	}
	rootless, err := client.New(client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}, t0)
	if err != nil {
		t.Fatal(err)
	}
	errOf := func(_ client.State, _ client.Output, err error) error { return err }
	for _, c := range []struct {
		name string
		err  error
		want lifecycle.OpError
		more string // in Detail
	}{
		{"roots that are none", errOf(s.SetRoots(t0, []protocol.Root{{URI: "a:b"}})), lifecycle.OpError{Op: "set roots", Err: lifecycle.ErrParams, Phase: lifecycle.Ready}, "uri"},
		{"no roots", errOf(rootless.SetRoots(t0, nil)), lifecycle.OpError{Op: "set roots", Err: lifecycle.ErrCapability, Phase: lifecycle.Uninitialized}, "this client does not declare roots (client.Config.Roots)"},
		{"an answer that is none of the form's", errOf(s.Respond(t0, call, protocol.ElicitResult{Action: protocol.ActionAccept, Content: map[string]jsonrpc.Raw{"n": `"x"`}})),
			lifecycle.OpError{Op: "respond", Err: lifecycle.ErrParams, Phase: lifecycle.Ready, Method: "elicitation/create"}, "n"},
		{"an answer without an action", errOf(s.Respond(t0, call, protocol.ElicitResult{})), lifecycle.OpError{Op: "respond", Err: lifecycle.ErrParams, Phase: lifecycle.Ready, Method: "elicitation/create"}, "action"},
		{"params", errOf(s.Request(t0, protocol.CallToolParams{Name: "\xff"}, client.RequestOptions{})), lifecycle.OpError{Op: "request", Err: lifecycle.ErrParams, Phase: lifecycle.Ready, Method: "tools/call"}, "name"},
		{"too early", errOf(rootless.Request(t0, protocol.ListToolsParams{}, client.RequestOptions{})), lifecycle.OpError{Op: "request", Err: lifecycle.ErrPhase, Phase: lifecycle.Uninitialized, Method: "tools/list"}, ""},
		{"a listing that is none", func() error { _, err := client.NewPager("tools/call"); return err }(), lifecycle.OpError{Op: "pager", Err: lifecycle.ErrParams, Method: "tools/call"}, ""},
		{"a handshake by hand", errOf(rootless.Request(t0, protocol.InitializeParams{}, client.RequestOptions{})), lifecycle.OpError{Op: "request", Err: lifecycle.ErrParams, Phase: lifecycle.Uninitialized, Method: "initialize"}, ""},
	} {
		var m *lifecycle.OpError
		if !errors.As(c.err, &m) {
			t.Errorf("%s: %v", c.name, c.err)
			continue
		}
		got, detail := *m, ""
		if got.Detail != nil {
			detail = got.Detail.Error()
		}
		if got.Detail = nil; got != c.want || (detail == "") != (c.more == "") || !strings.Contains(detail, c.more) {
			t.Errorf("%s: %+v with %q, want %+v with %q", c.name, got, detail, c.want, c.more)
		}
	}
}
