package client_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

const (
	askRoots = `"inputRequests":{"r":{"method":"roots/list"}}`
	askName  = `"inputRequests":{"n":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}}`
)

// asker is a client of a server without sessions that a test plays.
type asker struct {
	t   *testing.T
	c   client.State
	cfg client.Config
	req client.Req
}

// newAsker has a call on its way, which has the wire id 1.
func newAsker(t *testing.T, limits ...lifecycle.Limits) *asker {
	t.Helper()
	a := &asker{t: t, cfg: client.Config{
		Limits: append(limits, lifecycle.Limits{})[0],
		Info:   protocol.Implementation{Name: "c", Version: "1"}, Revisions: protocol.AllRevisions(), Serve: []string{protocol.MethodElicitationCreate},
		Roots: []protocol.Root{{URI: "file:///a"}}, Timeouts: lifecycle.Timeouts{Request: time.Minute, Maximum: time.Hour},
	}}
	var err error
	if a.c, err = client.New(a.cfg, began); err != nil {
		t.Fatal(err)
	}
	if a.c, _, err = a.c.Connect(began, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`); err != nil {
		t.Fatal(err)
	}
	var o client.Output
	if a.c, o, err = a.c.Request(began, protocol.CallToolParams{Name: "t", Arguments: `{"n":12345678901234567890}`}, client.RequestOptions{Progress: true}); err != nil {
		t.Fatal(err)
	}
	a.req = o.Req
	return a
}

// result feeds a result with the given members, and holds the State to Check and to its Snapshot.
func (a *asker) result(id int, members string) client.Output {
	a.t.Helper()
	return a.feed(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{%s}}`, id, members))
}

func (a *asker) feed(line string) client.Output {
	a.t.Helper()
	var o client.Output
	a.c, o = a.c.Receive(began, jsonrpc.DecodeString(line))
	return a.sound(o)
}

func (a *asker) sound(o client.Output) client.Output {
	a.t.Helper()
	if err := a.c.Check(); err != nil {
		a.t.Fatal(err)
	}
	back, err := client.Restore(a.cfg, a.c.Snapshot(), began)
	if err != nil || string(back.Snapshot()) != string(a.c.Snapshot()) {
		a.t.Fatalf("%v\n%s", err, a.c.Snapshot())
	}
	return o
}

func sent(o client.Output) (list []string) {
	for _, out := range o.Send {
		list = append(list, string(jsonrpc.Append(nil, out.Message)))
	}
	return list
}

// kinds are the kinds of the events of a step.
func kinds(o client.Output) string {
	var list []string
	for _, ev := range o.Events {
		list = append(list, ev.Kind.String())
	}
	return strings.Join(list, " ")
}

// What a result says of itself decides what becomes of the request: it is complete, asks, or is none.
//
// rows: RSLT-005 RSLT-006 RSLT-009 MRTR-004 MRTR-021 MRTR-022 MRTR-023 MRTR-024 MRTR-025 MRTR-027 MRTR-028 MRTR-029 MRTR-030 META-204
// revisions: 2026-07-28
func TestResultTypes(t *testing.T) {
	const content, ask = `"content":[]`, `"resultType":"input_required",`
	for members, want := range map[string]string{
		content: "response", `"resultType":"complete",` + content: "response", `"_meta":{"io.modelcontextprotocol/serverInfo":5},` + content: "response",
		`"resultType":"partial",` + content: "fails", `"resultType":5,` + content: "fails", `"resultType":"task",` + content: "fails",
		`"resultType":"input_required"`: "fails", ask + `"inputRequests":{}`: "fails", ask + `"inputRequests":{},"requestState":""`: "fails", ask + `"inputRequests":5`: "fails",
		ask + `"inputRequests":{"a":{"method":"ping"}}`: "fails", ask + `"inputRequests":{"a":{"method":"elicitation/create","params":{}}}`: "fails",
		ask + `"inputRequests":{"a":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}}`:                       "fails", // not declared
		ask + `"inputRequests":{"a":{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://a.example/"}}}`: "fails", // nor is that
		ask + askName: "asks", ask + `"content":null,` + askName: "asks",
		ask + askRoots:                `"inputResponses":{"r":{"roots":[{"uri":"file:///a"}]}}`,
		ask + `"requestState":"a\nb"`: `"requestState":"a\nb"`,
	} {
		a := newAsker(t)
		o := a.result(1, members)
		got := strings.Join(sent(o), " ")
		switch {
		case got != "":
			if !strings.Contains(got, `"id":2,"method":"tools/call"`) || !strings.Contains(got, `"progressToken":2`) || !strings.Contains(got, `"arguments":{"n":12345678901234567890},`) || strings.Contains(got, "inputResponses") && strings.Contains(got, "requestState") || kinds(o) != "" {
				t.Errorf("%s: the request is made again as %s, %s", members, got, kinds(o))
			}
		case strings.Contains(kinds(o), lifecycle.RequestFailed.String()):
			got = "fails"
		case strings.Contains(kinds(o), lifecycle.ResponseReceived.String()):
			got = "response"
		case kinds(o) == lifecycle.RequestReceived.String() && o.Events[0].Req == a.req:
			got = "asks"
		}
		if !strings.Contains(strings.ReplaceAll(got, ` `, ``), strings.ReplaceAll(want, ` `, ``)) && !strings.Contains(got, want) {
			t.Errorf("%s: %s (%s), want %s", members, got, kinds(o), want)
		}
	}
}

// Rounds end: after ten of them, by a question that is refused, by a cancellation and by time. In each
// the request ends once, and nothing is sent that nobody waits for.
//
// rows: MRTR-025 MRTR-031 MRTR-032 MRTR-033 MRTR-034 MRTR-036 MRTR-042 PROG-204 CANC-201 CANC-204 TIME-201 JRPC-203
// revisions: 2026-07-28
func TestRoundsEnd(t *testing.T) {
	const ask = `"resultType":"input_required",`
	for _, how := range []string{`"requestState":"s"`, askRoots} {
		a, rounds := newAsker(t), 1
		for o := a.result(1, ask+how); len(o.Send) > 0; rounds++ {
			o = a.result(rounds+1, ask+how)
		}
		if rounds != 11 || a.c.Status().Outbound != 0 {
			t.Errorf("%s: %d rounds, %+v", how, rounds, a.c.Status())
		}
	}
	asking := func() (*asker, client.Event) {
		a := newAsker(t)
		return a, a.result(1, ask+askName).Events[0]
	}
	failed := func(name string, a *asker, o client.Output, messages int) {
		t.Helper()
		n := strings.Count(" "+kinds(o)+" ", " "+lifecycle.RequestFailed.String()+" ")
		if s := a.c.Status(); n != 1 || len(o.Send) != messages || s.Outbound != 0 || s.Inbound != 0 {
			t.Errorf("%s: %s %s %+v", name, kinds(o), sent(o), s)
		}
	}
	a, q := asking()
	var o client.Output
	var err error
	if a.c, o, err = a.c.Fail(began, q.Call, jsonrpc.Error{Code: -1, Message: "no"}); err != nil {
		t.Fatal(err)
	}
	failed("refused", a, a.sound(o), 0)
	if o := a.result(1, `"content":[]`); strings.Contains(kinds(o), lifecycle.ResponseReceived.String()) || len(o.Send) > 0 {
		t.Errorf("late: %s", kinds(o))
	}

	a, _ = asking()
	if a.c, o, err = a.c.Cancel(began, a.req, "enough"); err != nil {
		t.Fatal(err)
	}
	failed("cancelled while asking", a, a.sound(o), 0)

	a, q = asking()
	if a.c, o = a.c.Tick(began.Add(9 * time.Minute)); len(o.Events) > 0 { // people have time
		t.Errorf("after 9 minutes: %s", kinds(o))
	}
	if a.c, o, err = a.c.Respond(began.Add(9*time.Minute), q.Call, protocol.ElicitResult{Action: "decline"}); err != nil || len(o.Send) != 1 || !strings.Contains(sent(o)[0], `"inputResponses":{"n":{"action":"decline"}}`) {
		t.Errorf("%v %s", err, sent(o))
	}
	a.c, o = a.c.Tick(began.Add(10 * time.Minute))
	failed("a minute after the answers", a, o, 1)

	a, _ = asking()
	a.c, o = a.c.Tick(began.Add(10 * time.Minute))
	failed("what people have while asking", a, o, 0)

	a, q = asking()
	if a.c, o, err = a.c.Respond(began, q.Call, protocol.ElicitResult{Action: "accept", Content: map[string]protocol.Raw{"name": `"Ann"`}}); err != nil || len(o.Send) != 1 {
		t.Fatalf("%v %s", err, sent(o))
	}
	a.sound(o)
	if o := a.result(1, `"content":[]`); strings.Contains(kinds(o), lifecycle.ResponseReceived.String()) || a.c.Status().Outbound != 1 {
		t.Errorf("an answer to the round before: %s", kinds(o))
	}
	if a.c, o, err = a.c.Cancel(began, a.req, ""); err != nil || len(o.Send) != 1 || !strings.Contains(sent(o)[0], `"requestId":2`) {
		t.Errorf("cancelled in the second round: %v %s", err, sent(o))
	}
	failed("cancelled in the second round", a, o, 1)
}

// A probe that is not answered as a server without sessions answers it opens a session, and one that
// is does not.
//
// rows: DISC-009 DISC-010 DISC-011 ERA-010 ERA-011 ERA-012 ERA-013 ERA-014 ERA-015 ERA-016 ERA-025 VERS-204 VERS-205 TIME-202 JRPC-204 LIFE-202
// revisions: 2026-07-28
func TestProbe(t *testing.T) {
	const caps = `,"capabilities":{}`
	for answer, want := range map[string]string{
		`"result":{"supportedVersions":["2026-07-28"]` + caps + `}`: "ready", `"result":{"supportedVersions":["2099-01-01","2026-07-28","2025-11-25"]` + caps + `}`: "ready",
		`"result":{"supportedVersions":["2025-11-25"]` + caps + `}`: "initialize", `"result":{"supportedVersions":["2099-01-01","2024-11-05"]` + caps + `}`: "initialize", `"result":{"supportedVersions":["2099-01-01"]` + caps + `}`: "error", `"result":{"supportedVersions":[]` + caps + `}`: "error",
		`"result":{}`: "initialize", `"result":{"supportedVersions":5}`: "initialize", `"result":5`: "initialize",
		`"error":{"code":-32601,"message":"m"}`: "initialize", `"error":{"code":-32602,"message":"m"}`: "initialize", `"error":{"code":-32600,"message":"m"}`: "initialize",
		`"error":{"code":-32603,"message":"m"}`: "initialize", `"error":{"code":-32000,"message":"m"}`: "initialize", `"error":{"code":0,"message":"m"}`: "initialize", `"error":{"code":1,"message":"m"}`: "initialize",
		`"error":{"code":-32020,"message":"m"}`: "error", `"error":{"code":-32021,"message":"m","data":{"requiredCapabilities":{}}}`: "error",
		`"error":{"code":-32022,"message":"m","data":{"supported":["2026-07-28"],"requested":"2026-07-28"}}`: "error", `"error":{"code":-32022,"message":"m"}`: "error",
		`"error":{"code":-32022,"message":"m","data":{"supported":["2025-06-18"],"requested":"2026-07-28"}}`: "initialize", `"error":{"code":-32022,"message":"m","data":{"supported":["2099-01-01"]}}`: "error",
		`silence`: "initialize", `lost`: "disconnected",
	} {
		c, err := client.New(client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}, Revisions: protocol.AllRevisions()}, began)
		if err != nil {
			t.Fatal(err)
		}
		c, o, err := c.Connect(began, "")
		if err != nil || len(o.Send) != 1 || o.Send[0].Message.Method != protocol.MethodDiscover {
			t.Fatalf("%v %s", err, sent(o))
		}
		if at, ok := c.NextDeadline(); !ok || at != began.Add(5*time.Second) {
			t.Errorf("the probe ends at %v", at)
		}
		if _, o, err := c.Request(began, protocol.ListToolsParams{}, client.RequestOptions{}); err == nil || len(o.Send) > 0 {
			t.Errorf("a request while probing: %v", err)
		}
		for _, line := range []string{`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, `{"jsonrpc":"2.0","id":9,"result":{}}`, `{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}`} {
			if c, o = c.Receive(began, jsonrpc.DecodeString(line)); len(o.Send) > 0 || c.Phase() != lifecycle.Initializing {
				t.Errorf("%s while probing: %s %v", line, sent(o), c.Phase())
			}
		}
		switch answer {
		case "silence":
			c, o = c.Tick(began.Add(5 * time.Second))
		case "lost":
			c, o = c.Disconnected(began, nil)
		default:
			c, o = c.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,`+answer+`}`))
		}
		got := c.Phase().String()
		if len(o.Send) == 1 && o.Send[0].Message.Method == protocol.MethodInitialize {
			got = "initialize"
			if text := sent(o)[0]; !strings.HasPrefix(text, `{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25"`) || strings.Contains(text, "_meta") {
				t.Errorf("%s: %s", answer, text)
			}
			if late, o := c.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{}}`)); len(o.Send) > 0 || late.Phase() != lifecycle.Initializing {
				t.Errorf("%s: late %v", answer, late.Phase())
			}
		} else if len(o.Send) > 0 {
			t.Errorf("%s: %s", answer, sent(o))
		}
		if got != want || c.Check() != nil {
			t.Errorf("%s: %s, want %s; %v", answer, got, want, c.Check())
		}
		if got != "ready" {
			continue
		}
		for _, line := range []string{`"method":"ping"`, `"method":"roots/list"`, `"method":"x/y"`} {
			if next, o := c.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":5,`+line+`}`)); len(o.Send) > 0 || next.Status().Inbound > 0 || strings.Contains(kinds(o), lifecycle.RequestReceived.String()) {
				t.Errorf("%s is answered %s", line, sent(o))
			}
		}
	}
}
