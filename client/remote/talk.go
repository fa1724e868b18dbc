package remote

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
)

// run drives x until it is done or lost, or ctx ends.
func (k *talk) run() {
	for k.ctx.Err() == nil {
		switch k.x.Phase() {
		case exchange.Requesting:
			k.request()
		case exchange.Waiting:
			k.wait()
		case exchange.Lost:
			if !k.login() {
				return
			}
		default:
			return
		}
		if k.fatal != nil || k.gone != nil {
			return
		}
	}
}

// wait waits for the next attempt of x. A GET stream also retries when the server accepts
// a message.
func (k *talk) wait() {
	var reached chan struct{}
	if k.p == nil {
		reached = k.s.reached
	}
	select {
	case <-time.After(time.Until(k.x.At())):
	case <-reached:
		k.x = k.x.Reached(time.Now())
	case <-k.ctx.Done():
	}
	k.x = k.x.Tick(time.Now())
}

// lost returns why x is lost; 0 if it is not, or its context has ended.
func (k *talk) lost() exchange.Reason {
	switch {
	case k.ctx.Err() != nil:
		return 0
	case k.fatal != nil:
		return exchange.Unauthorized
	case k.gone != nil:
		return exchange.SessionGone
	}
	return k.x.Failure().Reason
}

func (k *talk) failure() error {
	e := &lostError{Failure: k.x.Failure(), Err: k.err}
	if k.fatal != nil {
		e.Failure.Reason, e.Err = exchange.Unauthorized, k.fatal
	} else if k.gone != nil {
		e.Failure, e.Err = exchange.Failure{Reason: exchange.SessionGone}, k.gone
	}
	e.Failure.Accepted = k.x.Accepted()
	return e
}

// login gets another token, if the server requires one.
func (k *talk) login() bool {
	f := k.x.Failure()
	if k.s.t.auth == nil || !wantsToken(f) {
		return false
	}
	again, ok := k.x.Again()
	if !ok {
		return false
	}
	if err := k.reauthorize(f); err != nil {
		k.fatal = err
		return false
	}
	k.x = again
	return true
}

// request sends one request and reads the response.
func (k *talk) request() {
	t := k.s.t
	if !k.authorize() {
		k.x = k.x.Unanswered(time.Now(), lifecycle.NotSent)
		return
	}
	var body []byte
	op := k.x.Op()
	ctx, headed := k.ctx, func() {}
	if op == headers.OpPost {
		body = jsonrpc.Append(make([]byte, 0, envelope+len(k.p.o.Message.Body)), k.p.o.Message)
	}
	switch {
	case op == headers.OpPost && k.p.request(): // the timeout of the State applies
	case op == headers.OpListen: // some servers send nothing until their first message
	default:
		until, cut := context.WithCancelCause(k.ctx)
		defer cut(nil)
		timer := time.AfterFunc(t.opt.HeaderTimeout, func() { cut(errIdle) })
		ctx, headed = until, func() { timer.Stop() }
	}
	if k.p == nil {
		select {
		case <-k.s.reached: // before this request
		default:
		}
	}
	k.err = nil
	resp, err := k.do(ctx, op.Method(), t.url, body, k.x.Fields())
	headed()
	if k.headed != nil {
		k.headed()
	}
	if err != nil {
		k.err = reason(ctx, err)
		k.x = k.x.Unanswered(time.Now(), k.delivery(k.err))
		k.deserted(k.err)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	k.took(resp.StatusCode)
	k.x = k.x.Respond(time.Now(), exchange.Read(resp.StatusCode, resp.Header.Values))
	if k.p != nil && k.x.Accepted() && !k.taken {
		k.taken = true
		k.by.accepted(k.x.SessionID())
	}
	switch k.x.Phase() {
	case exchange.JSON:
		err = k.json(resp)
	case exchange.Stream:
		err = k.stream(resp)
	}
	if err != nil {
		k.err = reason(ctx, err)
		k.x = k.x.Closed(time.Now())
		if !errors.Is(err, io.EOF) { // it ended abnormally
			switch k.x.Phase() {
			case exchange.Waiting:
				k.deserted(k.knock(k.x.At()))
			case exchange.Lost: // such as the stream of a request without a session, which cannot be resumed
				k.deserted(k.knock(time.Now().Add(knockLast)))
			}
		}
	}
}

// deserted ends the session if a connection was refused, if that is enabled and a session is
// open.
func (k *talk) deserted(err error) {
	if k.s.t.opt.RefusedEnds && refused(err) && (k.p == nil || !begins(k.p.o.Message)) {
		k.gone = err
	}
}

// knock checks whether a server listens at the url, if that matters, and returns why not. It
// takes no longer than until, when a stream would be resumed anyway. A dying process may close its connections
// before it stops listening, so that one more is accepted and then reset: knock then repeats the
// check.
func (k *talk) knock(until time.Time) error {
	if !k.s.t.opt.RefusedEnds {
		return nil
	}
	ctx, end := context.WithDeadline(k.ctx, until)
	defer end()
	for wait := knockWait; ; wait *= 2 {
		req, err := http.NewRequestWithContext(ctx, http.MethodOptions, k.s.t.url, nil)
		if err != nil {
			return err
		}
		maps.Copy(req.Header, k.s.t.opt.Header.Clone())
		if err = k.sign(req); err != nil {
			return err
		}
		resp, err := k.s.t.hc.Do(req)
		if err == nil {
			_ = resp.Body.Close()
			return nil
		}
		if err = reason(ctx, err); refused(err) || ctx.Err() != nil {
			return err
		}
		pause(ctx, wait)
	}
}

// knockWait is the pause before the second check, which doubles each time, and knockLast how long the checks take at
// most where nothing is resumed.
const (
	knockWait = 5 * time.Millisecond
	knockLast = time.Second
)

// envelope is approximately how many bytes a message has in addition to its body.
const envelope = 96
