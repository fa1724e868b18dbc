package peerbugs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/cases"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// frame is an invalid input, with its row of the table in
// docs/methods.md.
type frame struct {
	text   string
	id     string // it is answered -32600 under this id
	policy int64  // the code of the answer with Policy.AnswerUnreadable, 0 for none
	rules  string // the rows that may be named
}

var frames = []frame{
	// Not one JSON text.
	{`{bad`, "", -32700, "JRPC-042"},
	{`{"jsonrpc":"2.0","id":1,"method":"ping",}`, "1", 0, "JRPC-042"},
	{`{"jsonrpc":"2.0","id":1,"method":"ping"`, "1", 0, "JRPC-042"},
	{`{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, "1", 0, "JRPC-042"},
	{`{'jsonrpc':'2.0','id':1,'method':'ping'}`, "", -32700, "JRPC-042"},
	{`{"jsonrpc":"2.0","id":01,"method":"ping"}`, "", -32700, "JRPC-042"},
	{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}`, "1", 0, "JRPC-042"},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"\xff\"}}", "1", 0, "JRPC-042"},
	{"\ufeff\ufeff" + ping[1:], "", -32700, "JRPC-042"},
	{`{"jsonrpc":"2.0","method":"ping","params":{"a":NaN},"id":1}`, "", -32700, "JRPC-042"},
	{"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", "", -32700, "JRPC-042"},
	{`{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"} {}`, "", -32700, "JRPC-042"},
	{"{\"jsonrpc\":\"2.0\",\"id\":555,\"result\":{\"a\":\"\xff\"}}", "", 0, "JRPC-042 JRPC-044"},
	{`{"jsonrpc":"2.0","result":{"a":NaN},"id":555}`, "", 0, "JRPC-042 JRPC-044"},
	{"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{\"a\":\"\xff\"}}", "", 0, "JRPC-042 JRPC-044"},
	// Over the limit.
	{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}}`, "1", 0, "JRPC-046"},
	{`{"jsonrpc":"2.0","method":"ping","params":{"a":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `},"id":null}`, "", -32600, "JRPC-046"},
	// Not an object.
	{`null`, "", -32600, "JRPC-043"},
	{`"hi"`, "", -32600, "JRPC-043"},
	{`42`, "", -32600, "JRPC-043"},
	{`true`, "", -32600, "JRPC-043"},
	{`[]`, "", -32600, "JRPC-029 JRPC-043"},
	{`[1]`, "", -32600, "JRPC-029 JRPC-043"},
	{`[` + ping + `,{}]`, "", -32600, "JRPC-029"},
	// None of method, id, result, error.
	{`{}`, "", -32600, "JRPC-043"},
	{`{"jsonrpc":"2.0"}`, "", -32600, "JRPC-043"},
	{`{"jsonrpc":"2.0","params":{},"Method":"ping"}`, "", -32600, "JRPC-043 JRPC-025"},
	// A response.
	{`{"jsonrpc":"2.0","id":555}`, "", 0, "JRPC-012"},
	{`{"id":555,"result":{}}`, "", 0, "JRPC-002 JRPC-044"},
	{`{"jsonrpc":"2.0","id":555,"result":null}`, "", 0, "JRPC-014"},
	{`{"jsonrpc":"2.0","id":555,"result":"ok"}`, "", 0, "JRPC-014"},
	{`{"jsonrpc":"2.0","id":555,"error":"boom"}`, "", 0, "JRPC-015"},
	{`{"jsonrpc":"2.0","id":555,"error":{"code":1.5,"message":"m"}}`, "", 0, "JRPC-015 JRPC-016"},
	{`{"jsonrpc":"2.0","id":555,"result":{},"error":{"code":1,"message":"m"}}`, "", 0, "JRPC-011"},
	{`{"jsonrpc":"2.0","id":555,"result":{},"result":{}}`, "", 0, "JRPC-045"},
	{`{"jsonrpc":"2.0","id":null,"result":{}}`, "", 0, "JRPC-032"},
	{`{"jsonrpc":"2.0","result":{}}`, "", 0, "JRPC-032"},
	{`{"jsonrpc":"2.0","id":[],"result":{}}`, "", 0, "JRPC-032"},
	{`{"jsonrpc":"2.0","error":5}`, "", 0, "JRPC-032 JRPC-015"},
	{`{"jsonrpc":"2.0","id":555,"Method":"ping"}`, "", 0, "JRPC-012 JRPC-025"},
	// A method together with result or error.
	{`{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, "1", 0, "JRPC-039"},
	{`{"jsonrpc":"2.0","id":"a","method":"ping","error":{"code":1,"message":"m"}}`, `"a"`, 0, "JRPC-039"},
	{`{"jsonrpc":"2.0","method":"ping","result":{}}`, "", 0, "JRPC-039"},
	{`{"jsonrpc":"2.0","id":null,"method":"ping","error":null}`, "", 0, "JRPC-039"},
	// A notification.
	{`{"method":"notifications/x"}`, "", 0, "JRPC-002 JRPC-020 JRPC-044"},
	{`{"jsonrpc":"1.0","method":"ping"}`, "", 0, "JRPC-002 JRPC-020 JRPC-044"},
	{`{"jsonrpc":"2.0","method":"notifications/x","params":5}`, "", 0, "JRPC-027 JRPC-020 JRPC-044"},
	{`{"jsonrpc":"2.0","method":"a","method":"b"}`, "", 0, "JRPC-045"},
	// A method that is not a string, without id.
	{`{"jsonrpc":"2.0","method":5}`, "", -32600, "JRPC-043 JRPC-024"},
	{`{"jsonrpc":"2.0","method":null}`, "", -32600, "JRPC-043 JRPC-024"},
	// A request with a usable id.
	{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, "1", 0, "JRPC-002"},
	{`{"jsonrpc":2.0,"id":1,"method":"ping"}`, "1", 0, "JRPC-002"},
	{`{"id":"","method":"ping"}`, `""`, 0, "JRPC-002"},
	{`{"jsonrpc":"2.0","id":1,"method":5}`, "1", 0, "JRPC-024"},
	{`{"jsonrpc":"2.0","id":1.0,"method":{}}`, "1.0", 0, "JRPC-024"},
	{`{"jsonrpc":"2.0","id":1,"method":"\ud800"}`, "1", 0, "JRPC-024 JRPC-047"},
	{`{"jsonrpc":"2.0","id":0,"method":"ping","params":"x"}`, "0", 0, "JRPC-027"},
	{`{"jsonrpc":"2.0","id":-1,"method":"ping","params":false}`, "-1", 0, "JRPC-027"},
	{`{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}`, "1", 0, "JRPC-045"},
	{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{},"params":{}}`, "1", 0, "JRPC-045"},
	// A request whose id is not usable.
	{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, "", -32600, "JRPC-004"},
	{`{"jsonrpc":"2.0","id":true,"method":"ping"}`, "", -32600, "JRPC-037"},
	{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "", -32600, "JRPC-037"},
	{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, "", -32600, "JRPC-037"},
	{`{"jsonrpc":"2.0","id":[1],"method":"ping"}`, "", -32600, "JRPC-037"},
	{`{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`, "", -32600, "JRPC-037 JRPC-047"},
	{`{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}`, "", -32600, "JRPC-045"},
	{`{"jsonrpc":"2.0","id":1,"id":2,"method":5}`, "", -32600, "JRPC-045"},
}

// bears are the rows of the frame: those that it violates, and that of its
// answer.
func (f frame) bears() string {
	m := jsonrpc.DecodeString(f.text)
	switch {
	case f.policy != 0 && spoken == protocol.Revision20251125:
		return f.rules + " JRPC-101"
	case f.policy == -32700:
		return f.rules + " ERR-002"
	case f.id != "":
		return f.rules + " JRPC-019"
	case m.Shape == jsonrpc.KindResult && m.Method == "":
		return f.rules + " JRPC-044 ERR-011"
	}
	return f.rules
}

// nullID is the id of an error for unreadable input: null before 2025-11-25,
// and absent from then on.
func nullID() string {
	if spoken == protocol.Revision20251125 {
		return ""
	}
	return `"id":null,`
}

// want is the expected answer to the frame.
func (f frame) want(policy bool) string {
	null := nullID()
	switch {
	case f.id != "":
		return `{"jsonrpc":"2.0","id":` + f.id + `,"error":{"code":-32600,"message":"invalid request"}}`
	case policy && f.policy == -32700:
		return `{"jsonrpc":"2.0",` + null + `"error":{"code":-32700,"message":"parse error"}}`
	case policy && f.policy == -32600:
		return `{"jsonrpc":"2.0",` + null + `"error":{"code":-32600,"message":"invalid request"}}`
	}
	return ""
}

// Case 39: a malformed frame ends nothing, and is answered only with a usable id. In
// error and disconnected nothing happens.
//
// rows: JRPC-002 JRPC-004 JRPC-011 JRPC-012 JRPC-014 JRPC-015 JRPC-016 JRPC-019 JRPC-020 JRPC-024 JRPC-025 JRPC-027 JRPC-029 JRPC-032
// rows: JRPC-037 JRPC-039 JRPC-042 JRPC-043 JRPC-044 JRPC-045 JRPC-046 JRPC-047 JRPC-101 ERR-002 ERR-011
// revisions: 2024-11-05 2025-06-18..
func Test39MalformedFrames(t *testing.T) {
	var found cases.Findings
	inAll(func() {
		if spoken == protocol.Revision20250326 {
			return // there an array is a message
		}
		for _, role := range roles {
			for _, phase := range append(slices.Clone(live), lifecycle.Disconnected, lifecycle.Failed) {
				for _, policy := range []bool{false, true} {
					start := at(full(t, role, lifecycle.Policy{AnswerUnreadable: policy}), phase)
					for _, f := range frames {
						if err := f.check(start, policy); err != nil {
							found.Add(f.bears(), "%v, %v, %v, answer=%v: %s: %v", spoken, role, phase, policy, f.text, err)
						}
					}
				}
			}
		}
	})
	found.Report(t)
}

// check feeds the frame to a side and reports differences.
func (f frame) check(start verbs.Side, policy bool) error {
	x, out := start.Receive(f.text)
	if !start.Phase().Live() {
		if !out.IsZero() {
			return fmt.Errorf("sent %q, events %s", verbs.Lines(out), reports(out))
		}
		return nil
	}
	_, next := x.Receive(ping)
	switch got := strings.Join(verbs.Lines(out), "\n"); {
	case out.Close != nil:
		return fmt.Errorf("it ends the session: %w", out.Close)
	case got != f.want(policy):
		return fmt.Errorf("sent %q, want %q", got, f.want(policy))
	case out.Opened.IsZero() != (f.id == ""):
		return fmt.Errorf("opened %v", out.Opened)
	case len(out.Events) != 1 || out.Events[0].Kind != lifecycle.Violation || !slices.Contains(strings.Fields(f.rules), out.Events[0].Rule):
		return fmt.Errorf("events %s, want a violation of %s", reports(out), f.rules)
	case x.Status() != start.Status():
		return fmt.Errorf("%+v became %+v", start.Status(), x.Status())
	case !slices.Equal(verbs.Lines(next), []string{pong}) || len(next.Events) > 0:
		return fmt.Errorf("a ping after it: sent %q, events %s", verbs.Lines(next), reports(next))
	}
	return nil
}

// Case 39 as a stream: with any input between two pings, both are answered, however the
// bytes are cut.
func Test39MalformedStream(t *testing.T) { stream(t, frames) }

// A line is one message: extra content is reported once, as a whole.
//
// rows: STDIO-002
func TestALineIsOneMessage(t *testing.T) {
	stream(t, []frame{{text: ping + ping, id: `"probe"`}, {text: "[" + ping + "," + ping + "]"}, {text: "[]"}, {text: ping + " 1", id: `"probe"`}})
}

// An oversize line is reported once and affects no other.
//
// rows: JRPC-046
func TestAnOversizeLineIsOneMessage(t *testing.T) {
	stream(t, []frame{
		{text: strings.Repeat(" ", 3000) + ping},
		{text: strings.Repeat("[", 3000)},
		{text: ping + strings.Repeat(" ", 3000), id: `"probe"`},
		{text: `{"id":555,"result":{"a":"` + strings.Repeat("x", 3000) + `"}}`},
		{text: `{"result":{"a":"` + strings.Repeat("x", 3000) + `"},"id":555}`},
	})
}

func stream(t *testing.T, frames []frame) {
	t.Helper()
	var stream, want []byte
	reported := 0
	for _, f := range frames {
		stream = fmt.Appendf(stream, "%s\n\r\n%s\r\n", f.text, ping)
		reported++
		if w := f.want(false); w != "" {
			want = fmt.Appendf(want, "%s\n", w)
		}
		want = fmt.Appendf(want, "%s\n", pong)
	}
	for _, role := range roles {
		for _, size := range []int{1, 2, 7, 64, 4096, len(stream)} {
			x, framer := at(full(t, role, lifecycle.Policy{}), lifecycle.Ready), jsonrpc.Framer{Decoder: jsonrpc.Decoder{MaxBytes: 2000}}
			var got []byte
			violations := 0
			for chunk := range slices.Chunk(stream, size) {
				framer.Push(chunk)
				for m, ok := framer.Next(); ok; m, ok = framer.Next() {
					var out lifecycle.Output
					x, out = receive(x, m)
					for _, o := range out.Send {
						got = jsonrpc.AppendLine(got, o.Message)
					}
					violations += len(verbs.Events(out, lifecycle.Violation))
				}
			}
			if string(got) != string(want) || violations != reported {
				t.Errorf("%v, %d bytes at a time: %d violations, want %d; sent\n%s\nwant\n%s", role, size, violations, reported, got, want)
			}
		}
	}
}

// receive handles a decoded message.
func receive(x verbs.Side, m jsonrpc.Message) (verbs.Side, lifecycle.Output) {
	next, out := x.Machine.Receive(x.Now, m)
	return x.With(next), out
}
