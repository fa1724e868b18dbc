package officialschema

import (
	"iter"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

func books(t *testing.T) map[protocol.Revision]*Book {
	t.Helper()
	books, err := Books()
	if err != nil {
		t.Fatal(err)
	}
	return books
}

func parse(t *testing.T, text string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Invalid lines are refused, each for one fault; the same line without it passes.
func TestCheck(t *testing.T) {
	newest, newer, middle, oldest := protocol.Revision20251125, protocol.Revision20250618, protocol.Revision20250326, protocol.Revision20241105
	const client, server = lifecycle.Client, lifecycle.Server
	const task = `"taskId":"t","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":null`
	all := books(t)
	for _, c := range []struct {
		rev     protocol.Revision
		from    lifecycle.Party
		answers string
		good    string
		bad     []string
	}{
		{newer, client, "", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{
			`{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`,
			`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`,
			`{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`, `{"jsonrpc":"2.0","id":1,"method":7}`,
			`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":null}}}`, `[]`, `"x"`,
		}},
		{newer, client, "", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`, []string{
			`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":null}}`,
			`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`, `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"t"}}`,
		}},
		{newer, server, "", `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`, []string{
			`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"array"}}}}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		}},
		{middle, server, "", `{"jsonrpc":"2.0","id":1,"method":"custom"}`, []string{
			`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`,
		}},
		{newer, server, "", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":null}}`, []string{
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"loud","data":null}}`,
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		}},
		{newer, client, "", `{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":""}}`, []string{
			`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`, `{"jsonrpc":"2.0","error":{"code":1,"message":""}}`,
			`{"jsonrpc":"2.0","id":"a","error":{"code":1.5,"message":""}}`, `{"jsonrpc":"2.0","id":"a","error":{"code":1}}`,
		}},
		{newer, server, "tools/list", `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}`, []string{
			`{"jsonrpc":"2.0","id":1,"result":{"tools":null}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1}`,
			`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t"}]}}`, `{"jsonrpc":"2.0","id":1,"result":{"tools":[],"nextCursor":null}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","title":null,"inputSchema":{"type":"object"}}]}}`,
		}},
		{newer, server, "resources/read", `{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"u:1","blob":"QQ=="}]}}`, []string{
			`{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"u:1","blob":"QQ"}]}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"no uri","blob":"QQ=="}]}}`,
		}},
		{middle, server, "tools/call", `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"audio","data":"","mimeType":"a/b"}]}}`, []string{
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"resource_link","uri":"u:1","name":"n"}]}}`,
		}},
		{oldest, server, "tools/call", `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":""}]}}`, []string{
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"audio","data":"","mimeType":"a/b"}]}}`,
		}},
		{newer, client, "custom", `{"jsonrpc":"2.0","id":1,"result":{"a":null}}`, []string{
			`{"jsonrpc":"2.0","id":1,"result":{"_meta":null}}`, `{"jsonrpc":"2.0","id":1,"result":[]}`,
		}},
		{newer, client, "ping", `{"jsonrpc":"2.0","id":1,"result":{}}`, []string{`{"jsonrpc":"2.0","id":1,"result":{"_meta":1}}`}},
		{newest, client, "", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{}}}`, []string{
			`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":[]}}`, `{"jsonrpc":"2.0","id":1,"method":"elicitation/create"}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":1.5}}}`,
		}},
		{newest, server, "", `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://a.example/","elicitationId":"e"}}`, []string{
			`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"url","message":"m","url":"no url","elicitationId":"e"}}`,
			`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://a.example/"}}`,
			`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"form","message":"m"}}`,
		}},
		{newest, server, "", `{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e"}}`, []string{
			`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		}},
		{newest, server, "tools/list", `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"},"icons":[{"src":"https://a.example/i"}]}]}}`, []string{
			`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"},"icons":[{}]}]}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t"}]}}`, `{"jsonrpc":"2.0","id":1,"result":{"tools":5}}`, `{"jsonrpc":"2.0","result":{"tools":[]}}`,
		}},
		{newest, client, "sampling/createMessage", `{"jsonrpc":"2.0","id":1,"result":{"role":"assistant","model":"m","content":[{"type":"tool_use","id":"1","name":"t","input":{}}]}}`, []string{
			`{"jsonrpc":"2.0","id":1,"result":{"role":"assistant","model":"m","content":[{"type":"tool_use","id":"1","name":"t"}]}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"role":"assistant","model":"m","content":{"type":"resource_link","uri":"u:1","name":"n"}}}`,
		}},
		{newest, client, "elicitation/create", `{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"a":1.5,"b":["x"]}}}`, []string{
			`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"a":[1]}}}`,
		}},
		{newest, server, "", `{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}`, []string{
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`, `{"jsonrpc":"2.0","error":{"code":-32700}}`, `{"error":{"code":-32700,"message":"m"}}`,
		}},
		{newest, server, "", `{"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"m","data":{"elicitations":[{"mode":"url","message":"m","url":"https://a.example/","elicitationId":"e"}]}}}`, []string{
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"m"}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"m","data":{"elicitations":[{"mode":"form"}]}}}`,
		}},
		{newest, client, "", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"/etc/hosts"}}`, []string{`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":""}}`}},
		{newest, client, "tasks/get", `{"jsonrpc":"2.0","id":1,"result":{` + task + `}}`, []string{`{"jsonrpc":"2.0","id":1,"result":{"task":{` + task + `}}}`}},
	} {
		if _, err := all[c.rev].Check(c.from, parse(t, c.good), c.answers); err != nil {
			t.Errorf("%v refuses %s: %v", c.rev, c.good, err)
		}
		for _, bad := range c.bad {
			if names, err := all[c.rev].Check(c.from, parse(t, bad), c.answers); err == nil {
				t.Errorf("%v takes %s for %v", c.rev, bad, names)
			}
		}
	}
}

// The exceptions are needed, and let nothing else pass.
func TestExceptions(t *testing.T) {
	b := books(t)[protocol.Revision20250618]
	fraction := parse(t, `{"action":"accept","content":{"a":1.5}}`)
	if b.defs["ElicitResult"].Validate(fraction) == nil {
		t.Error("the official schema takes a fraction: the exception can go")
	}
	for text, want := range map[string]bool{
		`{"action":"accept","content":{"a":1.5,"b":"x"}}`: true, `{"action":"accept","content":{"a":null}}`: false,
		`{"action":"maybe","content":{"a":1.5}}`: false, `{"action":"accept","content":[]}`: false,
	} {
		_, err := b.Check(lifecycle.Client, parse(t, `{"jsonrpc":"2.0","id":1,"result":`+text+`}`), "elicitation/create")
		if (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Of the uris that a client requests, exactly the empty one fails.
func TestExceptionsOfURIs(t *testing.T) {
	b := books(t)[protocol.Revision20250618]
	for text, want := range map[string]bool{
		`{"uri":"/etc/hosts"}`: true, `{"uri":"1:x","_meta":{}}`: true, `{"uri":"note://hello world"}`: true, `{"uri":"a:b"}`: true,
		`{"uri":5}`: false, `{}`: false, `{"uri":"/etc/hosts","_meta":5}`: false,
	} {
		for _, method := range []string{"resources/read", "resources/subscribe", "resources/unsubscribe"} {
			_, err := b.Check(lifecycle.Client, parse(t, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+text+`}`), "")
			if (err == nil) != want {
				t.Errorf("%s %s: %v", method, text, err)
			}
		}
	}
}

// A Watcher knows what a result answers, and passes the id null only if the policy
// requires it.
func TestWatcher(t *testing.T) {
	tally := NewTally(books(t))
	send := func(text string) lifecycle.Output {
		return lifecycle.Output{Send: []lifecycle.Outgoing{{Message: jsonrpc.DecodeString(text), Final: true}}}
	}
	none := lifecycle.Output{Send: []lifecycle.Outgoing{{Message: jsonrpc.Message{Kind: jsonrpc.KindError, Err: &jsonrpc.Error{Code: 1}}}}}
	null := lifecycle.Output{Send: []lifecycle.Outgoing{{Message: jsonrpc.Message{Kind: jsonrpc.KindError, ID: jsonrpc.Null, Err: &jsonrpc.Error{Code: 1}}}}}
	list := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	batch := jsonrpc.DecodeString(`[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"tools/list"}]`)
	for _, c := range []struct {
		name   string
		policy bool
		in     jsonrpc.Message
		out    lifecycle.Output
		want   bool
	}{
		{"a result", false, list, send(`{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`), true},
		{"a result in a batch", false, batch, send(`{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`), true},
		{"of another method", false, list, send(`{"jsonrpc":"2.0","id":1,"result":{}}`), false},
		{"of another id", false, list, send(`{"jsonrpc":"2.0","id":"1","result":{"tools":[]}}`), false},
		{"for nothing", false, jsonrpc.Message{}, send(`{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`), false},
		{"initialize of an unknown revision", false, jsonrpc.Message{}, send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1"}}`), false},
		{"the id null", false, jsonrpc.Message{}, null, false},
		{"the id null, by policy", true, jsonrpc.Message{}, null, true},
		{"no id", false, jsonrpc.Message{}, none, false},
		{"no id, by policy, before the handshake", true, jsonrpc.Message{}, none, true},
	} {
		w := tally.Watch(lifecycle.Server)
		w.AnswersUnreadable = c.policy
		if err := w.Step(fresh{}, c.in, c.out); (err == nil) != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if tally.NullIDs != 2 {
		t.Errorf("%d ids of null or none, want 2", tally.NullIDs)
	}
	w := tally.Watch(lifecycle.Server)
	w.AnswersUnreadable = true
	if err := w.Step(speaking{protocol.Revision20250618}, jsonrpc.Message{}, none); err == nil {
		t.Error("no id is taken at 2025-06-18")
	}
}

// Definitions that did not occur are missing.
func TestMissing(t *testing.T) {
	tally := NewTally(books(t))
	before := strings.Join(tally.Missing(), "\n")
	w := tally.Watch(lifecycle.Server)
	if err := w.Step(fresh{}, jsonrpc.Message{}, lifecycle.Output{Send: []lifecycle.Outgoing{{
		Message: jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":""}}],"maxTokens":1}}`),
	}}}); err != nil {
		t.Fatal(err)
	}
	after := strings.Join(tally.Missing(), "\n")
	for _, name := range []string{"CreateMessageRequest of a server", "JSONRPCRequest of a server", "TextContent", "SamplingMessage", "Role", "RequestId"} {
		for _, r := range protocol.Revisions() {
			line := r.String() + ": " + name
			if !strings.Contains(before+"\n", line+"\n") || strings.Contains(after+"\n", line+"\n") {
				t.Errorf("%s is missing after it came up, or was not before", line)
			}
		}
	}
	for _, name := range []string{"JSONRPCRequest of a client", "ImageContent", "CallToolResult of a server", "ToolAnnotations"} {
		if !strings.Contains(after, name) {
			t.Errorf("%s is not missing", name)
		}
	}
}

// fresh is a View of a State before the handshake.
type fresh struct{}

func (fresh) Revision() protocol.Revision           { return protocol.Revision{} }
func (fresh) Inbound() iter.Seq[lifecycle.CallInfo] { return func(func(lifecycle.CallInfo) bool) {} }

// speaking is a View of a State with a revision.
type speaking struct{ revision protocol.Revision }

func (s speaking) Revision() protocol.Revision { return s.revision }
func (speaking) Inbound() iter.Seq[lifecycle.CallInfo] {
	return func(func(lifecycle.CallInfo) bool) {}
}
