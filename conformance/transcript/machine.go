package transcript

import (
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// machine is a State of either role with its current value.
type machine interface {
	receive(now time.Time, m jsonrpc.Message) lifecycle.Output
	tick(now time.Time) lifecycle.Output
	deadline() (time.Time, bool)
	phase() lifecycle.Phase
	check() error
	verb(now time.Time, v verb) (lifecycle.Output, error)
	reload(now time.Time) error
	calls(yield func(server.CallInfo) bool)
	reqs(yield func(server.ReqInfo) bool)
}

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

type serverMachine struct {
	s   server.State
	cfg server.Config
}

func (m *serverMachine) receive(now time.Time, msg jsonrpc.Message) (out lifecycle.Output) {
	m.s, out = m.s.Receive(now, msg)
	return out
}

func (m *serverMachine) tick(now time.Time) (out lifecycle.Output) {
	m.s, out = m.s.Tick(now)
	return out
}

func (m *serverMachine) deadline() (time.Time, bool)            { return m.s.NextDeadline() }
func (m *serverMachine) phase() lifecycle.Phase                 { return m.s.Phase() }
func (m *serverMachine) check() error                           { return m.s.Check() }
func (m *serverMachine) calls(yield func(server.CallInfo) bool) { m.s.Calls()(yield) }
func (m *serverMachine) reqs(yield func(server.ReqInfo) bool)   { m.s.Requests()(yield) }

func (m *serverMachine) reload(now time.Time) (err error) {
	m.s, err = server.Restore(m.cfg, m.s.Snapshot(), now)
	return err
}

func (m *serverMachine) verb(now time.Time, v verb) (out lifecycle.Output, err error) {
	switch v.name {
	case "respond":
		m.s, out, err = m.s.Respond(now, v.call, v.body)
	case "fail":
		m.s, out, err = m.s.Fail(now, v.call, rpcError(v.body))
	case "finish":
		m.s, out, err = m.s.Finish(now, lifecycle.Answer{Call: v.call, Result: v.body})
	case "progress":
		p, _ := protocol.Decode[protocol.ProgressParams](v.body)
		m.s, out, err = m.s.Progress(now, v.call, p)
	case "request":
		m.s, out, err = m.s.Request(now, protocol.RawRequest{Name: v.text, Body: v.body}, v.opt)
	case "notify":
		m.s, out, err = m.s.Notify(now, protocol.RawRequest{Name: v.text, Body: v.body}, v.call)
	case "cancel":
		m.s, out, err = m.s.Cancel(now, v.req, v.text)
	case "sendfailed":
		m.s, out = m.s.SendFailed(now, v.req, errDriver)
	case "abandon":
		m.s, out = m.s.Abandon(now, v.call)
	case "inputclosed":
		m.s, out = m.s.InputClosed(now)
	case "disconnected":
		m.s, out = m.s.Disconnected(now, errDriver)
	case "shutdown":
		m.s, out = m.s.Shutdown(now, v.grace)
	case "abort":
		m.s, out = m.s.Abort(now, errDriver)
	case "reset":
		m.s, err = m.s.Reset(now)
	case "catalog":
		var cfg server.Config
		if cfg, err = Server(strings.Fields(v.text)); err == nil {
			m.cfg.Catalog = cfg.Catalog
			m.s, out, err = m.s.SetCatalog(now, cfg.Catalog)
		}
	default:
		err = fmt.Errorf("a server has no verb %q", v.name)
	}
	return out, err
}

type clientMachine struct {
	s   client.State
	cfg client.Config
}

func (m *clientMachine) receive(now time.Time, msg jsonrpc.Message) (out lifecycle.Output) {
	m.s, out = m.s.Receive(now, msg)
	return out
}

func (m *clientMachine) tick(now time.Time) (out lifecycle.Output) {
	m.s, out = m.s.Tick(now)
	return out
}

func (m *clientMachine) deadline() (time.Time, bool)            { return m.s.NextDeadline() }
func (m *clientMachine) phase() lifecycle.Phase                 { return m.s.Phase() }
func (m *clientMachine) check() error                           { return m.s.Check() }
func (m *clientMachine) calls(yield func(server.CallInfo) bool) { m.s.Calls()(yield) }
func (m *clientMachine) reqs(yield func(server.ReqInfo) bool)   { m.s.Requests()(yield) }

func (m *clientMachine) reload(now time.Time) (err error) {
	m.s, err = client.Restore(m.cfg, m.s.Snapshot(), now)
	return err
}

func (m *clientMachine) verb(now time.Time, v verb) (out lifecycle.Output, err error) {
	switch v.name {
	case "initialize":
		m.s, out, err = m.s.Initialize(now)
	case "respond":
		m.s, out, err = m.s.Respond(now, v.call, v.body)
	case "fail":
		m.s, out, err = m.s.Fail(now, v.call, rpcError(v.body))
	case "finish":
		m.s, out, err = m.s.Finish(now, lifecycle.Answer{Call: v.call, Result: v.body})
	case "progress":
		p, _ := protocol.Decode[protocol.ProgressParams](v.body)
		m.s, out, err = m.s.Progress(now, v.call, p)
	case "request":
		m.s, out, err = m.s.Request(now, protocol.RawRequest{Name: v.text, Body: v.body}, v.opt)
	case "notify":
		m.s, out, err = m.s.Notify(now, protocol.RawRequest{Name: v.text, Body: v.body}, v.call)
	case "cancel":
		m.s, out, err = m.s.Cancel(now, v.req, v.text)
	case "sendfailed":
		m.s, out = m.s.SendFailed(now, v.req, errDriver)
	case "abandon":
		m.s, out = m.s.Abandon(now, v.call)
	case "inputclosed":
		m.s, out = m.s.InputClosed(now)
	case "disconnected":
		m.s, out = m.s.Disconnected(now, errDriver)
	case "shutdown":
		m.s, out = m.s.Shutdown(now, v.grace)
	case "abort":
		m.s, out = m.s.Abort(now, errDriver)
	case "reset":
		m.s, err = m.s.Reset(now)
	case "roots":
		var roots []protocol.Root
		for _, uri := range strings.Fields(v.text) {
			roots = append(roots, protocol.Root{URI: uri})
		}
		m.s, out, err = m.s.SetRoots(now, roots)
	default:
		err = fmt.Errorf("a client has no verb %q", v.name)
	}
	return out, err
}
