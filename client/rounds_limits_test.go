package client_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// What a result that asks makes a client keep is bounded: at a limit it asks, and can be restored, one
// above the request fails and nothing is kept.
//
// rows: MRTR-030
// revisions: 2026-07-28
func TestQuestionLimits(t *testing.T) {
	limits := lifecycle.Limits{Inbound: 3, Text: 64, Schema: 256}
	form := func(n int) string {
		const head, tail = `{"type":"object","properties":{"a":{"type":"string","title":"`, `"}}}`
		return head + strings.Repeat("t", n-len(head)-len(tail)) + tail
	}
	for name, c := range map[string]struct {
		most    int
		members func(n int) string
		asks    int // the questions at the limit
	}{
		"state": {limits.Schema, func(n int) string { return `"requestState":"` + strings.Repeat("s", n) + `"` }, 0},
		"key":   {limits.Text, func(n int) string { return strings.Replace(askName, `"n"`, `"`+strings.Repeat("k", n)+`"`, 1) }, 1},
		"form": {limits.Schema, func(n int) string {
			return `"inputRequests":{"n":{"method":"elicitation/create","params":{"message":"m","requestedSchema":` + form(n) + `}}}`
		}, 1},
		"questions": {limits.Inbound, func(n int) string {
			var list []string
			for i := range n {
				list = append(list, strings.Replace(askName[len(`"inputRequests":{`):len(askName)-1], `"n"`, `"`+string(rune('a'+i))+`"`, 1))
			}
			return `"inputRequests":{` + strings.Join(list, ",") + `}`
		}, limits.Inbound},
	} {
		a := newAsker(t, limits)
		o := a.result(1, `"resultType":"input_required",`+c.members(c.most))
		if s := a.c.Status(); s.Inbound != c.asks || s.Outbound != 1 || len(o.Events) != c.asks || len(o.Send) != max(0, 1-c.asks) {
			t.Errorf("%s at the limit: %+v %s", name, s, kinds(o))
		}
		a = newAsker(t, limits)
		o = a.result(1, `"resultType":"input_required",`+c.members(c.most+1))
		if s := a.c.Status(); s.Inbound != 0 || s.Outbound != 0 || len(o.Send) != 0 || !strings.Contains(kinds(o), lifecycle.RequestFailed.String()) {
			t.Errorf("%s above the limit: %+v %s", name, s, kinds(o))
		}
	}
	// What other requests ask counts too.
	a := newAsker(t, limits)
	a.result(1, `"resultType":"input_required",`+askName)
	var err error
	for id := 2; id <= 4; id++ {
		if a.c, _, err = a.c.Request(began, protocol.CallToolParams{Name: "t"}, client.RequestOptions{}); err != nil {
			t.Fatal(err)
		}
		a.result(id, `"resultType":"input_required",`+askName)
	}
	if s := a.c.Status(); s.Inbound != 3 || s.Outbound != 3 {
		t.Errorf("%+v", s)
	}
}

// What was asked for within a question ends with it: with the request that the question is of, however
// that ends, and once.
func TestWithinQuestions(t *testing.T) {
	for name, end := range map[string]func(a *asker) (client.State, client.Output){
		"cancelled": func(a *asker) (client.State, client.Output) {
			s, o, err := a.c.Cancel(began, a.req, "")
			if err != nil {
				t.Error(err)
			}
			return s, o
		},
		"response lost": func(a *asker) (client.State, client.Output) { return a.c.ResponseLost(began, a.req, nil) },
		"the maximum":   func(a *asker) (client.State, client.Output) { return a.c.Tick(began.Add(time.Hour)) },
		"lost":          func(a *asker) (client.State, client.Output) { return a.c.Disconnected(began, nil) },
		"input closed":  func(a *asker) (client.State, client.Output) { return a.c.InputClosed(began) },
	} {
		a := newAsker(t)
		q := a.result(1, asks+askName).Events[0].Call
		var o client.Output
		var err error
		// It has come due before, and was put off: people are asked.
		if a.c, o, err = a.c.Request(began, protocol.ListToolsParams{}, client.RequestOptions{Within: q, Maximum: 3 * time.Hour}); err != nil {
			t.Fatal(err)
		}
		inner := o.Req
		a.c, o = end(a)
		a.sound(o)
		ends := map[client.Req]int{}
		for _, ev := range o.Events {
			if ev.Kind == lifecycle.RequestFailed {
				ends[ev.Req]++
			}
		}
		if s := a.c.Status(); ends[inner] != 1 || ends[a.req] != 1 || s.Outbound+s.Inbound != 0 {
			t.Errorf("%s: %v %+v", name, ends, s)
		}
	}
}

// A server without sessions cancels subscriptions alone, and ends them by that.
//
// rows: SUBS-015 SUBS-016 CANC-201
// revisions: 2026-07-28
func TestServerCancels(t *testing.T) {
	a := newAsker(t)
	s, o, err := a.c.Request(began, protocol.ListenParams{}, client.RequestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	listen := o.Req
	a.c = s
	for id, want := range map[string]string{`1`: "violation SUBS-016", `2`: "request failed", `3`: "ignored CANC-010", `"2"`: "ignored CANC-010", `"1 n"`: "ignored CANC-010"} {
		s, o := a.c.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`,"reason":"over"}}`))
		got := strings.TrimSpace(o.Events[0].Kind.String() + " " + o.Events[0].Rule)
		left := 2
		if want == "request failed" {
			left = 1
			if ev := o.Events[0]; ev.Req != listen || ev.Cause.Kind != lifecycle.CauseCancelled || ev.Cause.Reason != "over" {
				t.Errorf("%+v", ev)
			}
		}
		if got != want || len(o.Send) > 0 || s.Status().Outbound != left || s.Check() != nil {
			t.Errorf("%s: %s, want %s, %+v %v", id, got, want, s.Status(), s.Check())
		}
	}
	// At the end nothing holds it up.
	a.c, _ = a.c.Shutdown(began, time.Hour)
	a.c, _ = a.c.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`))
	if a.c, o = a.c.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)); o.Close == nil {
		t.Errorf("%+v", a.c.Status())
	}
}

// What a result says of its type is read as the text that it is, and one that breaks a rule says which.
//
// rows: RSLT-005 RSLT-006 MRTR-030
// revisions: 2026-07-28
func TestOddResults(t *testing.T) {
	for members, want := range map[string]string{
		`"resultType":null,"content":[]`:                "",
		`"resultType":"\u0063omplete","content":[]`:     "",
		`"resultType":"input_r\u0065quired",` + askName: "",
		`"resultType":"partial","content":[]`:           "RSLT-006",
		`"resultType":5,"content":[]`:                   "RSLT-006",
		asks + `"inputRequests":{"m":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}}`: "MRTR-006",
		asks + `"inputRequests":{"p":{"method":"ping"}}`:                                                          "MRTR-030",
	} {
		a := newAsker(t)
		o := a.result(1, members)
		got := ""
		for _, ev := range o.Events {
			got += ev.Rule
		}
		if got != want {
			t.Errorf("%s breaks %q, want %q", members, got, want)
		}
	}
	// Methods that may not ask.
	for _, p := range []protocol.Params{protocol.ListToolsParams{}, protocol.ListenParams{}, protocol.RawRequest{Name: "x/y"}, protocol.DiscoverParams{}} {
		a := newAsker(t)
		s, _, err := a.c.Request(began, p, client.RequestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		a.c = s
		o := a.result(2, asks+`"requestState":"s"`)
		if kinds(o) != lifecycle.Violation.String()+" "+lifecycle.RequestFailed.String() || o.Events[0].Rule != "RSLT-006" || len(o.Send) > 0 {
			t.Errorf("%s: %s %s", p.Method(), kinds(o), sent(o))
		}
	}
}

// A client that declares roots and gives none has none: it answers so in a session and in a round.
//
// rows: MRTR-029
// revisions: 2026-07-28
func TestDeclaredRoots(t *testing.T) {
	c := newState(t, client.Config{Revisions: protocol.AllRevisions(), Declare: protocol.CapRoots})
	a := &asker{t: t, c: c, cfg: client.Config{Info: protocol.Implementation{Name: "n", Version: "1"}, Revisions: protocol.AllRevisions(), Declare: protocol.CapRoots}}
	var err error
	if a.c, _, err = a.c.Connect(began, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`); err != nil {
		t.Fatal(err)
	}
	if a.c, _, err = a.c.Request(began, protocol.CallToolParams{Name: "t"}, client.RequestOptions{}); err != nil {
		t.Fatal(err)
	}
	if o := a.result(1, asks+askRoots); !strings.Contains(strings.Join(sent(o), ""), `"inputResponses":{"r":{"roots":[]}}`) {
		t.Errorf("%s %s", sent(o), kinds(o))
	}
	if c, _, err = c.Initialize(began); err != nil {
		t.Fatal(err)
	}
	c, _ = c.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`))
	if _, o := c.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"r","method":"roots/list"}`)); strings.Join(sent(o), "") != `{"jsonrpc":"2.0","id":"r","result":{"roots":[]}}` {
		t.Errorf("%s", sent(o))
	}
}

// A request that is made again has a progress token where it had one: its new id, or that of the
// application. Its time goes on to its maximum and no further.
//
// rows: MRTR-027 MRTR-032
// revisions: 2026-07-28
func TestMadeAgain(t *testing.T) {
	for _, c := range []struct {
		meta protocol.Meta
		opt  client.RequestOptions
		want string
	}{
		{``, client.RequestOptions{}, ``},
		{``, client.RequestOptions{Progress: true}, `"progressToken":2`},
		{`{"progressToken":"mine"}`, client.RequestOptions{}, `"progressToken":"mine"`},
		{`{"progressToken":"mine"}`, client.RequestOptions{ReplaceToken: true}, `"progressToken":2`},
	} {
		a := newAsker(t)
		c0 := newState(t, a.cfg)
		a.cfg.Info = protocol.Implementation{Name: "n", Version: "1"}
		var err error
		if a.c, _, err = c0.Connect(began, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`); err != nil {
			t.Fatal(err)
		}
		if a.c, _, err = a.c.Request(began, protocol.CallToolParams{Name: "t", Meta: c.meta}, c.opt); err != nil {
			t.Fatal(err)
		}
		q := a.result(1, asks+askName).Events[0].Call
		late := began.Add(time.Hour - 30*time.Second)
		s, o, err := a.c.Respond(late, q, protocol.Raw(`{"action":"decline"}`))
		got := strings.Join(sent(o), "")
		if err != nil || strings.Count(got, "progressToken") != strings.Count(c.want, "progressToken") || !strings.Contains(got, c.want) {
			t.Errorf("%s %+v: %v %s", c.meta, c.opt, err, got)
		}
		if at, _ := s.NextDeadline(); !at.Equal(began.Add(time.Hour)) || s.Check() != nil {
			t.Errorf("it ends at %v, %v", at, s.Check())
		}
	}
}

// A snapshot in which a question has a token, a request of a server is open that is none, or a question is
// owed that nobody has, is refused.
func TestRestoreOddQuestions(t *testing.T) {
	a := newAsker(t)
	a.result(1, asks+askName)
	data := string(a.c.Snapshot())
	for name, pair := range map[string][2]string{
		"as it is":     {``, ``},
		"a token":      {`"of":1`, `"of":1,"token":5`},
		"a request":    {`"inbound":[`, `"inbound":[{"id":"z","call":1,"method":"roots/list"},`},
		"no questions": {`"inbound":[`, `"other":[`},
	} {
		bad := strings.Replace(strings.Replace(data, `"call":1`, `"call":2`, 1), `"calls":1`, `"calls":2`, 1)
		if !strings.Contains(bad, pair[0]) {
			t.Fatalf("%s: %s", name, bad)
		}
		_, err := client.Restore(a.cfg, []byte(strings.Replace(bad, pair[0], pair[1], 1)), began)
		if (err == nil) != (name == "as it is") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A question holds up the request that it is of and no other: the server says which that is. Those have
// the time that they had.
//
// rows: MRTR-032
// revisions: 2026-07-28
func TestQuestionHoldsUpItsOwn(t *testing.T) {
	a := newAsker(t)
	var o client.Output
	var err error
	if a.c, o, err = a.c.Request(began.Add(time.Second), protocol.CallToolParams{Name: "t"}, client.RequestOptions{}); err != nil {
		t.Fatal(err)
	}
	other := o.Req
	a.result(1, `"resultType":"input_required",`+askName)
	for _, due := range []struct {
		after time.Duration
		req   client.Req
	}{{time.Second + time.Minute, other}, {time.Second + 10*time.Minute, a.req}} {
		if at, ok := a.c.NextDeadline(); !ok || !at.Equal(began.Add(due.after)) {
			t.Fatalf("due at %v, %v; want after %v", at, ok, due.after)
		}
		a.c, o = a.c.Tick(began.Add(due.after))
		if n := len(o.Events) - 1; n < 0 || o.Events[n].Kind != lifecycle.RequestFailed || o.Events[n].Req != due.req {
			t.Fatalf("after %v: %+v", due.after, o.Events)
		}
	}
}
