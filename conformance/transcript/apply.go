package transcript

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sansmcp/mcp/conformance/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// verb is what an application does.
type verb struct {
	name   string
	call   lifecycle.Call
	req    lifecycle.Req
	text   string   // a method, a reason, or a cause: nil for none, "" for errDriver
	list   []string // the options of a catalog, or roots
	body   jsonrpc.Raw
	null   bool // nil in place of params or a result
	err    jsonrpc.Error
	report protocol.ProgressParams
	opt    lifecycle.RequestOptions
	grace  time.Duration
}

// params are those of a request or a notification.
func (v *verb) params() protocol.Params {
	if v.null {
		return nil
	}
	return protocol.RawRequest{Name: v.text, Body: v.body}
}

func (v *verb) result() protocol.Result {
	if v.null {
		return nil
	}
	return v.body
}

// answer is what finish takes.
func (v *verb) answer() lifecycle.Answer {
	if v.err != (jsonrpc.Error{}) {
		return lifecycle.Answer{Call: v.call, Err: &v.err}
	}
	return lifecycle.Answer{Call: v.call, Result: v.result()}
}

func (v *verb) cause() error {
	switch v.text {
	case nothing:
		return nil
	case "":
		return errDriver
	}
	return errors.New(v.text)
}

// subject is the machine that a script drives, with the Config that a snapshot of it is
// restored with, and the Catalog that a new session has.
type subject struct {
	session.Machine
	cfg   session.Config
	first *server.Catalog
	head  []string // the options of the head
}

func newSubject(role lifecycle.Party, options []string, now time.Time) (x subject, err error) {
	x.cfg.Party, x.head = role, options
	if err = x.configure(options); err == nil {
		x.Machine, err = x.cfg.New(now)
	}
	return x, err
}

// configure makes the Config that of the options.
func (x *subject) configure(options []string) (err error) {
	if x.cfg.Party == lifecycle.Server {
		x.cfg.Server, err = Server(options)
	} else {
		x.cfg.Client, err = Client(options)
	}
	x.first = x.cfg.Server.Catalog
	return err
}

// reload goes on with what a snapshot gives.
func (x *subject) reload(now time.Time) (err error) {
	x.Machine, err = x.cfg.Restore(x.Snapshot(), now)
	return err
}

// restore is reload, after "head" under the Config of the head with more options.
func (x *subject) restore(now time.Time, options []string) error {
	if len(options) > 0 && options[0] == "head" {
		if err := x.configure(slices.Concat(x.head, options[1:])); err != nil {
			return err
		}
	}
	x.first = x.cfg.Server.Catalog
	return x.reload(now)
}

func (x *subject) receive(now time.Time, m jsonrpc.Message) (out lifecycle.Output) {
	x.Machine, out = x.Receive(now, m)
	return out
}

func (x *subject) tick(now time.Time) (out lifecycle.Output) {
	x.Machine, out = x.Tick(now)
	return out
}

// apply does what the application does.
func (x *subject) apply(now time.Time, v verb) (out lifecycle.Output, err error) {
	m := x.Machine
	switch v.name {
	case "initialize":
		m, out, err = m.Initialize(now)
	case "respond":
		m, out, err = m.Respond(now, v.call, v.result())
	case "fail":
		m, out, err = m.Fail(now, v.call, v.err)
	case "finish":
		m, out, err = m.Finish(now, v.answer())
	case "progress":
		m, out, err = m.Progress(now, v.call, v.report)
	case "request":
		m, out, err = m.Request(now, v.params(), v.opt)
	case "notify":
		m, out, err = m.Notify(now, v.params(), v.call)
	case "cancel":
		m, out, err = m.Cancel(now, v.req, v.text)
	case "sendfailed":
		m, out = m.SendFailed(now, v.req, v.cause())
	case "responselost":
		m, out = m.ResponseLost(now, v.req, v.cause())
	case "abandon":
		m, out = m.Abandon(now, v.call)
	case "inputclosed":
		m, out = m.InputClosed(now)
	case "disconnected":
		m, out = m.Disconnected(now, v.cause())
	case "shutdown":
		m, out = m.Shutdown(now, v.grace)
	case "abort":
		m, out = m.Abort(now, v.cause())
	case "reset":
		m, err = m.Reset(now)
	case "catalog":
		m, out, err = x.offer(now, v.list)
	case "roots":
		var roots []protocol.Root
		if roots, err = readRoots(v.list); err == nil {
			m, out, err = m.SetRoots(now, roots)
		}
	case "restore":
		return out, x.restore(now, v.list)
	case "newsession":
		x.cfg.Server.Catalog = x.first
		m, err = m.NewSession(now)
	default:
		err = fmt.Errorf("there is no verb %q", v.name)
	}
	x.Machine = m
	return out, err
}

// offer replaces the catalog by that of the options.
func (x *subject) offer(now time.Time, options []string) (session.Machine, lifecycle.Output, error) {
	cfg, err := Server(options)
	if err != nil {
		return x.Machine, lifecycle.Output{}, err
	}
	m, out, err := x.SetCatalog(now, cfg.Catalog)
	if err == nil {
		x.cfg.Server.Catalog = cfg.Catalog
	}
	return m, out, err
}
