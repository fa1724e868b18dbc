package rows_test

import (
	"fmt"
	"math/rand"
	"slices"
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

// world is a client and a server without a session, at random: each has a queue of messages from the
// other, and an application that answers at any time, with results, errors or questions.
type world struct {
	t              *testing.T
	rnd            *rand.Rand
	c, s           verbs.Side
	toServer, back []string
	wire           []string
	ends           map[uint64]int // of the requests of the client
	asked          int            // requests that the client made
}

func newWorld(t *testing.T, seed int64) *world {
	w := &world{t: t, rnd: rand.New(rand.NewSource(seed)), ends: map[uint64]int{}}
	w.s = verbs.NewServer(t, server.Config{
		Serve: []string{"tools/call", "resources/read", "prompts/get", "completion/complete"}, Revisions: protocol.AllRevisions(), Logging: true, Unlisted: true,
	})
	w.c = verbs.NewClient(t, client.Config{Revisions: protocol.AllRevisions(), Serve: []string{"elicitation/create", "sampling/createMessage"}})
	c, out, err := w.c.Client().Connect(w.c.Now, "")
	if err != nil {
		t.Fatal(err)
	}
	w.c = w.c.With(c)
	w.sent(out, &w.toServer)
	for w.c.Phase() != lifecycle.Ready {
		w.deliver(&w.toServer, &w.s, &w.back)
		w.deliver(&w.back, &w.c, &w.toServer)
	}
	return w
}

// sent checks an outgoing message against the rules of all messages, and queues it.
func (w *world) sent(out lifecycle.Output, queue *[]string) {
	for _, line := range verbs.Lines(out) {
		m := jsonrpc.DecodeString(line)
		_, result := rawjson.Get(line, "result")
		_, failure := rawjson.Get(line, "error")
		_, id := rawjson.Get(line, "id")
		switch m.Kind {
		case jsonrpc.KindResult, jsonrpc.KindError: // JRPC-009, JRPC-102
			if result == failure || !id {
				w.t.Errorf("sent: %s", line)
			}
			if m.Err != nil && m.Err.Code == jsonrpc.CodeParseError { // ERR-002
				w.t.Errorf("sent without a policy: %s", line)
			}
		case jsonrpc.KindNotification: // JRPC-021
			if id || result || failure {
				w.t.Errorf("sent: %s", line)
			}
		case jsonrpc.KindRequest:
			if !id || result || failure {
				w.t.Errorf("sent: %s", line)
			}
		default: // JRPC-030
			w.t.Errorf("sent, and no message: %s", line)
		}
		w.wire = append(w.wire, line)
		*queue = append(*queue, line)
	}
	for _, ev := range out.Events {
		if ev.Kind == lifecycle.ResponseReceived || ev.Kind == lifecycle.RequestFailed {
			w.ends[ev.Req.Seq()]++
		}
	}
}

// deliver delivers the oldest message of a queue, if any.
func (w *world) deliver(queue *[]string, to *verbs.Side, back *[]string) {
	if len(*queue) == 0 {
		return
	}
	line := (*queue)[0]
	*queue = (*queue)[1:]
	var out lifecycle.Output
	*to, out = to.Receive(line)
	w.sent(out, back)
}

var questions = []string{
	`"a":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`,
	`"b":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`,
}

// step does one thing at random.
func (w *world) step() {
	calls := slices.Collect(w.s.Inbound())
	reqs := slices.Collect(w.c.Outbound())
	open := slices.Collect(w.c.Inbound())
	var out lifecycle.Output
	var err error
	switch w.rnd.Intn(12) {
	case 0, 1, 2:
		w.deliver(&w.toServer, &w.s, &w.back)
	case 3, 4, 5:
		w.deliver(&w.back, &w.c, &w.toServer)
	case 6:
		ps := []protocol.Params{
			protocol.CallToolParams{Name: "t"}, protocol.ReadResourceParams{URI: "a:b"}, protocol.GetPromptParams{Name: "p"},
			protocol.CompleteParams{Ref: protocol.PromptReference("p"), Argument: protocol.CompleteArgument{Name: "a"}}, protocol.DiscoverParams{},
		}
		if w.c, out, err = w.c.Request(ps[w.rnd.Intn(len(ps))], lifecycle.RequestOptions{Progress: w.rnd.Intn(2) == 0}); err == nil {
			w.asked++
		}
		w.sent(out, &w.toServer)
	case 7:
		if len(reqs) > 0 {
			w.c, out, _ = w.c.Cancel(reqs[w.rnd.Intn(len(reqs))].Req, "r")
			w.sent(out, &w.toServer)
		}
	case 8:
		if len(calls) > 0 {
			w.s, out, _ = w.s.Progress(calls[w.rnd.Intn(len(calls))].Call, protocol.ProgressParams{Progress: w.rnd.Float64()})
			w.sent(out, &w.back)
		}
	case 9, 10:
		if len(calls) > 0 {
			w.answer(calls[w.rnd.Intn(len(calls))])
		}
	case 11:
		if len(open) > 0 {
			q := open[w.rnd.Intn(len(open))]
			if w.rnd.Intn(5) == 0 {
				w.c, out, _ = w.c.Fail(q.Call, jsonrpc.Error{Code: -1, Message: "no"})
			} else if q.Method == "elicitation/create" {
				w.c, out, _ = w.c.Respond(q.Call, &protocol.ElicitResult{Action: protocol.ActionDecline})
			} else {
				w.c, out, _ = w.c.Respond(q.Call, jsonrpc.Raw(`{"role":"assistant","content":{"type":"text","text":"t"},"model":"m"}`))
			}
			w.sent(out, &w.toServer)
		}
	}
}

// answer answers a call with a result of its method, with an error, or with questions.
func (w *world) answer(c lifecycle.CallInfo) {
	result := map[string]string{"tools/call": `{"content":[]}`, "resources/read": `{"contents":[]}`, "prompts/get": `{"messages":[]}`, "completion/complete": `{"completion":{"values":[]}}`}[c.Method]
	var out lifecycle.Output
	switch w.rnd.Intn(4) {
	case 0:
		w.s, out, _ = w.s.Fail(c.Call, jsonrpc.Error{Code: 1234, Message: "m"})
	case 1:
		if c.Method != "completion/complete" {
			result = `{"resultType":"input_required","inputRequests":{` + strings.Join(questions[:1+w.rnd.Intn(2)], ",") + `}}`
		}
		fallthrough
	default:
		w.s, out, _ = w.s.Respond(c.Call, jsonrpc.Raw(result))
	}
	w.sent(out, &w.back)
}

// settle delivers queued messages and answers open calls, until none is left.
func (w *world) settle() {
	for len(w.toServer)+len(w.back) > 0 {
		w.deliver(&w.toServer, &w.s, &w.back)
		w.deliver(&w.back, &w.c, &w.toServer)
	}
}

// tokens are those of the open requests of either end with one; at the client of those
// under way.
func tokens(t *testing.T, w *world) (ours, theirs []string) {
	asking := map[string]bool{}
	for c := range w.c.Inbound() {
		id, _ := c.ID.Str()
		of, _, _ := strings.Cut(id, " ")
		asking[of] = true
	}
	for r := range w.c.Outbound() {
		if !r.ProgressToken.IsZero() && !asking[fmt.Sprint(r.Req.Seq())] {
			ours = append(ours, r.ProgressToken.String())
		}
	}
	for c := range w.s.Inbound() {
		if !c.ProgressToken.IsZero() {
			theirs = append(theirs, c.ProgressToken.String())
		}
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	return ours, theirs
}

// Whatever a client, a server and their applications do, over a pair of queues: each sent text is a
// message, each request ends once, cancelled or not, both know the same tokens once all messages have arrived, and
// a world behaves the same alone and next to another one.
//
// rows: JRPC-009 JRPC-021 JRPC-030 JRPC-102 ERR-002 CANC-014 CANC-207 PROG-019 TRANS-003 SEC-011
// revisions: 2026-07-28
func TestRandomWithoutASession(t *testing.T) {
	for seed := range int64(150) {
		alone := newWorld(t, seed)
		for range 150 {
			alone.step()
		}
		one, other := newWorld(t, seed), newWorld(t, seed+1000)
		for range 150 {
			one.step()
			other.step()
		}
		if !slices.Equal(alone.wire, one.wire) {
			t.Errorf("seed %d: another session makes a difference", seed)
		}
		one.settle()
		if ours, theirs := tokens(t, one); !slices.Equal(ours, theirs) {
			t.Errorf("seed %d: the client waits for progress of %v, the server knows %v", seed, ours, theirs)
		}
		open := one.c.Status().Outbound
		for seq, n := range one.ends {
			if n != 1 {
				t.Errorf("seed %d: request %d ended %d times", seed, seq, n)
			}
		}
		if len(one.ends)+open != one.asked+1 { // server/discover
			t.Errorf("seed %d: of %d requests %d ended and %d are open", seed, one.asked, len(one.ends), open)
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, strings.Join(one.wire, "\n"))
		}
	}
}

// hostile are messages of both eras whose parts are exchanged.
var hostile = []string{
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"a":[1]},"inputResponses":{"a":{"action":"accept","content":{"x":1}}},"requestState":"s","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"url":{}}},"io.modelcontextprotocol/logLevel":"debug","progressToken":"p"}}}`,
	`{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:b"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
	`{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"tasks":{}},"clientInfo":{"name":"c","version":"1","icons":[{"src":"a:b","sizes":["1x1"]}]}}}`,
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`,
	`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}}}`,
	`{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","requestState":"s","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"x":{"type":"string","oneOf":[{"const":"a","title":"A"}],"default":"a"}}}}},"b":{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"tool_result","toolUseId":"a","content":[]}}],"maxTokens":1,"tools":[{"name":"t","inputSchema":{"type":"object"}}],"toolChoice":{"mode":"required"}}},"c":{"method":"roots/list"}}}}`,
	`{"jsonrpc":"2.0","id":2,"error":{"code":-32022,"message":"m","data":{"supported":["2026-07-28"],"requested":"x"}}}`,
	`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{},"_meta":{"io.modelcontextprotocol/subscriptionId":2}}}`,
	`{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t","status":"working"}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}}`, `[]`, `null`, `{`,
}

// spoil puts a piece of one message into another, repeats a part, or omits one.
func spoil(rnd *rand.Rand) string {
	text, other := hostile[rnd.Intn(len(hostile))], hostile[rnd.Intn(len(hostile))]
	for range rnd.Intn(4) {
		i, j := rnd.Intn(len(text)+1), rnd.Intn(len(text)+1)
		if i > j {
			i, j = j, i
		}
		a, b := rnd.Intn(len(other)+1), rnd.Intn(len(other)+1)
		if a > b {
			a, b = b, a
		}
		switch rnd.Intn(4) {
		case 0:
			text = text[:i] + other[a:b] + text[j:]
		case 1:
			text = text[:j] + text[i:]
		case 2:
			text = text[:i] + text[j:]
		case 3: // a value for a value, so that it stays JSON
			if from := strings.IndexByte(text[i:], ':'); from >= 0 {
				from += i + 1
				if end := rawjson.Skip(text, rawjson.Space(text, from), 100); end > from {
					text = text[:from] + []string{"null", "5", `"x"`, "{}", "[]", "true", `{"a":{}}`}[rnd.Intn(7)] + text[end:]
				}
			}
		}
		if len(text) > 10_000 {
			return text[:10_000]
		}
	}
	return text
}

// No message of a peer of either era makes a machine panic, violate an invariant or grow without
// limit, in any phase.
//
// rows: SEC-012 SEC-101 SEC-201
// revisions: 2026-07-28
func TestHostileWithoutASession(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	for range 300 {
		s := verbs.NewServer(t, server.Config{Serve: []string{"tools/call", "resources/read", "x/y"}, Unlisted: true, Revisions: protocol.AllRevisions(), Logging: true, Subscribe: true, Limits: lifecycle.Limits{Inbound: 10}})
		c := verbs.NewClient(t, client.Config{Revisions: protocol.AllRevisions(), Serve: []string{"elicitation/create", "sampling/createMessage"}, Limits: lifecycle.Limits{Inbound: 10, Outbound: 10}})
		state, _, err := c.Client().Connect(c.Now, "")
		if err != nil {
			t.Fatal(err)
		}
		c = c.With(state)
		for range 60 {
			s, _ = s.Receive(spoil(rnd))
			c, _ = c.Receive(spoil(rnd))
			switch rnd.Intn(8) {
			case 0:
				c, _, _ = c.Request(protocol.CallToolParams{Name: "t"}, lifecycle.RequestOptions{Progress: true})
			case 1:
				for q := range c.Inbound() {
					c, _, _ = c.Respond(q.Call, jsonrpc.Raw(`{"action":"decline"}`))
					break
				}
			case 2:
				s, _ = s.Tick(time.Minute)
				c, _ = c.Tick(time.Minute)
			}
			for _, x := range []verbs.Side{s, c} {
				if n := len(x.Snapshot()); n > 400_000 || x.Status().Inbound > 10 || x.Status().Outbound > 10 {
					t.Fatalf("the %v keeps %d bytes, %+v", x.Role, n, x.Status())
				}
			}
		}
	}
}
