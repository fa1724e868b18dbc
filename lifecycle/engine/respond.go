package engine

import (
	"errors"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Answers of the application. Encode and its like judge a result before anything is changed, so
// that the role can refuse it, or put another one in its place; Respond and Fail then take the
// call out and send. A call that has ended is ErrGone, which is a race and never a bug.

// Encode returns a result as it goes out to an open call, with what it is, or why it does
// not fit.
func (c *Core) Encode(call lifecycle.Call, result protocol.Result) (a protocol.Encoded, err error) {
	leaf := c.lookup(call)
	if leaf == nil {
		return a, lifecycle.ErrGone
	}
	err = c.EncodeFor(leaf.V.row, c.Under(call), leaf.V.subject(), result, &a)
	switch {
	case Lacking(err) != 0:
		return a, c.opError("respond", lifecycle.ErrCapability, leaf.V.name(), err)
	case errors.Is(err, protocol.ErrNotInRevision):
		return a, c.opError("respond", lifecycle.ErrRevision, leaf.V.name(), err)
	case err != nil:
		return a, c.opError("respond", lifecycle.ErrParams, leaf.V.name(), err)
	}
	return a, nil
}

// EncodeFor is Encode for a call that has no place among the open requests. subject is
// what would have been kept of it, and under what it was made under. It fills in e, which is zero.
func (c *Core) EncodeFor(row *protocol.Row, under *Profile, subject string, result protocol.Result, e *protocol.Encoded) error {
	ask, err := asks(row, result)
	switch {
	case err != nil && !c.env.loose(row): // RSLT-003
		return err
	case ask != nil:
		var needs protocol.Capability
		*e, needs, err = row.EncodeInput(ask, under.Caps, c.env.encoding(row))
		if err == nil && !under.Caps.Has(needs) { // MRTR-006, ELIC-203
			err = c.lacks(0, needs&^under.Caps)
		}
		e.Info.Asks = true
		return err
	}
	how := c.env.encoding(row)
	if c.stamps(row) {
		how.Head = c.env.Stamp.heads[0]
	}
	*e, err = row.EncodeResult(result, subject, how)
	return err
}

// asks returns the questions of a result that asks, nil for any other. The error is that the type of a
// raw result is none that it has; what a custom method has is for the application to say.
func asks(row *protocol.Row, result protocol.Result) (ask *protocol.InputRequired, err error) {
	var raw protocol.Raw
	switch r := result.(type) {
	case *protocol.InputRequired:
		return r, nil
	case protocol.Raw:
		raw = r
	case protocol.DecodedResult:
		raw = protocol.Raw(r)
	}
	if raw == "" || row.Custom() {
		return nil, nil
	}
	asking, err := asksInput(row, raw)
	if asking {
		ask, _, err = row.ReadInput(raw)
	}
	return ask, err
}

// Respond answers an open call with what Encode returned, whose body the role may have
// replaced by another one.
func (c *Core) Respond(call lifecycle.Call, a *protocol.Encoded, o *lifecycle.Output) {
	if leaf := c.lookup(call); leaf != nil {
		c.finish(leaf, jsonrpc.Message{Kind: jsonrpc.KindResult, Body: c.ResultFor(leaf.V.row, call, a, o)}, o)
	}
}

// ResultFor returns the body of a result as the profile of its call has it, with its Stamp, and reports
// what is lost by it and which rows it breaks.
func (c *Core) ResultFor(row *protocol.Row, call lifecycle.Call, e *protocol.Encoded, o *lifecycle.Output) jsonrpc.Raw {
	for _, f := range e.Found {
		LocalViolation(f.Rule, row.Method, call, nil, o)
	}
	body := e.Body
	if !e.Common { // before the Stamp, for the checks are about what the application gave
		body = c.Downgrade(row, protocol.BodyResult, body, call, lifecycle.Req{}, o)
	}
	if e.Headed {
		return body
	}
	return c.stamp(row, body)
}

// Fail answers an open call with an error. On error nothing was changed.
func (c *Core) Fail(call lifecycle.Call, e jsonrpc.Error, o *lifecycle.Output) error {
	leaf := c.lookup(call)
	if leaf == nil {
		return lifecycle.ErrGone
	}
	if err := c.CheckError(leaf.V.row, e); err != nil {
		return c.opError("fail", lifecycle.ErrParams, leaf.V.name(), err)
	}
	if ask := leaf.V.row.AsksPages(&e); ask != nil {
		a, err := c.Encode(call, ask)
		lacks := Lacking(err)
		if lacks == 0 {
			if err == nil {
				c.Respond(call, &a, o)
			}
			return err
		}
		e = protocol.MissingCapability(lacks)
	}
	e = c.ErrorFor(leaf.V.row, leaf.V.name(), call, e, o)
	c.finish(leaf, jsonrpc.Message{Kind: jsonrpc.KindError, Err: &e}, o)
	return nil
}

var errReserved = errors.New("a code that the specification keeps for something else")

// CheckError returns why an error cannot answer a request of the method.
func (c *Core) CheckError(row *protocol.Row, e jsonrpc.Error) error {
	if err := protocol.CheckError(e, c.env.encoding(row)); err != nil || c.env.loose(row) || !row.Revision().Stateless() || e.Code == protocol.CodeURLElicitationRequired {
		return err
	}
	if _, lossy := row.Revision().DowngradeError(e); lossy { // ERR-204
		return errReserved
	}
	return nil
}

// ErrorFor returns an error as the revision of its call has it, and reports what is lost
// by it, and what the client cannot do with it. It notes what the error announces.
func (c *Core) ErrorFor(row *protocol.Row, method string, call lifecycle.Call, e jsonrpc.Error, o *lifecycle.Output) jsonrpc.Error {
	if c.env.loose(row) {
		return e
	}
	// Before DowngradeError, which makes another error of it where the revision has none.
	rule, ids := row.Revision().JudgeError(&e, c.prof.Caps, false)
	if rule != "" {
		LocalViolation(rule, method, call, nil, o)
	}
	for _, id := range ids {
		c.announce(id) // again, or without room: then its end cannot be said
	}
	e, lossy := row.Revision().DowngradeError(e)
	if lossy {
		Downgraded(method, row.Revision(), call, lifecycle.Req{}, o)
	}
	return e
}

// FailInstead answers -32603 to an open call whose answer was refused with err, unless
// there was no refusal or nobody to answer. It returns err (LOG-011, ROOT-010).
func (c *Core) FailInstead(call lifecycle.Call, err error, o *lifecycle.Output) error {
	// The peer waits for an answer, and the application has given the only one it has.
	if leaf := c.lookup(call); err != nil && leaf != nil {
		e := protocol.InternalError("internal error")
		c.finish(leaf, jsonrpc.Message{Kind: jsonrpc.KindError, Err: &e}, o)
	}
	return err
}

// finish answers a call and closes it, so that it gets one answer (JRPC-010).
func (c *Core) finish(leaf *table.Leaf[inbound], m jsonrpc.Message, o *lifecycle.Output) {
	c.take(leaf)
	if x := leaf.V.ext; x != nil && x.of != 0 {
		c.collect(&leaf.V, m, o)
	} else {
		c.answer(leaf, m, o)
	}
	c.settle(o)
}

// Abandon closes an open call that nobody waits for any more.
func (c *Core) Abandon(call lifecycle.Call, o *lifecycle.Output) {
	if leaf := c.lookup(call); leaf != nil {
		c.take(leaf)
		c.lost(leaf, &lifecycle.Cause{Kind: lifecycle.CauseAbandoned}, o)
		c.endWithin(&leaf.V, o)
		if x := leaf.V.ext; x != nil && x.of != 0 { // what it asked for cannot go on
			c.collect(&leaf.V, jsonrpc.Message{Kind: jsonrpc.KindError}, o)
		}
		c.settle(o)
	}
}
