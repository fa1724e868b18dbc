package engine

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
)

// Env is what the Config of a role says to the engine. It is built once, shared by
// all sessions of that Config and never changed.
type Env struct {
	Self         protocol.Party      // the role of this side
	Revisions    []protocol.Revision // newest first, not empty
	Caps         protocol.Capability // what this side declares
	Custom       map[string]struct{} // methods outside the table that the application answers
	ServeUnknown bool                // the application answers every method that is not in the table
	Timeouts     lifecycle.Timeouts  // filled
	Limits       lifecycle.Limits    // filled
	Keepalive    lifecycle.Keepalive // as Config has it
	Policy       lifecycle.Policy    // as Config has it
	Schemas      schema.Validator    // checks structured results
	Hash         [2]uint64           // keys Hash, see KeyOf
	Blank        *Session            // what holds before the handshake: the newest revision, no peer
}

// Session is what the handshake negotiated. It is never changed.
type Session struct {
	Revision protocol.Revision       // the negotiated revision
	Caps     protocol.Capability     // what the peer declared
	Peer     protocol.Implementation // who the peer is
}

// Core is the part of a State that both roles share: clock, phase and the two
// request tables. It is a value; methods with pointer receivers work on the local
// copy of a transition.
type Core struct {
	in     table.Table[Inbound]
	out    table.Table[Outbound]
	env    *Env
	ses    *Session
	tokens *tokens // progress tokens that the application chose
	gates  *gates  // rate limits, where there are any
	cause  *lifecycle.Cause

	birth *birth // never changed; behind a pointer to keep a Core small
	now   int64  // the latest time seen, from birth
	grace int64  // when open work is given up while shutting down
	seq   uint64 // the last inbound request
	last  uint64 // the last id of ours
	first uint64 // the first id of this epoch
	step  uint64 // how many transitions there have been
	ping  int64  // when the next ping of the keepalive is due
	heard int64  // when the last valid message of the peer came

	misses      uint16 // pings in a row that nothing of the peer came after
	pinging     bool   // a ping of the keepalive is on its way
	closed      bool   // Close was asked for
	inputClosed bool   // the peer sends no more, so nothing of ours could be answered
	phase       protocol.Phase
}

// birth is what a Core is born with.
type birth struct {
	owner lifecycle.Owner // of its handles
	at    time.Time       // the origin of its times
}

// tokens are the progress tokens in use that are not ids of ours, by hash.
type tokens struct{ t table.Table[owner] }

type owner struct {
	token jsonrpc.ID
	req   uint64
}

// New returns a Core whose times count from now.
func New(env *Env, now time.Time) Core {
	return Core{env: env, ses: env.Blank, birth: &birth{at: now}, grace: table.Never, first: 1, ping: table.Never}
}

// Clock begins a transition: it takes the time in and counts. A zero or earlier time
// counts as the latest seen. A jump ahead is believed, however far (package lifecycle,
// Contract): after Tick(now) the next deadline has to be later than now, or a driver would
// call Tick for ever, so a reading cannot be ignored or cut.
func (c *Core) Clock(now time.Time) {
	c.step++
	if now.IsZero() || c.birth == nil {
		return
	}
	// A time beyond what an instant can hold is the last one before never.
	if d := min(int64(now.Sub(c.birth.at)), table.Never-1); d > c.now {
		c.now = d
	}
}

// After returns the instant d from now, table.Never where there is none.
func (c *Core) After(d time.Duration) int64 {
	if d < 0 || int64(d) > math.MaxInt64-1-c.now {
		return table.Never
	}
	return c.now + int64(d)
}

// Now returns the latest time seen, in nanoseconds from the origin.
func (c *Core) Now() int64 { return c.now }

// Epoch tells sessions apart, those of one Core and those of different ones.
type Epoch struct {
	owner *lifecycle.Owner
	first uint64 // id of ours
}

// Epoch returns the current session.
func (c *Core) Epoch() Epoch { return Epoch{c.Owner(), c.first} }

// Step returns how many transitions there have been.
func (c *Core) Step() uint64 { return c.step }

// NextDeadline returns when Tick is next due. more is a deadline of the role's own,
// table.Never for none.
func (c *Core) NextDeadline(more int64) (time.Time, bool) {
	d := min(c.out.Min(), c.in.Min(), c.grace, c.ping, more)
	if d == table.Never || c.env == nil {
		return time.Time{}, false
	}
	return c.At(d), true
}

// Live reports whether the session is in a live phase. The zero Core is inert.
func (c *Core) Live() bool { return c.env != nil && c.phase.Live() }

// Listening reports whether messages are still taken in. After the close action
// nothing could be answered any more.
func (c *Core) Listening() bool { return c.Live() && !c.closed }

// Phase returns the phase.
func (c *Core) Phase() protocol.Phase { return c.phase }

// Session returns what was negotiated.
func (c *Core) Session() *Session {
	if c.ses == nil {
		return &Session{}
	}
	return c.ses
}

// Negotiated returns the negotiated revision, zero before the handshake.
func (c *Core) Negotiated() protocol.Revision {
	if c.env == nil || c.ses == c.env.Blank {
		return protocol.Revision{}
	}
	return c.ses.Revision
}

// Status returns the state of things.
func (c *Core) Status() lifecycle.Status {
	return lifecycle.Status{
		Phase: c.phase, Revision: c.Negotiated(), Inbound: c.in.Len(), Outbound: c.out.Len(),
		Saturated: c.env != nil && c.in.Len() >= c.env.Limits.Inbound, Cause: c.cause,
		DroppedLogs: c.Dropped(),
	}
}

// Dropped returns how many log messages the rate limit left out.
func (c *Core) Dropped() uint64 {
	if c.gates == nil {
		return 0
	}
	return c.gates.dropped
}

// move makes the transition that the table has for t, if any, and reports it.
func (c *Core) move(t lifecycle.Trigger, cause *lifecycle.Cause, o *lifecycle.Output) bool {
	to, ok := lifecycle.Next(c.env.Self, c.phase, t)
	if !ok {
		return false
	}
	o.Events = append(o.Events, lifecycle.Event{Kind: lifecycle.PhaseChanged, From: c.phase, To: to, Cause: cause})
	c.phase = to
	if c.ping = table.Never; to == protocol.Ready {
		c.startKeepalive()
	}
	if cause != nil {
		c.cause = KeptCause(cause)
	}
	return true
}

// KeptCause is a cause that pins no message of the peer: texts are copied and data that
// is large is left to the event.
func KeptCause(cause *lifecycle.Cause) *lifecycle.Cause {
	k := *cause
	k.Reason = kept(k.Reason)
	if cause.RPC != nil {
		e := jsonrpc.Error{Code: cause.RPC.Code, Message: kept(cause.RPC.Message)}
		if len(cause.RPC.Data) <= maxKept {
			e.Data = jsonrpc.Raw(strings.Clone(string(cause.RPC.Data)))
		}
		k.RPC = &e
	}
	return &k
}

// kept copies the beginning of a text, up to a whole character.
func kept(s string) string {
	return strings.Clone(cut(s, maxKept))
}

// cut returns the beginning of a text, at most n bytes, up to a whole character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// maxKept bounds the texts of a cause that a Core keeps, in bytes.
const maxKept = 4096

// opError returns the error of a verb.
func (c *Core) opError(op string, err error, method string, detail error) error {
	return &lifecycle.OpError{Op: op, Err: err, Method: method, Phase: c.phase, Detail: detail}
}

// Key returns the table key of an id of the peer. Integers that are not negative
// stand for themselves; a peer gains nothing by choosing them. The rest is hashed.
func (e *Env) Key(id jsonrpc.ID) uint64 {
	if n, ok := id.Int64(); ok && n >= 0 {
		return uint64(n)
	}
	if s, ok := id.Str(); ok {
		return 1<<63 | Hash(e.Hash, 's', s)
	}
	var buf [32]byte
	return 1<<63 | Hash(e.Hash, 'n', string(id.Append(buf[:0])))
}
