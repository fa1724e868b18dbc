package manager

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Respond answers a request of a server with a result, as client.State.Respond. Errors:
// lifecycle.ErrGone (it was answered or cancelled, or its link has ended), ErrParams, ErrRevision.
func (m Manager) Respond(now time.Time, call Call, result protocol.Result) (Manager, Effects, error) {
	return answer(m, now, call, "respond", client.State.Respond, result)
}

// Fail answers it with an error. Errors: as client.State.Fail.
func (m Manager) Fail(now time.Time, call Call, e jsonrpc.Error) (Manager, Effects, error) {
	return answer(m, now, call, "fail", client.State.Fail, e)
}

// Finish answers it with an Answer, such as a forwarded one; the Call in it is ignored. As with
// client.State.Finish, an invalid result becomes -32603, and Finish returns ErrParams or
// ErrRevision together with the next Manager and Effects to act on.
func (m Manager) Finish(now time.Time, call Call, a client.Answer) (Manager, Effects, error) {
	return answer(m, now, call, "finish", func(s client.State, t time.Time, call client.Call, a client.Answer) (client.State, client.Output, error) {
		a.Call = call
		return s.Finish(t, a)
	}, a)
}

// Progress reports progress of a request of a server. Errors: as client.State.Progress.
func (m Manager) Progress(now time.Time, call Call, p protocol.ProgressParams) (Manager, Effects, error) {
	return answer(m, now, call, "progress", client.State.Progress, p)
}

// answer does something with a request of a server, by a verb of its session.
func answer[A any](m Manager, now time.Time, call Call, name string, verb func(client.State, time.Time, client.Call, A) (client.State, client.Output, error), arg A) (Manager, Effects, error) {
	was := m
	var o step
	m.take(now)
	c := m.linked(call.Link)
	if c == nil {
		return was, Effects{}, &Error{Class: ClassLost, Server: call.Link.Server, Method: name, Err: lifecycle.ErrGone}
	}
	next, out, err := verb(c.client, m.clock.Time(), c.call(call), arg)
	if err != nil {
		err = m.verbError(c, name, err)
		if len(out.Send) == 0 {
			return was, Effects{}, err
		}
	}
	m.advance(c, next, out, &o)
	return m, o.Effects, err
}

// Notify sends a notification, within a request of the server or, with the zero Call, outside
// of any. Errors: ErrUnknownServer, ErrUnavailable; those of client.State.Notify.
func (m Manager) Notify(now time.Time, name string, n protocol.Params, within Call) (Manager, Effects, error) {
	was := m
	var o step
	m.take(now)
	method := protocol.MethodName(n)
	c, err := m.usable(name, method)
	if err != nil {
		return was, Effects{}, err
	}
	if !within.isZero() && within.Link != c.link() {
		return was, Effects{}, m.verbError(c, method, lifecycle.ErrGone)
	}
	next, out, err := c.client.Notify(m.clock.Time(), n, c.call(within))
	if err != nil {
		return was, Effects{}, m.verbError(c, method, err)
	}
	m.advance(c, next, out, &o)
	return m, o.Effects, nil
}

// SetRoots replaces the roots of one server, and announces the change if its session is ready. They
// stay when the connection is reopened. Errors: ErrUnknownServer; those of client.State.SetRoots.
func (m Manager) SetRoots(now time.Time, name string, roots []protocol.Root) (Manager, Effects, error) {
	was := m
	var o step
	m.take(now)
	c := m.named(name)
	if c == nil {
		return was, Effects{}, unknown(name, "set roots")
	}
	next, out, err := c.client.SetRoots(m.clock.Time(), roots)
	if err != nil {
		return was, Effects{}, m.verbError(c, "set roots", err)
	}
	c.edit().rooted = true
	m.advance(c, next, out, &o)
	return m, o.Effects, nil
}
