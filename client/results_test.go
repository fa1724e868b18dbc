package client_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
)

// session returns a client that is ready and has the given policy.
func session(t *testing.T, cfg client.Config) client.State {
	t.Helper()
	return open(t, cfg, `{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"completions":{}}`)
}

func request(t *testing.T, s client.State, p protocol.Params, opt client.RequestOptions) (client.State, client.Output) {
	t.Helper()
	s, out, err := s.Request(t0, p, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s, out
}

func answer(s client.State, id int, result string) (client.State, client.Output) {
	return s.Receive(t0, said(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, result)))
}

const promise = `{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}`

// A result that does not keep the promise of its tool fails, and only this call does;
// after a snapshot too.
//
// rows: TOOL-028 TOOL-029
func TestOutputSchema(t *testing.T) { anywhere(t, outputSchema) }

func outputSchema(t *testing.T) {
	if !spoken.Structured() {
		return
	}
	null := "TOOL-029"
	if spoken.Stateless() {
		null = "TOOL-028" // it is a value, and not the promised one (TOOL-205)
	}
	for _, c := range []struct{ result, rule string }{
		{`{"content":[],"structuredContent":{"a":1}}`, ""},
		{`{"content":[],"structuredContent":{"a":1,"b":2}}`, ""},
		{`{"content":[],"structuredContent":{}}`, "TOOL-028"},
		{`{"content":[],"structuredContent":{"a":"1"},"isError":false}`, "TOOL-028"},
		{`{"content":[{"type":"text","text":"{\"a\":1}"}]}`, "TOOL-029"},
		{`{"content":[],"structuredContent":null}`, null},
		{`{"content":[],"isError":true}`, ""},
		{`{"content":[],"structuredContent":{},"isError":true}`, ""},
	} {
		s := session(t, client.Config{})
		s, _ = request(t, s, protocol.CallToolParams{Name: "t"}, client.RequestOptions{})
		s, out := request(t, s, protocol.CallToolParams{Name: "t"}, client.RequestOptions{OutputSchema: promise})
		req := out.Req
		restored, err := client.Restore(client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}, Revisions: revisions()}, s.Snapshot(), t0)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []client.State{s, restored} {
			req := s.Req(req.Seq())
			next, out := answer(s, 3, c.result)
			if c.rule == "" {
				if len(out.Events) != 1 || out.Events[0].Kind != lifecycle.ResponseReceived || out.Events[0].Req != req {
					t.Errorf("%s: %+v", c.result, out.Events)
				}
				continue
			}
			if len(out.Events) != 2 || out.Events[0].Kind != lifecycle.Violation || out.Events[0].Rule != c.rule ||
				out.Events[1].Kind != lifecycle.RequestFailed || out.Events[1].Req != req {
				t.Fatalf("%s: %+v", c.result, out.Events)
			}
			var f schema.Fault
			err := out.Events[1].Failure()
			if !errors.Is(err, &lifecycle.Cause{Kind: lifecycle.CauseInvalidResponse}) || c.rule == "TOOL-028" && (!errors.As(err, &f) || f.Path != "/a" && c.rule != null) {
				t.Errorf("%s: %v", c.result, err)
			}
			if next.Phase() != lifecycle.Ready || next.Status().Outbound != 1 {
				t.Errorf("%s: %+v", c.result, next.Status())
			}
			if _, out := answer(next, 2, c.result); len(out.Events) != 1 || out.Events[0].Kind != lifecycle.ResponseReceived {
				t.Errorf("without a schema, %s: %+v", c.result, out.Events)
			}
		}
	}
	s := session(t, client.Config{})
	for name, p := range map[jsonrpc.Raw]protocol.Params{`{"type":`: protocol.CallToolParams{Name: "t"}, promise: protocol.ListToolsParams{}} {
		if _, _, err := s.Request(t0, p, client.RequestOptions{OutputSchema: name}); !errors.Is(err, lifecycle.ErrParams) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s, _ = request(t, s, protocol.CallToolParams{Name: "t"}, client.RequestOptions{OutputSchema: `{"type":"object","minProperties":"many"}`})
	if _, out := answer(s, 2, `{"content":[],"structuredContent":{}}`); len(out.Events) != 2 || out.Events[0].Kind != lifecycle.LocalViolation || out.Events[0].Rule != "TOOL-028" || out.Events[0].Cause.Err == nil {
		t.Errorf("a schema that is none: %+v", out.Events)
	}
	if _, out := answer(s, 2, `{"content":[]}`); len(out.Events) != 2 || out.Events[0].Rule != "TOOL-029" {
		t.Errorf("a schema that is none, and no content: %+v", out.Events)
	}
	s = session(t, client.Config{Schemas: schema.None{}})
	s, _ = request(t, s, protocol.CallToolParams{Name: "t"}, client.RequestOptions{OutputSchema: promise})
	if _, out := answer(s, 2, `{"content":[],"structuredContent":{}}`); len(out.Events) != 1 {
		t.Errorf("schema.None: %+v", out.Events)
	}
}

// A revision without structured content has no promise to break.
func TestOutputSchemaOfOldRevisions(t *testing.T) {
	s, err := client.New(client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}, t0)
	if err != nil {
		t.Fatal(err)
	}
	if s, _, err = s.Initialize(t0); err != nil {
		t.Fatal(err)
	}
	s, _ = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`))
	s, _ = request(t, s, protocol.CallToolParams{Name: "t"}, client.RequestOptions{OutputSchema: `{"type":"object","required":["a"]}`})
	if _, out := answer(s, 2, `{"content":[]}`); len(out.Events) != 1 || out.Events[0].Kind != lifecycle.ResponseReceived {
		t.Errorf("%+v", out.Events)
	}
}

// What the user has typed since makes the earlier completion needless: it is cancelled
// before the next goes out. What has ended by itself is not.
//
// rows: COMPL-019
func TestSupersede(t *testing.T) { anywhere(t, supersede) }

func supersede(t *testing.T) {
	ask := func(value string) protocol.CompleteParams {
		return protocol.CompleteParams{Ref: protocol.PromptReference("p"), Argument: protocol.CompleteArgument{Name: "a", Value: value}}
	}
	s := session(t, client.Config{Limits: lifecycle.Limits{Outbound: 1}})
	s, first := request(t, s, ask("p"), client.RequestOptions{})
	if _, _, err := s.Request(t0, ask("py"), client.RequestOptions{}); !errors.Is(err, lifecycle.ErrLimit) {
		t.Error(err)
	}
	s, second := request(t, s, ask("py"), client.RequestOptions{Replaces: first.Req})
	if len(second.Send) != 2 || second.Send[0].Message.Method != "notifications/cancelled" || second.Send[1].Message.Method != "completion/complete" {
		t.Fatalf("%+v", second.Send)
	}
	if want := `{"requestId":2,"reason":"superseded"}`; string(second.Send[0].Message.Body) != want {
		t.Errorf("%s, want %s", second.Send[0].Message.Body, want)
	}
	if len(second.Events) != 1 || second.Events[0].Kind != lifecycle.RequestFailed || second.Events[0].Req != first.Req || second.Req == first.Req {
		t.Errorf("%+v", second)
	}
	if err := s.Check(); err != nil || s.Status().Outbound != 1 {
		t.Error(err, s.Status())
	}
	s, _ = answer(s, 3, `{"completion":{"values":["python"]}}`)
	s, third := request(t, s, ask("pyt"), client.RequestOptions{Replaces: second.Req})
	if len(third.Send) != 1 || len(third.Events) != 0 {
		t.Errorf("%+v", third)
	}
	// A request that is refused supersedes nothing.
	if _, out, err := s.Request(t0, protocol.RawRequest{Name: "completion/complete"}, client.RequestOptions{Replaces: third.Req}); !errors.Is(err, lifecycle.ErrParams) || !out.IsZero() {
		t.Error(err, out)
	}
	if spoken.Stateless() {
		return // where there is no ping
	}
	// The last request of a session that shuts down can be superseded by a ping.
	s, _ = s.Shutdown(t0, time.Minute)
	s, out := request(t, s, protocol.PingParams{}, client.RequestOptions{Replaces: third.Req})
	if err := s.Check(); err != nil || out.Close != nil || s.Status().Outbound != 1 {
		t.Error(err, out)
	}
}

// initialize is never cancelled, and a handle of a request that is not open, as one of
// another branch, supersedes nothing: least of all the request that gets its id.
func TestSupersedeWhatCannotBe(t *testing.T) {
	s, err := client.New(client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}, Limits: lifecycle.Limits{Outbound: 1}}, t0)
	if err != nil {
		t.Fatal(err)
	}
	s, first, err := s.Initialize(t0)
	if err != nil {
		t.Fatal(err)
	}
	next, out, err := s.Request(t0, protocol.PingParams{}, client.RequestOptions{Replaces: first.Req})
	if !errors.Is(err, lifecycle.ErrPhase) || !out.IsZero() || next.Status().Outbound != 1 || next.Check() != nil {
		t.Error(err, out, next.Check())
	}

	s = session(t, client.Config{})
	_, branch := request(t, s, protocol.PingParams{}, client.RequestOptions{})
	s, out = request(t, s, protocol.PingParams{}, client.RequestOptions{Replaces: branch.Req})
	if len(out.Send) != 1 || len(out.Events) != 0 || s.Status().Outbound != 1 {
		t.Error(out, s.Status())
	}
}

// A tool result without content fails, or counts as empty by policy; either way it is
// reported.
func TestLenientContent(t *testing.T) {
	for _, lenient := range []bool{false, true} {
		for result, mended := range map[string]string{
			`{}`: `{"content":[]}`, `{"isError":true}`: `{"isError":true,"content":[]}`, `{"content":null}`: `{"content":[]}`, `{"content":{}}`: ``, `{"isError":1}`: ``,
		} {
			s := session(t, client.Config{Policy: lifecycle.Policy{LenientContent: lenient}})
			s, _ = request(t, s, protocol.CallToolParams{Name: "t"}, client.RequestOptions{})
			_, out := answer(s, 2, result)
			last := out.Events[len(out.Events)-1]
			if out.Events[0].Kind != lifecycle.Violation || out.Events[0].Rule != "TOOL-014" {
				t.Errorf("%s: %+v", result, out.Events)
			}
			if good := lenient && mended != ""; good != (last.Kind == lifecycle.ResponseReceived) || good && string(last.Body) != mended {
				t.Errorf("lenient %v, %s: %+v", lenient, result, last)
			}
		}
	}
}

// One odd block does not cost the result; a block of a new kind is kept.
//
// rows: SCHEMA-012
func TestOddContent(t *testing.T) { everywhere(t, oddContent) }

func oddContent(t *testing.T) {
	for content, want := range map[string]string{
		`[{"type":"video","x":1}]`:                                              `[{"type":"video","x":1}]`,
		`[{"type":"text"},{"type":"text","text":"a"},5]`:                        `[{"type":"text","text":"a"}]`,
		`[{"text":"a"},{"type":"image","data":"","mimeType":"a/b"},{"type":7}]`: `[{"type":"image","data":"","mimeType":"a/b"}]`,
	} {
		s := session(t, client.Config{})
		s, _ = request(t, s, protocol.CallToolParams{Name: "t"}, client.RequestOptions{})
		_, out := answer(s, 2, `{"content":`+content+`}`)
		if len(out.Events) != 2 || out.Events[0].Kind != lifecycle.Violation || out.Events[0].Rule != "SCHEMA-012" ||
			out.Events[1].Kind != lifecycle.ResponseReceived || string(out.Events[1].Body) != `{"content":`+want+`}` {
			t.Errorf("%s: %+v", content, out.Events)
		}
	}
	kinds := map[string]bool{"text": true, "image": true, "audio": true, "resource_link": true, "resource": true, "video": false}
	for kind, known := range kinds {
		c, err := protocol.Decode[protocol.Content](jsonrpc.Raw(`{"type":"` + kind + `","text":"","data":"","mimeType":"a/b","uri":"a:b","name":"n","resource":{"uri":"a:b","text":""}}`))
		if err != nil || c.Type != kind || (c.Raw == "") != known {
			t.Errorf("%s: %+v %v", kind, c, err)
		}
	}
	if _, err := protocol.Decode[protocol.Content](`{"text":"a"}`); err == nil {
		t.Error("a block without a type")
	}
}

// What the server agreed to is remembered until the session ends, through a snapshot.
func TestSubscriptions(t *testing.T) {
	uris := func(s client.State) []string { return slices.Sorted(s.Subscriptions()) }
	cfg := client.Config{Limits: lifecycle.Limits{Subscriptions: 2}}
	s := session(t, cfg)
	if got := uris(s); len(got) != 0 {
		t.Error(got)
	}
	id := 1
	do := func(p protocol.Params, result string) {
		t.Helper()
		s, _ = request(t, s, p, client.RequestOptions{})
		id++
		m := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, id, result)
		s, _ = s.Receive(t0, jsonrpc.DecodeString(m))
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
	}
	const good, refused = `"result":{}`, `"error":{"code":-32002,"message":"m"}`
	do(protocol.SubscribeParams{URI: "a:1"}, good)
	do(protocol.SubscribeParams{URI: "a:1"}, good)
	do(protocol.SubscribeParams{URI: "a:2"}, refused)
	do(protocol.SubscribeParams{URI: "a:3"}, `"result":[]`)
	do(protocol.UnsubscribeParams{URI: "a:1"}, refused)
	do(protocol.UnsubscribeParams{URI: "a:9"}, good)
	if got := uris(s); !slices.Equal(got, []string{"a:1"}) {
		t.Error(got)
	}
	do(protocol.SubscribeParams{URI: "a:4"}, good)
	do(protocol.SubscribeParams{URI: "a:5"}, good) // one too many to remember
	if got := uris(s); !slices.Equal(got, []string{"a:1", "a:4"}) {
		t.Error(got)
	}
	cfg.Info = protocol.Implementation{Name: "c", Version: "1"}
	restored, err := client.Restore(cfg, s.Snapshot(), t0)
	if err != nil || !slices.Equal(uris(restored), uris(s)) || string(restored.Snapshot()) != string(s.Snapshot()) {
		t.Error(err, uris(restored))
	}
	do(protocol.UnsubscribeParams{URI: "a:1"}, good)
	s, _ = s.Disconnected(t0, nil)
	if got := uris(s); !slices.Equal(got, []string{"a:4"}) {
		t.Error(got)
	}
	if s, err = s.Reset(t0); err != nil || len(uris(s)) != 0 {
		t.Error(err, uris(s))
	}
}

// Of two uris that have one place in the table, under a HashKey of zeros, the first is
// remembered, and taking the second back leaves it.
func TestSubscriptionsOfOnePlace(t *testing.T) {
	s := session(t, client.Config{})
	for i, p := range []protocol.Params{
		protocol.SubscribeParams{URI: "a:5c8288c0aa5c5f18"}, protocol.SubscribeParams{URI: "a:d10fd490752c2627"},
		protocol.UnsubscribeParams{URI: "a:d10fd490752c2627"},
	} {
		s, _ = request(t, s, p, client.RequestOptions{})
		s, _ = answer(s, i+2, `{}`)
		if got := slices.Collect(s.Subscriptions()); !slices.Equal(got, []string{"a:5c8288c0aa5c5f18"}) {
			t.Errorf("%d: %v", i, got)
		}
	}
	s, _ = request(t, s, protocol.UnsubscribeParams{URI: "a:5c8288c0aa5c5f18"}, client.RequestOptions{})
	if s, _ = answer(s, 5, `{}`); len(slices.Collect(s.Subscriptions())) != 0 {
		t.Error("it is still remembered")
	}
}

// A list with a thousand odd items is one that lost some; with more it is none.
func TestManyOddItems(t *testing.T) {
	for n, good := range map[int]bool{1000: true, 1001: false} {
		s := session(t, client.Config{})
		s, _ = request(t, s, protocol.ListToolsParams{}, client.RequestOptions{})
		_, out := answer(s, 2, `{"tools":[{"name":"a","inputSchema":{"type":"object"}}`+strings.Repeat(",1", n)+`]}`)
		if last := out.Events[len(out.Events)-1]; (last.Kind == lifecycle.ResponseReceived) != good {
			t.Errorf("%d odd items: %v", n, last.Kind)
		}
	}
}
