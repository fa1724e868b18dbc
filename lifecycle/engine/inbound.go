package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Inbound is a request of the peer that awaits the application.
type Inbound struct {
	ID     jsonrpc.ID // the wire id, canonical
	Seq    uint64     // the number of its Call
	ext    *inboundExt
	Method protocol.Method // MethodUnknown: see ext
}

// inboundExt is what few requests have. It is never changed, only replaced.
type inboundExt struct {
	spelling jsonrpc.Raw           // of the id, where it is not canonical
	name     string                // the method, where the table has none
	arg      string                // what the role wants to know when it is answered
	token    jsonrpc.ID            // the progress token
	last     float64               // the last progress
	gate     bucket                // of its progress
	reported bool                  // whether there was any
	inner    table.Table[struct{}] // the open requests of ours within it, by id
}

func (v *Inbound) name() string {
	if v.ext == nil {
		return v.Method.String()
	}
	return methodName(v.Method, v.ext.name)
}

// Verdict says how far the engine got with a message.
type Verdict uint8

// The verdicts.
const (
	Done         Verdict = iota // nothing is left to do
	Request                     // a request that passed all gates: answer it, or Enter it
	Notification                // a notification that passed all gates
	Handshake                   // the answer to initialize, result or error
	Answered                    // a request of ours succeeded; Subject is what it was about, where that is kept
)

// Intake is what Receive leaves for the role.
type Intake struct {
	Verdict    Verdict             // how far it got
	Row        *protocol.Row       // of a Request, Notification or what was Answered
	ParamsInfo protocol.ParamsInfo // of its params
}

// request runs the checks on a request in the order of the specification table
// (docs/methods.md, order of checks; ERR-012).
func (c *Core) request(m *jsonrpc.Message, o *lifecycle.Output) Intake {
	key := c.env.Key(m.ID)
	if leaf := c.in.Get(key); leaf != nil {
		if leaf.V.ID == m.ID {
			// Any answer would be taken for the answer to the first.
			Violation(ruleIDInFlight, m, o)
			return Intake{}
		}
		c.open(key, o)
		ReplyError(m, protocol.InternalError("the id cannot be told from another"), o)
		return Intake{}
	}
	c.open(key, o)

	method := protocol.MethodOf(m.Method)
	row := c.ses.Revision.Row(method)
	switch {
	case row == nil && c.serves(method, m.Method):
		row = protocol.CustomRow(c.env.Self)
	case row == nil:
		ReplyError(m, protocol.MethodNotFound(), o)
		return Intake{}
	case row.Notification:
		ReplyError(m, protocol.MethodNotFound(), o)
		Violation(ruleNotAnID, m, o)
		return Intake{}
	case !row.Receiver.Has(c.env.Self):
		ReplyError(m, protocol.MethodNotFound(), o)
		Violation(ruleDirection, m, o)
		return Intake{}
	}

	if method == protocol.MethodPing {
		if m.Body != "" { // else there is nothing to check
			if err := row.CheckParams(m.Body, m.Span); err != nil {
				badParams(m, err, o)
				return Intake{}
			}
		}
		Reply(m, "{}", o)
		return Intake{}
	}
	switch {
	case !row.Serve.Has(c.phase) || c.phase == protocol.Initializing && c.env.Policy.StrictInitialized:
		c.refusePhase(method, m, o)
	case row.Gate&^c.env.Caps != 0:
		ReplyError(m, protocol.CapabilityNotDeclared(), o)
		Violation(ruleUndeclared, m, o)
	case c.in.Len() >= c.env.Limits.Inbound && method != protocol.MethodInitialize:
		ReplyError(m, protocol.InternalError("too many requests in flight"), o)
		Violation(ruleLimit, m, o)
	case method != protocol.MethodInitialize && !c.allowRequest():
		ReplyError(m, protocol.InternalError("too many requests"), o)
		Violation(ruleLimit, m, o)
	default:
		info, err := c.readParams(row, m.Body, m.Span)
		switch {
		case err != nil:
			badParams(m, err, o)
		case c.tooLong(m, info):
			ReplyError(m, protocol.InternalError("too long a text"), o)
			Violation(ruleLimit, m, o)
		default:
			return Intake{Request, row, info}
		}
	}
	return Intake{}
}

func badParams(m *jsonrpc.Message, err error, o *lifecycle.Output) {
	ReplyError(m, protocol.InvalidParams("invalid params"), o)
	misfit(m, err, o)
}

// misfit reports params that do not fit their method.
func misfit(m *jsonrpc.Message, err error, o *lifecycle.Output) {
	Violation(ruleParams, m, o)
	o.Events[len(o.Events)-1].Cause = &lifecycle.Cause{Err: err}
}

// open gives the request that is being received its handle.
func (c *Core) open(key uint64, o *lifecycle.Output) {
	c.seq++
	o.Opened = c.Call(c.seq, key)
}

// tooLong reports whether something of a request that would be kept is over the limit.
func (c *Core) tooLong(m *jsonrpc.Message, info protocol.ParamsInfo) bool {
	most := c.env.Limits.Text
	if idLen(m.ID) > most || max(len(m.Spelling()), len(m.Method), len(info.Subject)) > most {
		return true
	}
	if len(info.Meta) <= most {
		return false // and so is the token in it
	}
	token, _ := info.Meta.ProgressToken()
	return idLen(token) > most
}

// idLen returns how many bytes an id keeps alive.
func idLen(id jsonrpc.ID) int {
	if _, ok := id.Int64(); ok {
		return 0
	}
	if s, ok := id.Str(); ok {
		return len(s)
	}
	return len(id.Append(nil)) // an integer may have any number of digits
}

// serves reports whether the application answers a method outside the table.
func (c *Core) serves(method protocol.Method, name string) bool {
	if method != protocol.MethodUnknown || name == "" {
		return false
	}
	if c.env.ServeUnknown {
		return true
	}
	_, ok := c.env.Custom[name]
	return ok
}

func (c *Core) refusePhase(method protocol.Method, m *jsonrpc.Message, o *lifecycle.Output) {
	rule, why := ruleFirst, "the session is not initialized"
	switch {
	case method == protocol.MethodInitialize:
		rule, why = ruleSecondInit, "the session is initialized already"
	case c.phase == protocol.ShuttingDown:
		ReplyError(m, protocol.InternalError("the session is shutting down"), o)
		return
	case c.phase == protocol.Initializing && c.env.Self == protocol.Client:
		rule = ruleEarlyToClient
	case c.phase == protocol.Initializing:
		rule = ruleStrictInit
	}
	ReplyError(m, protocol.InvalidRequest(why), o)
	Violation(rule, m, o)
}

// Enter puts the request that was just opened into the table and gives it to the
// application. keep is kept for Asked.
func (c *Core) Enter(in Intake, m *jsonrpc.Message, keep string, o *lifecycle.Output) {
	v := Inbound{ID: m.ID.Clone(), Seq: o.Opened.Seq(), Method: in.Row.Method}
	var token jsonrpc.ID
	if in.ParamsInfo.Meta != "" {
		token, _ = in.ParamsInfo.Meta.ProgressToken()
	}
	if !token.IsZero() || m.Spelling() != "" || v.Method == protocol.MethodUnknown || keep != "" {
		x := &inboundExt{token: token.Clone(), arg: strings.Clone(keep)}
		if s := m.Spelling(); s != "" {
			x.spelling = jsonrpc.Raw(strings.Clone(string(s)))
		}
		if v.Method == protocol.MethodUnknown {
			x.name = strings.Clone(m.Method)
		}
		v.ext = x
	}
	c.in = c.in.Put(o.Opened.Key(), c.After(c.env.Timeouts.Inbound), v)
	o.Events = append(o.Events, lifecycle.Event{
		Kind: lifecycle.RequestReceived, Call: o.Opened, ID: m.ID,
		Method: methodName(v.Method, m.Method), Body: m.Body, Span: m.Span,
	})
}

// expireInbound answers what the application owed for too long.
func (c *Core) expireInbound(o *lifecycle.Output) {
	var due []*table.Leaf[Inbound]
	if c.in, due = c.in.Expire(c.now); len(due) == 0 {
		return
	}
	// Keys say nothing about age: order by deadline, then by arrival.
	slices.SortStableFunc(due, func(a, b *table.Leaf[Inbound]) int {
		return cmp.Or(cmp.Compare(a.Deadline, b.Deadline), cmp.Compare(a.V.Seq, b.V.Seq))
	})
	cause := &lifecycle.Cause{Kind: lifecycle.CauseTimedOut}
	for _, leaf := range due {
		call := c.call(leaf)
		e := protocol.InternalError("no answer in time")
		answer(call, &leaf.V, jsonrpc.Message{Kind: jsonrpc.KindError, Err: &e}, o)
		o.Events = append(o.Events, lifecycle.Event{
			Kind: lifecycle.RequestExpired, Call: call, ID: leaf.V.ID, Method: leaf.V.name(), Cause: cause,
		})
		c.endWithin(&leaf.V, o)
	}
}
