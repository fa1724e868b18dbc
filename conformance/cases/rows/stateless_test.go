package rows_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// modern is the revision without a session.
var modern = protocol.Revision20260728

// found returns a client that has probed a server and got an answer.
func found(t *testing.T, cfg client.Config, answer string) (verbs.Side, lifecycle.Output) {
	t.Helper()
	if cfg.Revisions == nil {
		cfg.Revisions = []protocol.Revision{modern}
	}
	x := verbs.NewClient(t, cfg)
	c, _, err := x.Client().Connect(x.Now, "")
	if err != nil {
		t.Fatal(err)
	}
	return x.With(c).Receive(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],` + answer + `}}`)
}

// asked returns the answer of a server without sessions to one request with the capabilities of a client.
func asked(t *testing.T, cfg server.Config, method, params, caps string) (verbs.Side, string) {
	t.Helper()
	cfg.Revisions = []protocol.Revision{modern}
	x, out := verbs.NewServer(t, cfg).Receive(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + caps + `}}}`)
	return x, strings.Join(verbs.Lines(out), "\n")
}

// A server's answer to server/discover names exactly what it offers.
//
// rows: TOOL-001 RES-001 RES-002 COMPL-001
// revisions: 2026-07-28
func TestWhatAServerIsWithoutASession(t *testing.T) {
	items := func(i server.Items) *server.Catalog {
		c, err := server.NewCatalog(i)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	tools := items(server.Items{Tools: []protocol.Tool{{Name: "t"}}})
	files := items(server.Items{Resources: []protocol.Resource{{URI: "a:b", Name: "b"}}})
	caps := func(t *testing.T, cfg server.Config) string {
		_, got := asked(t, cfg, "server/discover", "", "{}")
		result, _ := rawjson.Get(got, "result")
		text, _ := rawjson.Get(result, "capabilities")
		return text
	}
	for row, list := range map[string][]struct {
		cfg  server.Config
		want string
	}{
		"TOOL-001":  {{server.Config{Catalog: tools, Serve: []string{"tools/call"}}, `{"tools":{}}`}},
		"RES-001":   {{server.Config{Catalog: files, Serve: []string{"resources/read"}}, `{"resources":{}}`}},
		"COMPL-001": {{server.Config{Serve: []string{"completion/complete"}}, `{"completions":{}}`}},
		"RES-002": {
			{server.Config{Catalog: files, Serve: []string{"resources/read"}, Subscribe: true}, `{"resources":{"subscribe":true}}`},
			{server.Config{Catalog: files, Serve: []string{"resources/read"}, ListChanged: protocol.CapResourcesListChanged}, `{"resources":{"listChanged":true}}`},
			{server.Config{Catalog: files, Serve: []string{"resources/read"}, ListChanged: protocol.CapResourcesListChanged, Subscribe: true}, `{"resources":{"subscribe":true,"listChanged":true}}`},
		},
	} {
		t.Run(row, func(t *testing.T) {
			for _, c := range list {
				if got := caps(t, c.cfg); got != c.want {
					t.Errorf("it declares %s, want %s", got, c.want)
				}
			}
		})
	}
	t.Run("CAP-003", func(t *testing.T) {
		all := server.Config{Serve: []string{"tools/list", "tools/call", "prompts/list", "prompts/get", "resources/list", "resources/read", "completion/complete"}, Logging: true}
		got := caps(t, all)
		for _, name := range []string{"tools", "prompts", "resources", "completions", "logging"} {
			if _, ok := rawjson.Get(got, name); !ok {
				t.Errorf("%s is not declared: %s", name, got)
			}
		}
		if got := caps(t, server.Config{}); got != "{}" {
			t.Errorf("a server of nothing declares %s", got)
		}
	})
	t.Run("VERS-010", func(t *testing.T) {
		for _, name := range []string{" 2026-07-28", "2026-07-28 ", `2026-07-28\n`, "2026-7-28", "2026-07-281", ""} {
			_, out := verbs.NewServer(t, server.Config{Revisions: []protocol.Revision{modern}}).Receive(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"` + name +
				`","io.modelcontextprotocol/clientCapabilities":{}}}}`)
			if len(out.Send) != 1 || out.Send[0].Message.Err == nil || out.Send[0].Message.Err.Code != -32022 {
				t.Errorf("%q: %q", name, verbs.Lines(out))
			}
		}
	})
	// Two States of one Config need a change reported to each.
	t.Run("SUBS-027", func(t *testing.T) {
		cfg := server.Config{Catalog: tools, Serve: []string{"tools/call"}, ListChanged: protocol.CapToolsListChanged, ChangeDelay: -1}
		more := items(server.Items{Tools: []protocol.Tool{{Name: "t"}, {Name: "u"}}})
		var both [2]verbs.Side
		for i := range both {
			both[i], _ = asked(t, cfg, "subscriptions/listen", `"notifications":{"toolsListChanged":true},`, "{}")
		}
		for i, x := range both {
			next, out, err := x.Offer(more)
			if err != nil || len(out.Send) != 1 || out.Send[0].Message.Method != "notifications/tools/list_changed" {
				t.Errorf("%d: %q, %v", i, verbs.Lines(out), err)
			}
			if i == 0 && both[1].Server().Status().Inbound != 1 || next.Status().Inbound != 1 {
				t.Error("a listen is gone")
			}
		}
	})
}

// Each request has the client's capabilities, and the application cannot cancel a probe.
//
// rows: SAMP-102 CAP-104 LIFE-028 DISC-008
// revisions: 2026-07-28
func TestWhatAClientIsWithoutASession(t *testing.T) {
	declared := func(t *testing.T, cfg client.Config) string {
		x, _ := found(t, cfg, `"capabilities":{"tools":{}}`)
		_, out, err := x.Request(protocol.ListToolsParams{}, lifecycle.RequestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		meta, _ := rawjson.Get(string(out.Send[0].Message.Body), "_meta")
		caps, _ := rawjson.Get(meta, "io.modelcontextprotocol/clientCapabilities")
		return caps
	}
	sampling, elicitation := []string{"sampling/createMessage"}, []string{"elicitation/create"}
	for row, list := range map[string]map[string]client.Config{
		"SAMP-102": {
			`{"sampling":{"tools":{}}}`: {Serve: sampling, Declare: protocol.CapSamplingTools}, `{"sampling":{}}`: {Serve: sampling},
		},
		"CAP-104": {
			`{"elicitation":{}}`: {Serve: elicitation}, `{"elicitation":{"url":{}}}`: {Serve: elicitation, Declare: protocol.CapElicitationURL},
			`{"elicitation":{"form":{},"url":{}}}`: {Serve: elicitation, Declare: protocol.CapElicitationForm | protocol.CapElicitationURL}, `{}`: {},
		},
	} {
		t.Run(row, func(t *testing.T) {
			for want, cfg := range list {
				if got := declared(t, cfg); got != want {
					t.Errorf("it declares %s, want %s", got, want)
				}
			}
		})
	}
	t.Run("CANC-005", func(t *testing.T) {
		x := verbs.NewClient(t, client.Config{Revisions: []protocol.Revision{modern}})
		c, out, err := x.Client().Connect(x.Now, "")
		if err != nil {
			t.Fatal(err)
		}
		x, out, err = x.With(c).Cancel(out.Req, "")
		if !errors.Is(err, lifecycle.ErrPhase) || !out.IsZero() || x.Status().Outbound != 1 {
			t.Errorf("%v, %+v", err, out)
		}
		if _, out = x.Tick(time.Hour); len(out.Send) > 0 {
			t.Errorf("after an hour it sends %q", verbs.Lines(out))
		}
	})
	for _, row := range []string{"LIFE-028", "DISC-008"} {
		t.Run(row, func(t *testing.T) {
			x, out := found(t, client.Config{}, `"capabilities":{},"instructions":" x\n"`)
			ready := verbs.Events(out, lifecycle.PhaseChanged)
			if len(ready) != 1 || rawjson.Text(string(ready[0].Body), "instructions") != " x\n" || !strings.Contains(string(x.Client().Verdict()), `" x\n"`) {
				t.Errorf("%+v, %s", ready, x.Client().Verdict())
			}
		})
	}
	t.Run("LIFE-030", func(t *testing.T) {
		x, out := found(t, client.Config{Require: protocol.CapTools}, `"capabilities":{"prompts":{}}`)
		if x.Phase() != lifecycle.Failed || out.Close == nil || out.Close.Kind != lifecycle.CauseMissingCapability || len(out.Send) > 0 {
			t.Errorf("%v, %+v", x.Phase(), out)
		}
	})
	t.Run("LIFE-033", func(t *testing.T) {
		one, _ := found(t, client.Config{}, `"capabilities":{"tools":{}}`)
		two, _ := found(t, client.Config{}, `"capabilities":{"prompts":{}}`)
		one, a, err := one.Request(protocol.ListToolsParams{}, lifecycle.RequestOptions{})
		if _, _, refused := two.Request(protocol.ListToolsParams{}, lifecycle.RequestOptions{}); err != nil || !errors.Is(refused, lifecycle.ErrCapability) {
			t.Error(err, refused)
		}
		two, b, err := two.Request(protocol.ListPromptsParams{}, lifecycle.RequestOptions{})
		if err != nil || a.Send[0].Message.ID != jsonrpc.Int(2) || b.Send[0].Message.ID != jsonrpc.Int(2) {
			t.Error(err, verbs.Lines(a), verbs.Lines(b))
		}
		one, _ = one.Disconnected(errEOF)
		if _, out := two.Receive(`{"jsonrpc":"2.0","id":2,"result":{"prompts":[]}}`); one.Phase() != lifecycle.Disconnected || len(verbs.Events(out, lifecycle.ResponseReceived)) != 1 {
			t.Errorf("%v, %+v", one.Phase(), out)
		}
	})
	// The server's info changes nothing.
	t.Run("META-203", func(t *testing.T) {
		run := func(meta string) (kinds string) {
			x, out := found(t, client.Config{}, `"capabilities":{"tools":{}}`+meta)
			kinds = verbs.Kinds(out)
			x, out, _ = x.Request(protocol.ListToolsParams{}, lifecycle.RequestOptions{})
			kinds += strings.Join(verbs.Lines(out), "")
			x, out = x.Receive(`{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","tools":[]` + meta + `}}`)
			return kinds + verbs.Kinds(out) + x.Phase().String()
		}
		want := run("")
		for _, info := range []string{`{"name":"a","version":"1"}`, `{"name":"machine","version":"99"}`, `5`, `{}`, `null`} {
			if got := run(`,"_meta":{"io.modelcontextprotocol/serverInfo":` + info + `}`); got != want {
				t.Errorf("with %s it does\n%s\nwant\n%s", info, got, want)
			}
		}
	})
	// This side's cause of an end is not an error of the peer.
	t.Run("ERR-211", func(t *testing.T) {
		for end, do := range map[string]func(x verbs.Side, req lifecycle.Req) (verbs.Side, lifecycle.Output){
			"time":      func(x verbs.Side, _ lifecycle.Req) (verbs.Side, lifecycle.Output) { return x.Tick(time.Hour) },
			"transport": func(x verbs.Side, _ lifecycle.Req) (verbs.Side, lifecycle.Output) { return x.Disconnected(errEOF) },
			"lost":      func(x verbs.Side, r lifecycle.Req) (verbs.Side, lifecycle.Output) { return x.ResponseLost(r, errEOF) },
			"answer": func(x verbs.Side, _ lifecycle.Req) (verbs.Side, lifecycle.Output) {
				return x.Receive(`{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","tools":5}}`)
			},
			"type": func(x verbs.Side, _ lifecycle.Req) (verbs.Side, lifecycle.Output) {
				return x.Receive(`{"jsonrpc":"2.0","id":2,"result":{"resultType":"later","tools":[]}}`)
			},
			"cancel": func(x verbs.Side, r lifecycle.Req) (verbs.Side, lifecycle.Output) {
				x, out, err := x.Cancel(r, "")
				if err != nil {
					t.Error(err)
				}
				return x, out
			},
		} {
			x, _ := found(t, client.Config{}, `"capabilities":{"tools":{}}`)
			x, out, err := x.Request(protocol.ListToolsParams{}, lifecycle.RequestOptions{})
			if err != nil {
				t.Fatal(err)
			}
			_, out = do(x, out.Req)
			failed := verbs.Events(out, lifecycle.RequestFailed)
			var e *jsonrpc.Error
			if len(failed) != 1 || failed[0].Err != nil || errors.As(failed[0].Failure(), &e) {
				t.Errorf("%s: %+v", end, out)
			}
		}
	})
}

// In sessions no new features of revisions without one are sent, and received ones are unknown members.
//
// revisions: all
func TestNothingOfItInSessions(t *testing.T) {
	t.Run("RSLT-004", func(t *testing.T) {
		for _, r := range protocol.Revisions() {
			x := verbs.NewServer(t, server.Config{Serve: []string{"tools/list", "tools/call", "resources/read", "prompts/get"}, Revisions: protocol.AllRevisions()}).Open(r, "{}")
			for i, c := range []struct {
				request string
				result  protocol.Result
			}{
				{`"method":"tools/list"`, &protocol.ListToolsResult{Tools: []protocol.Tool{}}},
				{`"method":"tools/call","params":{"name":"t"}`, protocol.TextResult("t")},
				{`"method":"resources/read","params":{"uri":"a:b"}`, &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{protocol.TextResource("a:b", "", "t")}}},
				{`"method":"prompts/get","params":{"name":"p"}`, jsonrpc.Raw(`{"messages":[]}`)},
				{`"method":"ping"`, nil},
			} {
				var out lifecycle.Output
				var err error
				if x, out = x.Receive(`{"jsonrpc":"2.0","id":` + string(rune('1'+i)) + `,` + c.request + `}`); c.result != nil {
					x, out, err = x.Respond(out.Opened, c.result)
				}
				got := strings.Join(verbs.Lines(out), "")
				for _, name := range []string{"resultType", "ttlMs", "cacheScope", "serverInfo"} {
					if err != nil || !strings.Contains(got, `"result"`) || strings.Contains(got, name) {
						t.Errorf("%v: %v, %s, which may not have %s", r, err, got, name)
					}
				}
			}
		}
	})
	t.Run("RSLT-008", func(t *testing.T) {
		for _, r := range protocol.Revisions() {
			x := verbs.NewClient(t, client.Config{Revisions: []protocol.Revision{r}}).Open(r, `{"tools":{}}`)
			x, _, err := x.Request(protocol.CallToolParams{Name: "t"}, lifecycle.RequestOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if _, out := x.Receive(x.Result(`{"resultType":"input_required","content":[]}`)); verbs.Kinds(out) != lifecycle.ResponseReceived.String() {
				t.Errorf("%v: %+v", r, out.Events)
			}
		}
	})
}

// endless answers every question of a function that keeps asking.
type endless struct {
	server.Caller
	asked int
}

func (e *endless) Request(context.Context, protocol.Params, server.RequestOptions) (jsonrpc.Raw, error) {
	e.asked++
	return `{"action":"decline"}`, nil
}

// In a session the rounds of an asking function are bounded, and its questions end with the call.
//
// revisions: all
func TestRoundsInSessions(t *testing.T) {
	t.Run("MRTR-040", func(t *testing.T) {
		h := new(server.Handlers)
		h.Tool(protocol.Tool{Name: "ask"}, func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
			q := protocol.Ask(p)
			q.Elicit(strings.Repeat("k", len(q.State())+1), protocol.ElicitParams{Message: "m"})
			return nil, q.Open(q.State() + "s")
		})
		j, ok := h.Job(server.Event{Kind: lifecycle.RequestReceived, Method: "tools/call", Body: `{"name":"ask"}`})
		if !ok {
			t.Fatal("no job")
		}
		e := new(endless)
		a := j.Run(context.Background(), e)
		if got := string(a.Result.AppendJSON(nil)); e.asked != 8 || !strings.Contains(got, "still asks after 8 rounds") {
			t.Errorf("%d questions, then %s", e.asked, got)
		}
		for _, r := range protocol.Revisions() {
			x := verbs.NewServer(t, server.Config{Serve: []string{"tools/list", "tools/call"}, Revisions: protocol.AllRevisions()}).Open(r, allOfClient)
			x, out := x.Receive(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`)
			x, _, err := x.Request(protocol.ListRootsParams{}, lifecycle.RequestOptions{Within: out.Opened})
			if err != nil {
				t.Fatal(err)
			}
			x, out = x.Receive(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
			if len(out.Send) != 1 || out.Send[0].Message.Method != "notifications/cancelled" || len(verbs.Events(out, lifecycle.RequestFailed)) != 1 || x.Status().Outbound != 0 {
				t.Errorf("%v: %q, %+v", r, verbs.Lines(out), out.Events)
			}
		}
	})
}
