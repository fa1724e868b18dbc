package transcript

import (
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// verb is what an application does.
type verb struct {
	name  string
	call  lifecycle.Call
	req   lifecycle.Req
	text  string // a method, a reason, a duration, or JSON that goes with the name
	body  jsonrpc.Raw
	opt   lifecycle.RequestOptions
	grace time.Duration
}

// subject is the machine that a script drives, with the Config that it is of.
type subject struct {
	session.Machine
	cfg session.Config
}

func newSubject(role lifecycle.Party, options []string, now time.Time) (x subject, err error) {
	x.cfg.Party = role
	if role == lifecycle.Server {
		x.cfg.Server, err = Server(options)
	} else {
		x.cfg.Client, err = Client(options)
	}
	if err == nil {
		x.Machine, err = x.cfg.New(now)
	}
	return x, err
}

// reload goes on with what a snapshot gives.
func (x *subject) reload(now time.Time) (err error) {
	x.Machine, err = x.cfg.Restore(x.Snapshot(), now)
	return err
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
		m, out, err = m.Respond(now, v.call, v.body)
	case "fail":
		m, out, err = m.Fail(now, v.call, rpcError(v.body))
	case "finish":
		m, out, err = m.Finish(now, lifecycle.Answer{Call: v.call, Result: v.body})
	case "progress":
		p, _ := protocol.Decode[protocol.ProgressParams](v.body)
		m, out, err = m.Progress(now, v.call, p)
	case "request":
		m, out, err = m.Request(now, protocol.RawRequest{Name: v.text, Body: v.body}, v.opt)
	case "notify":
		m, out, err = m.Notify(now, protocol.RawRequest{Name: v.text, Body: v.body}, v.call)
	case "cancel":
		m, out, err = m.Cancel(now, v.req, v.text)
	case "sendfailed":
		m, out = m.SendFailed(now, v.req, errDriver)
	case "abandon":
		m, out = m.Abandon(now, v.call)
	case "inputclosed":
		m, out = m.InputClosed(now)
	case "disconnected":
		m, out = m.Disconnected(now, errDriver)
	case "shutdown":
		m, out = m.Shutdown(now, v.grace)
	case "abort":
		m, out = m.Abort(now, errDriver)
	case "reset":
		m, err = m.Reset(now)
	case "catalog":
		var cfg server.Config
		if cfg, err = Server(strings.Fields(v.text)); err == nil {
			x.cfg.Server.Catalog = cfg.Catalog
			m, out, err = m.SetCatalog(now, cfg.Catalog)
		}
	case "roots":
		var roots []protocol.Root
		for _, uri := range strings.Fields(v.text) {
			roots = append(roots, protocol.Root{URI: uri})
		}
		m, out, err = m.SetRoots(now, roots)
	default:
		err = fmt.Errorf("there is no verb %q", v.name)
	}
	x.Machine = m
	return out, err
}
