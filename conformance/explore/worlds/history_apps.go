package worlds

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// do does an operation in a lane.
func (x *historyScope) do(op uint8, c *hcall, a *agenda) error {
	l := x.cur
	switch op {
	case hopEcho, hopSteps, hopAsk, hopHold:
		args := protocol.Raw(fmt.Sprintf(`{"n":%d}`, c.n))
		meta := protocol.Meta("").With(protocol.MetaLogLevel, `"info"`)
		next, out, err := l.c.Request(l.now, protocol.CallToolParams{Name: historyTools[op], Arguments: args, Meta: meta}, client.RequestOptions{Progress: true})
		if err != nil {
			return err
		}
		l.mine = append(l.mine, owned{seq: out.Req.Seq(), n: c.n})
		x.client(next, out)
	case hopList:
		next, out, err := l.c.Request(l.now, protocol.ListToolsParams{}, client.RequestOptions{})
		if err != nil {
			return err
		}
		l.mine = append(l.mine, owned{seq: out.Req.Seq(), n: a.last, list: true})
		x.client(next, out)
	case hopCancel:
		i := slices.IndexFunc(l.mine, func(o owned) bool { return o.n == c.n })
		if i < 0 {
			return fmt.Errorf("the client has no call %d", c.n)
		}
		next, out, err := l.c.Cancel(l.now, l.c.Req(l.mine[i].seq), "")
		if err != nil {
			return err
		}
		x.client(next, out)
	case hopCatalog:
		return x.serve(l.s.SetCatalog(l.now, x.lists[a.catalog]))
	case hopLog:
		return x.outside(a.last)
	default:
		i := slices.IndexFunc(l.held, func(h holding) bool { return h.n == c.n })
		if i < 0 {
			return fmt.Errorf("the server has no call %d", c.n)
		}
		return x.holds(op, c, l.held[i])
	}
	return nil
}

// outside sends a log message outside of any call, if the session allows it.
func (x *historyScope) outside(n int) error {
	if x.kind.revision.Stateless() {
		return nil
	}
	return x.serve(x.cur.s.Notify(x.cur.now, logged(n), server.Call{}))
}

// holds does an operation with a held call.
func (x *historyScope) holds(op uint8, c *hcall, h holding) error {
	l := x.cur
	call := l.s.Call(h.seq, h.key)
	switch op {
	case hopProgress:
		return x.serve(l.s.Progress(l.now, call, protocol.ProgressParams{Progress: float64(c.said + 1)}))
	case hopQuestion:
		return x.asks(h, c.asked+1)
	}
	l.held = slices.DeleteFunc(l.held, func(o holding) bool { return o.n == c.n })
	if op == hopFinish {
		return x.serve(l.s.Respond(l.now, call, protocol.TextResult("done")))
	}
	return x.serve(l.s.Fail(l.now, call, *refusal))
}

// asks asks the k-th question within a call.
func (x *historyScope) asks(h holding, k int) error {
	l := x.cur
	call := l.s.Call(h.seq, h.key)
	if x.kind.revision.Stateless() {
		return x.serve(l.s.Finish(l.now, server.Answer{Call: call, Result: &protocol.InputRequired{
			Questions: []protocol.Question{{Key: "k", Params: question(h.n, k)}}, State: "s",
		}}))
	}
	s, out, err := l.s.Request(l.now, question(h.n, k), server.RequestOptions{Within: call})
	if err == nil {
		l.inquiries = append(l.inquiries, owned{seq: out.Req.Seq(), n: h.n})
	}
	return x.serve(s, out, err)
}

func (x *historyScope) serve(s server.State, out server.Output, err error) error {
	if err == nil {
		x.server(s, out)
	}
	return err
}

func logged(n int) protocol.LoggingMessageParams {
	return protocol.LoggingMessageParams{Level: "error", Data: jsonrpc.Raw(strconv.Itoa(n))}
}

// says adds to the log.
func (l *lane) says(format string, args ...any) {
	l.said = append(l.said, fmt.Sprintf(format, args...))
}

// react lets the applications handle the events.
func (x *historyScope) react() {
	l := x.cur
	for len(l.todo) > 0 {
		h := l.todo[0]
		if l.todo = l.todo[1:]; h.server {
			x.serverSees(&h.ev)
		} else {
			x.clientSees(&h.ev)
		}
	}
	l.todo = nil
}

// clientSees is the application of the client: it answers questions.
func (x *historyScope) clientSees(ev *client.Event) {
	l := x.cur
	i := slices.IndexFunc(l.mine, func(o owned) bool { return o.seq == ev.Req.Seq() && !ev.Req.IsZero() })
	switch ev.Kind {
	case lifecycle.RequestReceived:
		text := textIn(string(ev.Body))
		n, _, _ := strings.Cut(text, ".")
		l.says("client %s: asked %s", n, text)
		answer := askResult
		answer.Content = []protocol.Content{protocol.TextContent("to " + text)}
		if c, out, err := l.c.Respond(l.now, l.c.Call(ev.Call.Seq(), ev.Call.Key()), answer); err == nil {
			x.client(c, out)
		}
	case lifecycle.ProgressReceived:
		if i >= 0 {
			l.says("client %d: progress %v", l.mine[i].n, progressOf(ev.Body))
		}
	case lifecycle.ResponseReceived, lifecycle.RequestFailed:
		if i < 0 {
			return
		}
		o := l.mine[i]
		l.mine = slices.Delete(l.mine, i, i+1)
		switch {
		case ev.Kind == lifecycle.RequestFailed:
			l.says("client %d: %v", o.n, ev.Cause.Kind)
		case ev.Err != nil:
			l.says("client %d: error %d", o.n, ev.Err.Code)
		case o.list:
			l.says("client %d: %d tools", o.n, strings.Count(string(ev.Body), `"name"`)-strings.Count(string(ev.Body), `serverInfo`))
		default:
			l.says("client %d: %s", o.n, textIn(string(ev.Body)))
		}
	case lifecycle.NotificationReceived:
		data, _ := rawjson.Get(string(ev.Body), "data")
		if n, within, ok := strings.Cut(data, "."); ok {
			l.says("client %s: log %s", n, within)
		} else {
			l.says("notified: %s %s", ev.Method, data)
		}
	case lifecycle.Violation:
		l.says("client: %v %s", ev.Kind, ev.Rule)
	}
}

// serverSees is the application of the server.
func (x *historyScope) serverSees(ev *server.Event) {
	l := x.cur
	switch ev.Kind {
	case lifecycle.RequestReceived:
		x.called(ev)
	case lifecycle.ResponseReceived:
		if x.resumed(ev.Req.Seq(), ev.Body) {
			return
		}
		i := slices.IndexFunc(l.inquiries, func(o owned) bool { return o.seq == ev.Req.Seq() })
		n := l.inquiries[i].n
		l.inquiries = slices.Delete(l.inquiries, i, i+1)
		x.told(n, textIn(string(ev.Body)))
	case lifecycle.RequestFailed:
		x.resumed(ev.Req.Seq(), "")
		l.inquiries = slices.DeleteFunc(l.inquiries, func(o owned) bool { return o.seq == ev.Req.Seq() })
	case lifecycle.RequestCancelled, lifecycle.RequestLost, lifecycle.RequestExpired:
		for _, h := range l.held {
			if h.seq == ev.Call.Seq() {
				l.says("server %d: %v", h.n, ev.Kind)
			}
		}
		l.held = slices.DeleteFunc(l.held, func(h holding) bool { return h.seq == ev.Call.Seq() })
	case lifecycle.Violation:
		l.says("server: %v %s", ev.Kind, ev.Rule)
	}
}

// resumed passes an answer to the function that waits for it, if any. None ends it.
func (x *historyScope) resumed(req uint64, body jsonrpc.Raw) bool {
	resume := x.waiting[req]
	if resume == nil {
		return false
	}
	delete(x.waiting, req)
	resume(body)
	return true
}

// called begins a call, or continues one that the client repeats.
func (x *historyScope) called(ev *server.Event) {
	l := x.cur
	args, _ := rawjson.Get(string(ev.Body), "arguments")
	number, _ := rawjson.Get(args, "n")
	n, _ := strconv.Atoi(number)
	answers, again := rawjson.Get(string(ev.Body), "inputResponses")
	tool := rawjson.Text(string(ev.Body), "name")
	h := holding{seq: ev.Call.Seq(), key: ev.Call.Key(), n: n, ends: tool == "ask"}
	if !again {
		l.says("server %d: %s", n, tool)
	}
	if job, ok := x.jobs.Job(*ev); ok && x.kind.functions {
		x.run(job)
		return
	}
	call := l.s.Call(h.seq, h.key)
	switch {
	case again:
		l.held = slices.DeleteFunc(l.held, func(o holding) bool { return o.n == n })
		l.held = append(l.held, h)
		x.told(n, textIn(answers))
	case tool == "echo":
		_ = x.serve(l.s.Respond(l.now, call, protocol.TextResult("echo"))) // it may be cancelled, in a batch
	case tool == "steps":
		_ = x.serve(l.s.Progress(l.now, call, protocol.ProgressParams{Progress: 1}))
		_ = x.serve(l.s.Notify(l.now, within(n), l.s.Call(h.seq, h.key)))
		_ = x.serve(l.s.Progress(l.now, l.s.Call(h.seq, h.key), protocol.ProgressParams{Progress: 2}))
		_ = x.serve(l.s.Respond(l.now, l.s.Call(h.seq, h.key), protocol.TextResult("steps")))
	default:
		l.held = append(l.held, h)
		if h.ends && x.asks(h, 1) != nil {
			l.held = l.held[:len(l.held)-1]
		}
	}
}

// within returns a log message within a call.
func within(n int) protocol.LoggingMessageParams {
	return protocol.LoggingMessageParams{Level: "error", Data: jsonrpc.Raw(fmt.Sprintf("%d.5", n))}
}

// told handles the answer to a question within a call.
func (x *historyScope) told(n int, text string) {
	l := x.cur
	l.says("server %d: told %s", n, text)
	i := slices.IndexFunc(l.held, func(h holding) bool { return h.n == n })
	if i >= 0 && l.held[i].ends {
		h := l.held[i]
		l.held = slices.Delete(l.held, i, i+1)
		_ = x.serve(l.s.Respond(l.now, l.s.Call(h.seq, h.key), protocol.TextResult(text)))
	}
}

// functions registers the functions of a server.
func (x *historyScope) functions() {
	tool := func(name string) protocol.Tool { return protocol.Tool{Name: name, InputSchema: `{"type":"object"}`} }
	number := func(p protocol.CallToolParams) int {
		v, _ := rawjson.Get(string(p.Arguments), "n")
		n, _ := strconv.Atoi(v)
		return n
	}
	x.inline.Tool(tool("echo"), func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		x.cur.says("server %d: echo", number(p))
		return protocol.TextResult("echo"), nil
	})
	x.inline.Tool(tool("steps"), func(_ context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		x.cur.says("server %d: steps", number(p))
		for _, step := range []func() error{
			func() error { return c.Progress(protocol.ProgressParams{Progress: 1}) },
			func() error { return c.Notify(within(number(p))) },
			func() error { return c.Progress(protocol.ProgressParams{Progress: 2}) },
		} {
			if err := step(); err != nil {
				return nil, err
			}
		}
		return protocol.TextResult("steps"), nil
	})
	x.jobs.Tool(tool("ask"), func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		q := protocol.Ask(p)
		r := q.Sample("k", question(number(p), 1))
		if err := q.Open(""); err != nil {
			return nil, err
		}
		x.cur.says("server %d: told %s", number(p), r.Content[0].Text)
		return protocol.TextResult(r.Content[0].Text), nil
	})
}

// waiter is the Caller of a function that waits for the answer to its question.
type waiter struct {
	server.Caller
	next   func() (protocol.Params, bool)
	stop   func()
	body   jsonrpc.Raw // the answer
	answer server.Answer
}

// run begins a function. Between two exchanges none waits, so a lane is then a value.
func (x *historyScope) run(job server.Job) {
	w := &waiter{}
	w.next, w.stop = iter.Pull(func(yield func(protocol.Params) bool) {
		w.answer = job.Run(context.Background(), asker{w, yield, func() server.State { return x.cur.s }})
	})
	x.goOn(w, job.Call.Seq(), job.Call.Key())
}

// asker is the Caller that a function sees.
type asker struct {
	*waiter
	yield func(protocol.Params) bool
	state func() server.State
}

// State returns the session.
func (a asker) State() server.State { return a.state() }

// Request passes the question to the world, and returns the answer.
func (a asker) Request(_ context.Context, p protocol.Params, _ server.RequestOptions) (jsonrpc.Raw, error) {
	if !a.yield(p) {
		return "", lifecycle.ErrGone
	}
	return a.body, nil
}

// goOn runs a function until it asks or ends.
func (x *historyScope) goOn(w *waiter, seq, key uint64) {
	l := x.cur
	call := l.s.Call(seq, key)
	p, more := w.next()
	if !more {
		w.answer.Call = call
		_ = x.serve(l.s.Finish(l.now, w.answer))
		return
	}
	s, out, err := l.s.Request(l.now, p, server.RequestOptions{Within: call})
	if x.serve(s, out, err) != nil {
		w.stop()
		return
	}
	x.waiting[out.Req.Seq()] = func(body jsonrpc.Raw) {
		if w.body = body; body == "" {
			w.stop()
		} else {
			x.goOn(w, seq, key)
		}
	}
}
