package engine

import (
	"iter"
	"slices"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Inbound is a request of the peer that awaits the application.
type Inbound struct {
	ID     jsonrpc.ID
	Seq    uint64
	ext    *inboundExt
	Method protocol.Method
}

// inboundExt is what few requests have. It is never changed, only replaced.
type inboundExt struct {
	spelling jsonrpc.Raw // of the id, where it is not canonical
	name     string      // the method, where the table has none
	arg      string      // what the role wants to know when it is answered
	token    jsonrpc.ID  // the progress token
	last     float64     // the last progress
	reported bool        // whether there was any
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
)

// request runs the checks on a request in the order of the specification table
// (docs/methods.md, order of checks; ERR-012).
func (c *Core) request(m *jsonrpc.Message, o *lifecycle.Output) (*protocol.Row, Verdict) {
	key := c.env.Key(m.ID)
	if leaf := c.in.Get(key); leaf != nil {
		if leaf.V.ID == m.ID {
			// Any answer would be taken for the answer to the first.
			Violation(ruleIDInFlight, m, o)
			return nil, Done
		}
		c.open(key, o)
		Refuse(m, protocol.InternalError("the id cannot be told from another"), o)
		return nil, Done
	}
	c.open(key, o)

	method := protocol.MethodOf(m.Method)
	row := c.ses.Revision.Row(method)
	switch {
	case row == nil && c.serves(method, m.Method):
		row = protocol.CustomRow(c.env.Self)
	case row == nil:
		Refuse(m, protocol.MethodNotFound(), o)
		return nil, Done
	case row.Notification:
		Refuse(m, protocol.MethodNotFound(), o)
		Violation(ruleNotAnID, m, o)
		return nil, Done
	case !row.Receiver.Has(c.env.Self):
		Refuse(m, protocol.MethodNotFound(), o)
		Violation(ruleDirection, m, o)
		return nil, Done
	}

	if method == protocol.MethodPing {
		if err := row.CheckParams(m.Body, m.Span); err != nil {
			c.badParams(m, o)
			return nil, Done
		}
		Reply(m, "{}", o)
		return nil, Done
	}
	switch {
	case !row.Serve.Has(c.phase) || c.phase == protocol.Initializing && c.env.Policy.StrictInitialized:
		c.refusePhase(method, m, o)
	case row.Gate&^c.env.Caps != 0:
		Refuse(m, protocol.CapabilityNotDeclared(), o)
		Violation(ruleUndeclared, m, o)
	case c.in.Len() >= c.env.Limits.Inbound && method != protocol.MethodInitialize:
		Refuse(m, protocol.InternalError("too many requests in flight"), o)
		Violation(ruleLimit, m, o)
	case row.CheckParams(m.Body, m.Span) != nil:
		c.badParams(m, o)
	default:
		return row, Request
	}
	return nil, Done
}

func (c *Core) badParams(m *jsonrpc.Message, o *lifecycle.Output) {
	Refuse(m, protocol.InvalidParams("invalid params"), o)
	Violation(ruleParams, m, o)
}

// open gives the request that is being received its handle.
func (c *Core) open(key uint64, o *lifecycle.Output) {
	c.seq++
	o.Opened = lifecycle.MakeCall(c.seq, key)
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
		if c.env.Self == protocol.Client {
			rule = ruleDirection
		}
	case c.phase == protocol.ShuttingDown:
		Refuse(m, protocol.InternalError("the session is shutting down"), o)
		return
	case c.phase == protocol.Initializing && c.env.Self == protocol.Client:
		rule = ruleEarlyToClient
	case c.phase == protocol.Initializing:
		rule = ruleStrictInit
	}
	Refuse(m, protocol.InvalidRequest(why), o)
	Violation(rule, m, o)
}

// Enter puts the request that was just opened into the table and gives it to the
// application.
// arg is kept for Asked.
func (c *Core) Enter(row *protocol.Row, m *jsonrpc.Message, arg string, o *lifecycle.Output) {
	v := Inbound{ID: m.ID.Clone(), Seq: o.Opened.Seq(), Method: row.Method}
	token, _ := progressToken(m.Body, m.Span)
	if !token.IsZero() || m.Spelling() != "" || v.Method == protocol.MethodUnknown || arg != "" {
		x := &inboundExt{token: token.Clone(), arg: clone(arg)}
		if s := m.Spelling(); s != "" {
			x.spelling = jsonrpc.Raw(clone(string(s)))
		}
		if v.Method == protocol.MethodUnknown {
			x.name = clone(m.Method)
		}
		v.ext = x
	}
	c.in = c.in.Put(o.Opened.Key(), c.after(c.env.Timeouts.Inbound), v)
	o.Events = append(o.Events, lifecycle.Event{
		Kind: lifecycle.RequestReceived, Call: o.Opened, ID: m.ID,
		Method: methodName(row.Method, m.Method), Body: m.Body, Span: m.Span,
	})
}

// progressToken returns the progress token in the params, if any.
func progressToken(params jsonrpc.Raw, span jsonrpc.Span) (jsonrpc.ID, bool) {
	members, ok := rawjson.Members(string(params))
	if !ok {
		return jsonrpc.ID{}, false
	}
	members.Jump(int(span.Start), int(span.End))
	meta := ""
	for {
		key, val, ok := members.Next()
		if !ok {
			break
		}
		if key == "_meta" {
			meta = val
		}
	}
	return protocol.Meta(meta).ProgressToken()
}

// lookup returns the entry of a call, nil if it is gone.
func (c *Core) lookup(call lifecycle.Call) *table.Leaf[Inbound] {
	leaf := c.in.Get(call.Key())
	if leaf == nil || leaf.V.Seq != call.Seq() {
		return nil
	}
	return leaf
}

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
	body, err := protocol.EncodeResult(result)
	if err == nil && !protocol.Fits(leaf.V.Method, result) {
		if row := c.ses.Revision.Row(leaf.V.Method); row != nil {
			err = row.CheckResult(body, jsonrpc.Span{})
		}
	}
	if err != nil {
		return "", c.misuse(lifecycle.ErrParams, leaf.V.name(), err)
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
		return c.misuse(lifecycle.ErrParams, leaf.V.name(), err)
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
		return c.misuse(lifecycle.ErrProgress, leaf.V.name(), nil)
	}
	p.ProgressToken = x.token
	body, err := protocol.EncodeParams(p)
	if err != nil {
		return c.misuse(lifecycle.ErrParams, "notifications/progress", err)
	}
	next := *x
	next.last, next.reported = p.Progress, true
	v := leaf.V
	v.ext = &next
	c.in = c.in.Put(leaf.Key, leaf.Deadline, v)
	note("notifications/progress", body, call, o)
	return nil
}

// Abandon closes an open call that nobody waits for any more.
func (c *Core) Abandon(call lifecycle.Call, o *lifecycle.Output) {
	if leaf := c.lookup(call); leaf != nil {
		c.in, _ = c.in.Delete(leaf.Key)
		c.lost(leaf, &lifecycle.Cause{Kind: lifecycle.CauseAbandoned}, o)
		c.settle(o)
	}
}

func (c *Core) lost(leaf *table.Leaf[Inbound], cause *lifecycle.Cause, o *lifecycle.Output) {
	o.Events = append(o.Events, lifecycle.Event{
		Kind: lifecycle.RequestLost, Call: lifecycle.MakeCall(leaf.V.Seq, leaf.Key), ID: leaf.V.ID,
		Method: leaf.V.name(), Cause: cause,
	})
}

// cancelled handles notifications/cancelled of the peer (cancellation, Behavior
// Requirements): what cannot be cancelled is ignored.
func (c *Core) cancelled(m *jsonrpc.Message, o *lifecycle.Output) {
	var p protocol.CancelledParams
	if p.DecodeJSON(m.Body, m.Span) != nil {
		Violation(ruleCancelParams, m, o)
		return
	}
	leaf := c.in.Get(c.env.Key(p.RequestID))
	if leaf == nil || leaf.V.ID != p.RequestID {
		Ignored(ruleCancelUnknown, m, o)
		return
	}
	if row := c.ses.Revision.Row(leaf.V.Method); row != nil && !row.Cancellable {
		Ignored(ruleCancelUnknown, m, o)
		return
	}
	call := lifecycle.MakeCall(leaf.V.Seq, leaf.Key)
	c.in, _ = c.in.Delete(leaf.Key)
	o.Events = append(o.Events, lifecycle.Event{
		Kind: lifecycle.RequestCancelled, Call: call, ID: leaf.V.ID, Method: leaf.V.name(), Body: m.Body,
		Req: c.oldestWithin(call), Cause: &lifecycle.Cause{Kind: lifecycle.CauseCancelled, Reason: p.Reason},
	})
	c.settle(o)
}

// expireInbound answers what the application owed for too long.
func (c *Core) expireInbound(o *lifecycle.Output) {
	var due []*table.Leaf[Inbound]
	if c.in, due = c.in.Expire(c.now); len(due) == 0 {
		return
	}
	// Keys say nothing about age: order by deadline, then by arrival.
	slices.SortStableFunc(due, func(a, b *table.Leaf[Inbound]) int {
		if a.Deadline != b.Deadline {
			return order(a.Deadline, b.Deadline)
		}
		return order(a.V.Seq, b.V.Seq)
	})
	cause := &lifecycle.Cause{Kind: lifecycle.CauseTimedOut}
	for _, leaf := range due {
		call := lifecycle.MakeCall(leaf.V.Seq, leaf.Key)
		e := protocol.InternalError("no answer in time")
		answer(call, &leaf.V, jsonrpc.Message{Kind: jsonrpc.KindError, Err: &e}, o)
		o.Events = append(o.Events, lifecycle.Event{
			Kind: lifecycle.RequestExpired, Call: call, ID: leaf.V.ID, Method: leaf.V.name(), Cause: cause,
		})
	}
}

// inboundByAge returns the open calls, oldest first.
func (c *Core) inboundByAge() []*table.Leaf[Inbound] {
	list := slices.Collect(c.in.All())
	slices.SortFunc(list, func(a, b *table.Leaf[Inbound]) int { return order(a.V.Seq, b.V.Seq) })
	return list
}

// CallInfo describes an open inbound request.
type CallInfo struct {
	Call          lifecycle.Call
	ID            jsonrpc.ID
	Method        string
	ProgressToken jsonrpc.ID // zero: the peer wants no progress
}

// Calls returns the open inbound requests, oldest first.
func (c *Core) Calls() iter.Seq[CallInfo] {
	list := c.inboundByAge()
	return func(yield func(CallInfo) bool) {
		for _, leaf := range list {
			info := CallInfo{Call: lifecycle.MakeCall(leaf.V.Seq, leaf.Key), ID: leaf.V.ID, Method: leaf.V.name()}
			if x := leaf.V.ext; x != nil {
				info.ProgressToken = x.token
			}
			if !yield(info) {
				return
			}
		}
	}
}

func order[T int64 | uint64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
