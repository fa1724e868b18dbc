package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// toolServer returns the Env of a server with tools, whose calls are overdue after a
// second.
func toolServer() *engine.Env {
	timeouts, _ := lifecycle.Timeouts{Inbound: time.Second}.Filled()
	limits, _ := lifecycle.Limits{}.Filled()
	return &engine.Env{
		Self: protocol.Server, Revisions: protocol.Revisions(), Caps: protocol.CapTools, Theirs: ^protocol.ServerCaps,
		Timeouts: timeouts, Limits: limits, Blank: &engine.Profile{Revision: protocol.Revisions()[0]},
	}
}

// ready returns a Core that has negotiated a revision with a client that has roots.
func ready(env *engine.Env, rev protocol.Revision) engine.Core {
	var o lifecycle.Output
	c := engine.New(env, origin)
	c.Begin(env.Negotiated(rev, protocol.CapRoots, protocol.Implementation{Name: "c", Version: "1"}, ""), nil, &o)
	c.Establish(nil, nil, &o)
	return c
}

// enter takes a call of a tool in, as with changes what Receive left of it.
func enter(t *testing.T, c *engine.Core, id string, with func(*engine.Intake)) lifecycle.Call {
	t.Helper()
	var o lifecycle.Output
	m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":` + id + `}}}`)
	var in engine.Intake
	c.Receive(&m, &in, &o)
	if in.Verdict != engine.Request {
		t.Fatalf("the call is refused: %+v", o)
	}
	with(&in)
	c.Enter(&in, &m, &o)
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	return o.Opened
}

// receive takes a message in that leaves nothing for the role.
func receive(t *testing.T, c *engine.Core, text string) lifecycle.Output {
	t.Helper()
	var o lifecycle.Output
	m := jsonrpc.DecodeString(text)
	c.Receive(&m, new(engine.Intake), &o)
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	return o
}

// restored returns the Core of the snapshot of c, whose text is changed by pairs of old
// and new, and the error.
func restored(c *engine.Core, env *engine.Env, pairs ...string) (engine.Core, error) {
	text := strings.NewReplacer(pairs...).Replace(string(c.Snapshot().Dst) + "}")
	return engine.Restore(env, engine.ReadFields([]byte(text)), c.At(c.Now()))
}

// kinds returns the kinds of events, separated by commas.
func kinds(o *lifecycle.Output) string {
	var list []string
	for _, ev := range o.Events {
		list = append(list, ev.Kind.String())
	}
	return strings.Join(list, ", ")
}

// sent returns the messages of an Output, one a line.
func sent(o *lifecycle.Output) string {
	var list []string
	for _, m := range o.Send {
		list = append(list, string(jsonrpc.Append(nil, m.Message)))
	}
	return strings.Join(list, "\n")
}
