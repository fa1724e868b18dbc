package peerbugs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/internal/side"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// frame is input that is no valid message, and what its row of the table in
// docs/methods.md says.
type frame struct {
	text   string
	id     string // it is answered -32600 under this id
	policy int64  // the code of the answer under Policy.AnswerUnreadable, 0 for none
	rules  string // the rows that may be named
}

var frames = []frame{
	// Not one JSON text.
	{`{bad`, "", -32700, "JRPC-042"},
	{`{"jsonrpc":"2.0","id":1,"method":"ping",}`, "", -32700, "JRPC-042"},
	{`{"jsonrpc":"2.0","id":1,"method":"ping"`, "", -32700, "JRPC-042"},
	{`{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, "", -32700, "JRPC-042"},
	{`{'jsonrpc':'2.0','id':1,'method':'ping'}`, "", -32700, "JRPC-042"},
	{`{"jsonrpc":"2.0","id":01,"method":"ping"}`, "", -32700, "JRPC-042"},
	{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}`, "", -32700, "JRPC-042"},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"\xff\"}}", "", -32700, "JRPC-042"},
	{"\ufeff" + ping, "", -32700, "JRPC-042"},
	// Over the limit.
	{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}}`, "", -32600, "JRPC-046"},
	// No object.
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
	{`{"jsonrpc":"2.0","params":{},"Method":"ping"}`, "", -32600, "JRPC-043"},
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
	// A method that is no string, without id.
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

// want is the line that goes out for the frame.
func (f frame) want(policy bool) string {
	switch {
	case f.id != "":
		return `{"jsonrpc":"2.0","id":` + f.id + `,"error":{"code":-32600,"message":"invalid request"}}`
	case policy && f.policy == -32700:
		return `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`
	case policy && f.policy == -32600:
		return `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}`
	}
	return ""
}

// Case 39: a malformed frame ends nothing, and only what has a usable id is answered. In
// error and disconnected nothing happens at all.
//
// rows: JRPC-002 JRPC-019 JRPC-037 JRPC-039 JRPC-042 JRPC-043 JRPC-044 JRPC-045 ERR-002 ERR-011
func Test39MalformedFrames(t *testing.T) {
	for _, role := range roles {
		for _, phase := range append(slices.Clone(live), lifecycle.Disconnected, lifecycle.Failed) {
			for _, policy := range []bool{false, true} {
				t.Run(fmt.Sprintf("%v/%v/answer=%v", role, phase, policy), func(t *testing.T) {
					start := at(full(t, role, lifecycle.Policy{AnswerUnreadable: policy}), phase)
					for _, f := range frames {
						x, out := start.Receive(f.text)
						if !phase.Live() {
							if !out.IsZero() {
								t.Errorf("%s: sent %q, events %s", f.text, side.Lines(out), reports(out))
							}
							continue
						}
						if got := strings.Join(side.Lines(out), "\n"); got != f.want(policy) || out.Close != nil {
							t.Errorf("%s: sent %q, close %v, want %q", f.text, got, out.Close, f.want(policy))
						}
						if out.Opened.IsZero() != (f.id == "") {
							t.Errorf("%s: opened %v", f.text, out.Opened)
						}
						if len(out.Events) != 1 || out.Events[0].Kind != lifecycle.Violation || !slices.Contains(strings.Fields(f.rules), out.Events[0].Rule) {
							t.Errorf("%s: events %s, want a violation of %s", f.text, reports(out), f.rules)
						}
						if x.Status() != start.Status() {
							t.Errorf("%s: %+v became %+v", f.text, start.Status(), x.Status())
						}
						alive(t, x)
					}
				})
			}
		}
	}
}

// Case 39 as a stream: whatever stands between two pings, both are answered, however the
// bytes are cut; an oversize line is reported once.
//
// rows: STDIO-002 JRPC-046
func Test39MalformedStream(t *testing.T) {
	var stream, want []byte
	reported := 0
	for _, f := range append(slices.Clone(frames), frame{text: strings.Repeat(" ", 3000) + ping}) {
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
					violations += len(side.Events(out, lifecycle.Violation))
				}
			}
			if string(got) != string(want) || violations != reported {
				t.Errorf("%v, %d bytes at a time: %d violations, want %d; sent\n%s\nwant\n%s", role, size, violations, reported, got, want)
			}
		}
	}
}

// receive takes a message in that is decoded already.
func receive(x side.Side, m jsonrpc.Message) (side.Side, lifecycle.Output) {
	next, out := x.Machine().Receive(x.Now, m)
	return x.With(next), out
}
