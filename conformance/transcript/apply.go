package transcript

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/machine"
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
	machine.Machine
	server server.Config
	client client.Config
	first  *server.Catalog
	head   []string // the options of the head
}

func newServer(options []string, now time.Time) (subject, error) {
	cfg, err := Server(options)
	if err != nil {
		return subject{}, err
	}
	s, err := server.New(cfg, now)
	return subject{Machine: machine.Server(s), server: cfg, first: cfg.Catalog, head: options}, err
}

func newClient(options []string, now time.Time) (subject, error) {
	cfg, err := Client(options)
	if err != nil {
		return subject{}, err
	}
	c, err := client.New(cfg, now)
	return subject{Machine: machine.Client(c), client: cfg, head: options}, err
}

// reload goes on with what a snapshot gives.
func (x *subject) reload(now time.Time) error {
	if x.Party() == lifecycle.Server {
		s, err := server.Restore(x.server, x.Snapshot(), now)
		x.Machine = machine.Server(s)
		return err
	}
	c, err := client.Restore(x.client, x.Snapshot(), now)
	x.Machine = machine.Client(c)
	return err
}

// restore is reload, after "head" under the Config of the head with more options.
func (x *subject) restore(now time.Time, options []string) (err error) {
	if len(options) > 0 && options[0] == "head" {
		options = slices.Concat(x.head, options[1:])
		if x.Party() == lifecycle.Server {
			x.server, err = Server(options)
		} else {
			x.client, err = Client(options)
		}
		if err != nil {
			return err
		}
	}
	x.first = x.server.Catalog
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
		x.server.Catalog = x.first
		m, err = machine.NewSession(m, now)
	default:
		err = fmt.Errorf("there is no verb %q", v.name)
	}
	x.Machine = m
	return out, err
}

// offer replaces the catalog by that of the options.
func (x *subject) offer(now time.Time, options []string) (machine.Machine, lifecycle.Output, error) {
	cfg, err := Server(options)
	if err != nil {
		return x.Machine, lifecycle.Output{}, err
	}
	m, out, err := x.SetCatalog(now, cfg.Catalog)
	if err == nil {
		x.server.Catalog = cfg.Catalog
	}
	return m, out, err
}
