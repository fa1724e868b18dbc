package fuzz_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

var (
	epoch   = time.Unix(1_000_000, 0)
	who     = protocol.Implementation{Name: "fuzz", Version: "1"}
	errFuzz = errors.New("fuzz")
)

// What came with 2025-11-25: what a client declares, and elicitations by a page and with a
// form in which several values are selected.
const newerCaps = protocol.CapElicitationForm | protocol.CapElicitationURL | protocol.CapSamplingTools | protocol.CapSamplingContext

var (
	asksByPage     = protocol.ElicitParams{Mode: protocol.ElicitURL, Message: "m", URL: "https://a.example", ElicitationID: "e"}
	asksForSeveral = protocol.ElicitParams{Message: "m", RequestedSchema: protocol.ElicitSchema{Properties: []protocol.Property{
		{Name: "m", Schema: protocol.PrimitiveSchema{Type: protocol.TypeArray, Choices: []protocol.Choice{{Value: "b", Title: "B"}}}},
	}}}
)

func FuzzServer(f *testing.F) {
	addSeeds(f)
	catalog, err := server.NewCatalog(server.Items{
		Tools:     []protocol.Tool{{Name: "t", InputSchema: `{"type":"object"}`}},
		Resources: []protocol.Resource{{URI: "a:b", Name: "b"}},
		Prompts:   []protocol.Prompt{{Name: "p", Arguments: []protocol.PromptArgument{{Name: "x", Required: true}}}},
		PageSize:  1,
	})
	if err != nil {
		f.Fatal(err)
	}
	first, err := server.New(server.Config{
		Info: who, Catalog: catalog, Subscribe: true, Logging: true,
		Serve:    []string{"tools/call", "resources/read", "prompts/get", "completion/complete", "x/custom"},
		Timeouts: lifecycle.Timeouts{Inbound: time.Minute}, Limits: lifecycle.Limits{Inbound: 4, Outbound: 4, Subscriptions: 2},
	}, epoch)
	if err != nil {
		f.Fatal(err)
	}
	asks := []protocol.Params{
		protocol.CreateMessageParams{MaxTokens: 1, Messages: []protocol.SamplingMessage{}}, asksByPage, asksForSeveral,
		protocol.CreateMessageParams{MaxTokens: 1, Messages: []protocol.SamplingMessage{}, Tools: []protocol.Tool{{Name: "t"}}, IncludeContext: protocol.IncludeAllServers},
	}
	tells := []protocol.Params{protocol.LoggingMessageParams{Level: "error", Data: "1"}, protocol.ElicitationCompleteParams{ElicitationID: asksByPage.ElicitationID}}
	starts := starts(f, session.Server(first))
	f.Fuzz(func(t *testing.T, stream, program []byte) {
		walk(t, starts, stream, program, func(x *driven, op byte, call lifecycle.Call) {
			switch op % 14 {
			case 1:
				x.verb(x.Respond(x.now, call, protocol.TextResult("x")))
			case 3:
				x.verb(x.Progress(x.now, call, protocol.ProgressParams{Progress: float64(op)}))
			case 5:
				x.verb(x.Request(x.now, asks[int(op)/14%len(asks)], lifecycle.RequestOptions{Within: call, ResetOnProgress: true, Timeout: time.Second}))
			case 6:
				x.verb(x.Notify(x.now, tells[int(op)/14%len(tells)], lifecycle.Call{}))
			case 7:
				x.take(x.Abandon(x.now, call))
			case 13:
				x.verb(x.SetCatalog(x.now, catalog))
			}
		})
	})
}

func FuzzClient(f *testing.F) {
	addSeeds(f)
	first, err := client.New(client.Config{
		Info: who, Serve: []string{"sampling/createMessage", "elicitation/create", "x/custom"},
		Roots: []protocol.Root{{URI: "file:///a"}}, RootsListChanged: true, Declare: newerCaps,
		Timeouts: lifecycle.Timeouts{Inbound: time.Minute}, Limits: lifecycle.Limits{Inbound: 4, Outbound: 4},
	}, epoch)
	if err != nil {
		f.Fatal(err)
	}
	answers := []protocol.Result{
		protocol.ElicitResult{Action: "decline"}, protocol.ElicitResult{Action: "accept", Content: map[string]protocol.Raw{"n": "1", "m": `["b"]`}},
		protocol.CreateMessageResult{Role: "assistant", Model: "m", Content: []protocol.Content{protocol.ToolUseContent("1", "t", "")}},
	}
	starts := starts(f, session.Client(first))
	f.Fuzz(func(t *testing.T, stream, program []byte) {
		walk(t, starts, stream, program, func(x *driven, op byte, call lifecycle.Call) {
			switch op % 14 {
			case 1:
				x.verb(x.Respond(x.now, call, answers[int(op)/14%len(answers)]))
			case 3:
				x.verb(x.Cancel(x.now, x.last, "x"))
			case 5, 6:
				x.verb(x.Request(x.now, protocol.CallToolParams{Name: "t"}, lifecycle.RequestOptions{ResetOnProgress: true, Timeout: time.Second}))
			case 7:
				x.take(x.SendFailed(x.now, x.last, errFuzz))
			case 13:
				x.verb(x.SetRoots(x.now, []protocol.Root{{URI: "file:///b"}}))
			}
		})
	})
}

// starts returns first, and what it is after the handshake at each revision.
func starts(f *testing.F, first session.Machine) []session.Machine {
	list := []session.Machine{first}
	for _, revision := range revisions {
		m := first
		if m.Party() == lifecycle.Client {
			m, _, _ = m.Initialize(epoch)
			m, _ = m.Receive(epoch, opening(2, revision))
		} else {
			m, _ = m.Receive(epoch, opening(0, revision))
			m, _ = m.Receive(epoch, opening(1, revision))
		}
		if m.Revision().String() != revision {
			f.Fatal("no handshake at ", revision)
		}
		list = append(list, m)
	}
	return list
}

// walk feeds a stream to one of the States, while the application acts by a program: it
// does by itself what both roles do, and leaves the rest to own. At the end nothing is
// open.
func walk(t *testing.T, starts []session.Machine, stream, program []byte, own func(x *driven, op byte, call lifecycle.Call)) {
	m, program := pickStart(starts, program)
	x := &driven{Machine: m, t: t, now: epoch, open: map[lifecycle.Call]bool{}, reqs: map[lifecycle.Req]bool{}}
	if m == starts[0] {
		x.begin()
	}
	var fr jsonrpc.Framer
	for line := range bytes.SplitAfterSeq(stream, []byte("\n")) {
		fr.Push(expand(line))
		for msg, ok := fr.Next(); ok; msg, ok = fr.Next() {
			x.take(x.Receive(x.now, msg))
		}
		if len(program) == 0 {
			continue
		}
		op := program[0]
		program = program[1:]
		x.now = x.now.Add(pause(op))
		x.act(op, own)
		if due, ok := x.NextDeadline(); ok && op >= 224 {
			x.now = due
			x.take(x.Tick(x.now))
			if due, ok := x.NextDeadline(); ok && !due.After(x.now) {
				t.Fatal("after Tick the next deadline is not later")
			}
		}
	}
	x.take(x.Disconnected(x.now, nil))
	if len(x.open) != 0 || len(x.reqs) != 0 {
		t.Fatalf("left over: %v, %v", x.open, x.reqs)
	}
}

// driven is a State that a fuzzer drives, with what is open.
type driven struct {
	session.Machine
	t     *testing.T
	now   time.Time
	calls []lifecycle.Call
	open  map[lifecycle.Call]bool
	reqs  map[lifecycle.Req]bool
	last  lifecycle.Req
}

// begin opens the session of a client.
func (x *driven) begin() {
	if x.Party() == lifecycle.Client {
		x.verb(x.Initialize(x.now))
	}
}

func (x *driven) act(op byte, own func(x *driven, op byte, call lifecycle.Call)) {
	call := x.call(op >> 4)
	switch op % 14 {
	case 0:
		x.take(x.Tick(x.now))
	case 2:
		e := protocol.InternalError("x")
		if op >= 128 {
			e = protocol.URLElicitationRequired(asksByPage)
		}
		x.verb(x.Fail(x.now, call, e))
	case 4:
		x.verb(x.Request(x.now, protocol.PingParams{}, lifecycle.RequestOptions{}))
	case 8:
		x.take(x.InputClosed(x.now))
	case 9:
		x.take(x.Shutdown(x.now, time.Duration(op)*time.Second))
	case 10:
		x.take(x.Disconnected(x.now, errFuzz))
	case 11:
		x.take(x.Abort(x.now, errFuzz))
	case 12:
		if next, err := x.Reset(x.now); err == nil {
			x.Machine = next
			x.begin()
		}
	default:
		own(x, op, call)
	}
}

// take makes the outcome of a transition the State.
func (x *driven) take(next session.Machine, out lifecycle.Output) {
	x.t.Helper()
	x.Machine = next
	if err := next.Check(); err != nil {
		x.t.Fatal(err)
	}
	x.note(out)
}

// verb is take for what can be refused.
func (x *driven) verb(next session.Machine, out lifecycle.Output, err error) {
	x.t.Helper()
	if err != nil && (next != x.Machine || !out.IsZero()) {
		x.t.Fatal("a verb failed and did something: ", err)
	}
	x.take(next, out)
}

// note checks what every Output has to keep to.
func (x *driven) note(out lifecycle.Output) {
	x.t.Helper()
	for _, o := range out.Send {
		line := jsonrpc.Append(nil, o.Message)
		if back := jsonrpc.Decode(line); back.Kind != o.Message.Kind {
			x.t.Fatalf("sent %s, which reads as %v (%v)", line, back.Kind, back.Fault)
		}
		if bytes.Contains(line, []byte(`"params":null`)) {
			x.t.Fatalf("sent %s", line)
		}
		if o.Final && x.open[o.Call] {
			x.close(o.Call)
		}
	}
	for _, ev := range out.Events {
		switch ev.Kind {
		case lifecycle.RequestReceived:
			x.calls = append(x.calls, ev.Call)
			x.open[ev.Call] = true
		case lifecycle.RequestCancelled, lifecycle.RequestLost:
			x.close(ev.Call)
		case lifecycle.ResponseReceived, lifecycle.RequestFailed:
			if !x.reqs[ev.Req] {
				x.t.Fatalf("%v ended twice or was never sent", ev.Req)
			}
			delete(x.reqs, ev.Req)
		}
	}
	if !out.Req.IsZero() {
		x.reqs[out.Req], x.last = true, out.Req
	}
}

func (x *driven) close(call lifecycle.Call) {
	if !x.open[call] {
		x.t.Fatalf("%v ended twice", call)
	}
	delete(x.open, call)
}

// call picks one of the calls there have been.
func (x *driven) call(b byte) lifecycle.Call {
	if len(x.calls) == 0 {
		return lifecycle.Call{}
	}
	return x.calls[int(b)%len(x.calls)]
}
