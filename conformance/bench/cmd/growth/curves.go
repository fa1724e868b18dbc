package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// curve is something whose number grows, and an act among them.
type curve struct {
	of, act string
	sizes   []int
	make    func(n int) (act func() error, end func(), err error)
}

var curves = []curve{
	{"tools", "call one", []int{1, 1000, 100_000}, tools},
	{"templates", "read by one", []int{1, 100, 1000, 10_000}, templates},
	{"requests in flight", "one more", []int{1, 1000, 100_000}, inFlight},
	{"subscriptions", "an update", []int{1, 1000, 100_000}, subscriptions},
	{"servers behind a relay", "a call passed on", []int{1, 100, 1000}, relayedCall},
	{"servers behind a relay", "a list changes", []int{1, 100, 1000}, relayedChange},
	{"HTTP sessions", "call in one", []int{1, 1000, 20_000}, sessions},
	{"HTTP sessions", "begin and end one", []int{1, 1000, 20_000}, beginAndEnd},
}

var (
	origin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	info   = protocol.Implementation{Name: "growth", Version: "1"}
)

const (
	initialize  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

func nothing() {}

// open returns a session that is ready.
func open(h *server.Handlers, cfg server.Config) (s server.State, err error) {
	cfg.Info, cfg.Serve = info, h.Serve()
	if cfg.Catalog, err = h.Catalog(); err != nil {
		return s, err
	}
	if s, err = server.New(cfg, origin); err != nil {
		return s, err
	}
	for _, m := range []string{initialize, initialized} {
		s, _ = s.Receive(origin, jsonrpc.DecodeString(m))
	}
	return s, nil
}

// answered returns an act: a request with its result.
func answered(h *server.Handlers, s server.State, text string) func() error {
	m := jsonrpc.DecodeString(text)
	return func() error {
		if _, out := h.Receive(s, origin, m); len(out.Send) != 1 || out.Send[0].Message.Err != nil {
			return errors.New("no result")
		}
		return nil
	}
}

func withTools(n int) *server.Handlers {
	h := new(server.Handlers)
	for i := range n {
		h.Tool(protocol.Tool{Name: fmt.Sprint("tool-", i), InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("x"), nil
		})
	}
	return h
}

func tools(n int) (func() error, func(), error) {
	h := withTools(n)
	s, err := open(h, server.Config{})
	return answered(h, s, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool-%d","arguments":{}}}`, n/2)), nothing, err
}

func templates(n int) (func() error, func(), error) {
	h := new(server.Handlers)
	for i := range n {
		h.Template(protocol.ResourceTemplate{URITemplate: fmt.Sprintf("a%d://host/{x}", i), Name: "t"}, func(_ context.Context, _ server.Caller, p protocol.ReadResourceParams, _ uritemplate.Values) (*protocol.ReadResourceResult, error) {
			return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{protocol.TextResource(p.URI, "text/plain", "x")}}, nil
		})
	}
	s, err := open(h, server.Config{})
	return answered(h, s, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a%d://host/7"}}`, n-1)), nothing, err
}

func inFlight(n int) (act func() error, end func(), err error) {
	c, err := client.New(client.Config{Info: info, Limits: lifecycle.Limits{Outbound: 1 << 20}}, origin)
	if err != nil {
		return nil, nil, err
	}
	c, out, err := c.Initialize(origin)
	if err != nil {
		return nil, nil, err
	}
	c, _ = c.Receive(origin, jsonrpc.DecodeString(fmt.Sprintf(
		`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`, out.Send[0].Message.ID)))
	p := protocol.CallToolParams{Name: "x"}
	for range n {
		if c, _, err = c.Request(origin, p, client.RequestOptions{}); err != nil {
			return nil, nil, err
		}
	}
	return func() error {
		_, _, err := c.Request(origin, p, client.RequestOptions{})
		return err
	}, nothing, nil
}

func subscriptions(n int) (act func() error, end func(), err error) {
	h := new(server.Handlers)
	h.Template(protocol.ResourceTemplate{URITemplate: "a://{x}", Name: "t"}, func(context.Context, server.Caller, protocol.ReadResourceParams, uritemplate.Values) (*protocol.ReadResourceResult, error) {
		return nil, errors.New("nothing is read")
	})
	s, err := open(h, server.Config{Subscribe: true, Limits: lifecycle.Limits{Subscriptions: 1 << 20}})
	if err != nil {
		return nil, nil, err
	}
	for i := range n {
		s, _ = s.Receive(origin, jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/subscribe","params":{"uri":"a://%d"}}`, i+10, i)))
	}
	p := protocol.ResourceUpdatedParams{URI: fmt.Sprint("a://", n/2)}
	return func() error {
		_, out, err := s.Notify(origin, p, server.Call{})
		if err == nil && len(out.Send) != 1 {
			err = errors.New("no announcement")
		}
		return err
	}, nothing, nil
}

// overHTTP is a handler of HTTP sessions, without connections.
type overHTTP struct{ d *nethttp.Handler }

func newOverHTTP() (overHTTP, error) {
	d, err := nethttp.NewHandler(server.Config{Info: info}, withTools(1), nethttp.Options{MaxSessions: 1 << 20, AnyHost: true, IdleTimeout: time.Hour})
	return overHTTP{d}, err
}

func (o overHTTP) do(method, id, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if id != "" {
		r.Header.Set("Mcp-Session-Id", id)
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	w := httptest.NewRecorder()
	o.d.ServeHTTP(w, r)
	return w
}

// begin opens a session.
func (o overHTTP) begin() (id string) {
	id = o.do(http.MethodPost, "", initialize).Header().Get("Mcp-Session-Id")
	o.do(http.MethodPost, id, initialized)
	return id
}

func sessions(n int) (act func() error, end func(), err error) {
	o, err := newOverHTTP()
	if err != nil {
		return nil, nil, err
	}
	ids := make([]string, n)
	for i := range ids {
		ids[i] = o.begin()
	}
	i := 0
	return func() error {
		i++
		w := o.do(http.MethodPost, ids[i*7919%n], `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"tool-0","arguments":{}}}`)
		if w.Code != http.StatusOK {
			return fmt.Errorf("status %d: %s", w.Code, w.Body)
		}
		return nil
	}, o.d.Close, nil
}

// beginAndEnd opens a session in addition to n others and ends it.
func beginAndEnd(n int) (act func() error, end func(), err error) {
	o, err := newOverHTTP()
	if err != nil {
		return nil, nil, err
	}
	for range n {
		o.begin()
	}
	return func() error {
		if w := o.do(http.MethodDelete, o.begin(), ""); w.Code >= 300 {
			return fmt.Errorf("status %d: %s", w.Code, w.Body)
		}
		return nil
	}, o.d.Close, nil
}
