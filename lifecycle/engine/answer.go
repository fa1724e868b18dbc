package engine

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Open reports whether a call awaits the application.
func (c *Core) Open(call lifecycle.Call) bool { return c.lookup(call) != nil }

// Asked returns the method of an open call and what Enter was given to keep.
func (c *Core) Asked(call lifecycle.Call) (protocol.Method, string) {
	leaf := c.lookup(call)
	switch {
	case leaf == nil:
		return protocol.MethodUnknown, ""
	case leaf.V.ext == nil:
		return leaf.V.Method, ""
	}
	return leaf.V.Method, leaf.V.ext.arg
}

// Result returns the JSON of a result of an open call, checked against its method.
func (c *Core) Result(call lifecycle.Call, result protocol.Result) (jsonrpc.Raw, error) {
	leaf := c.lookup(call)
	if leaf == nil {
		return "", lifecycle.ErrGone
	}
	body, err := c.Encode(leaf.V.Method, result)
	if err != nil {
		return "", c.opError("respond", lifecycle.ErrParams, leaf.V.name(), err)
	}
	return body, nil
}

// Encode returns the JSON of a result of the method, or why it does not fit.
func (c *Core) Encode(m protocol.Method, result protocol.Result) (jsonrpc.Raw, error) {
	body, err := protocol.EncodeResult(result)
	if err != nil || c.passes(m) || protocol.Fits(m, result) {
		return body, err
	}
	row := c.ses.Revision.Row(m)
	if row == nil {
		row = protocol.CustomRow(c.env.Self)
	}
	if err = row.CheckResult(body, jsonrpc.Span{}); err != nil {
		return "", err
	}
	if !c.env.Policy.KeepNulls { // results of types have none
		body = protocol.WithoutNulls(m, protocol.BodyResult, body)
	}
	return body, nil
}

// Respond answers an open call with the JSON that Result returned.
func (c *Core) Respond(call lifecycle.Call, body jsonrpc.Raw, o *lifecycle.Output) {
	c.finish(call, jsonrpc.Message{Kind: jsonrpc.KindResult, Body: body}, o)
}

// Fail answers an open call with an error. On error nothing was changed.
func (c *Core) Fail(call lifecycle.Call, e jsonrpc.Error, o *lifecycle.Output) error {
	leaf := c.lookup(call)
	if leaf == nil {
		return lifecycle.ErrGone
	}
	if err := protocol.CheckError(e); err != nil {
		return c.opError("fail", lifecycle.ErrParams, leaf.V.name(), err)
	}
	c.finish(call, jsonrpc.Message{Kind: jsonrpc.KindError, Err: &e}, o)
	return nil
}

// FailInstead answers -32603 to an open call whose answer was refused with err, unless
// there was no refusal or nobody to answer. It returns err.
func (c *Core) FailInstead(call lifecycle.Call, err error, o *lifecycle.Output) error {
	if err != nil && c.lookup(call) != nil {
		e := protocol.InternalError("internal error")
		c.finish(call, jsonrpc.Message{Kind: jsonrpc.KindError, Err: &e}, o)
	}
	return err
}

func (c *Core) finish(call lifecycle.Call, m jsonrpc.Message, o *lifecycle.Output) {
	var leaf *table.Leaf[Inbound]
	c.in, leaf = c.in.Delete(call.Key())
	if m.Kind == jsonrpc.KindResult {
		m.Body = c.Downgrade(leaf.V.Method, protocol.BodyResult, m.Body, call, lifecycle.Req{}, o)
	}
	answer(call, &leaf.V, m, o)
	c.settle(o)
}

// Progress reports progress of an open call. Without a token of the peer nothing
// is sent: a handler may report always.
func (c *Core) Progress(call lifecycle.Call, p protocol.ProgressParams, o *lifecycle.Output) error {
	leaf := c.lookup(call)
	if leaf == nil {
		return lifecycle.ErrGone
	}
	x := leaf.V.ext
	if x == nil || x.token.IsZero() {
		return nil
	}
	if !(p.Progress > x.last) && x.reported || p.Progress != p.Progress {
		return c.opError("progress", lifecycle.ErrProgress, leaf.V.name(), nil)
	}
	next := *x
	var pass bool
	if next.gate, pass = x.gate.pass(c.env.Limits.Progress, c.now); !pass {
		return nil
	}
	p.ProgressToken = x.token
	body, err := protocol.EncodeParams(p)
	if err != nil {
		return c.opError("progress", lifecycle.ErrParams, "notifications/progress", err)
	}
	next.last, next.reported = p.Progress, true
	c.extend(leaf, &next)
	body = c.Fit(protocol.MethodProgress, protocol.BodyParams, body, call, lifecycle.Req{}, o)
	note("notifications/progress", body, call, o)
	return nil
}

// Abandon closes an open call that nobody waits for any more.
func (c *Core) Abandon(call lifecycle.Call, o *lifecycle.Output) {
	if leaf := c.lookup(call); leaf != nil {
		c.in, _ = c.in.Delete(leaf.Key)
		c.lost(leaf, &lifecycle.Cause{Kind: lifecycle.CauseAbandoned}, o)
		c.endWithin(&leaf.V, o)
		c.settle(o)
	}
}

func (c *Core) lost(leaf *table.Leaf[Inbound], cause *lifecycle.Cause, o *lifecycle.Output) {
	o.Events = append(o.Events, lifecycle.Event{
		Kind: lifecycle.RequestLost, Call: c.call(leaf), ID: leaf.V.ID,
		Method: leaf.V.name(), Cause: cause,
	})
}
