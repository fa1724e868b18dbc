package engine

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// The two halves together, and what needs both: the next deadline, the end that comes when the
// last request is gone. Anything that knows a phase and a single request at the same time is a
// method of Core; what knows one of them only is a method of requests or session.

// Core is the part of a State that both roles share: the requests and the session. It is
// a value; methods with pointer receivers work on the local copy of a transition.
type Core struct {
	requests
	session
}

// New returns a Core whose times count from now. Nothing is negotiated (LIFE-034).
func New(env *Env, now time.Time) Core {
	return Core{
		requests: requests{env: env, clock: clock{birth: &birth{at: now}}, still: moving},
		session:  session{prof: env.Blank, due: table.Never},
	}
}

// Epoch tells sessions apart, those of one Core and those of different ones.
type Epoch struct {
	owner *lifecycle.Owner
	first uint64 // id of ours
}

// Epoch returns the current session.
func (c *Core) Epoch() Epoch { return Epoch{c.Owner(), c.first()} }

// NextDeadline returns when Tick is next due. more is a deadline of the role's own,
// table.Never for none.
func (c *Core) NextDeadline(more int64) (time.Time, bool) {
	// Each is Never where it does not count, so that no phase needs to be asked.
	d := min(c.out.Min(), c.in.Min(), c.due, more)
	if d == table.Never || c.env == nil {
		return time.Time{}, false
	}
	return c.At(d), true
}

// Live reports whether the session is in a live phase: in others nothing is sent, dispatched or
// due (LIFE-023, TIME-016). The zero Core is inert.
func (c *Core) live() bool { return c.env != nil && c.phase.Live() }

// Listening reports whether messages are still taken in. After the close action
// nothing could be answered any more.
func (c *Core) Listening() bool { return c.live() && !c.closed }

// PassThrough reports whether bodies are left alone.
func (c *Core) PassThrough() bool { return c.env.Policy.PassThrough }

// Negotiated returns the negotiated revision, zero before the handshake.
func (c *Core) Negotiated() protocol.Revision {
	if c.env == nil || c.prof == c.env.Blank {
		return protocol.Revision{}
	}
	return c.prof.Revision
}

// Status returns the state of things.
func (c *Core) Status() lifecycle.Status {
	return lifecycle.Status{
		Phase: c.phase, Revision: c.Negotiated(), Inbound: c.in.Len(), Outbound: c.out.Len(),
		Saturated: c.env != nil && c.in.Len() >= c.env.Limits.Inbound, Cause: c.cause(),
		DroppedLogs: c.dropped(),
	}
}

// drop takes a request of ours out of the tables.
func (c *Core) drop(leaf *table.Leaf[outbound]) {
	// However a ping of the keepalive ends, another one may go out.
	c.pinging = c.pinging && !leaf.V.keepalive
	c.requests.drop(leaf)
}

// failAll gives up everything that this side asked for.
func (c *Core) failAll(cause *lifecycle.Cause, o *lifecycle.Output) {
	c.pinging = false
	c.requests.failAll(cause, o)
}

// settle asks for the end once nothing is open any more while shutting down.
func (c *Core) settle(o *lifecycle.Output) {
	// Every method that takes an entry out calls it last, so that its own event or answer stands
	// before the close action.
	if c.phase == protocol.ShuttingDown && c.in.Len() == 0 && c.out.Len() == 0 {
		c.close(c.cause(), o)
	}
}

// Downgrade returns a body of a method as the profile of its request has it, and reports
// what is lost by it. The body belongs to call or to req.
func (c *Core) Downgrade(row *protocol.Row, kind protocol.BodyKind, body jsonrpc.Raw, call lifecycle.Call, req lifecycle.Req, o *lifecycle.Output) jsonrpc.Raw {
	if c.env.loose(row) {
		return body
	}
	body, lossy := row.Downgrade(kind, body)
	if lossy {
		Downgraded(row.Method, row.Revision(), call, req, o)
	}
	return body
}

// opError returns the error of a verb.
func (c *Core) opError(op string, err error, method string, detail error) error {
	return &lifecycle.OpError{Op: op, Err: err, Method: method, Phase: c.phase, Detail: detail}
}
