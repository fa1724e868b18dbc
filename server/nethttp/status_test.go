package nethttp_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
)

func set(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func unset(name string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Del(name) }
}

func hostIs(h string) func(*http.Request) { return func(r *http.Request) { r.Host = h } }

// Every status that a request can get by itself.
func TestStatuses(t *testing.T) {
	_, s := start(t, newKit(), nethttp.Options{MaxBody: 10_000})
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	p := open(t, s.URL, "2025-06-18")
	for _, tt := range []struct {
		name   string
		method string
		body   string
		edit   []func(*http.Request)
		status int
		in     string
	}{
		{"a ping", "POST", ping, nil, 200, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"a notification", "POST", `{"jsonrpc":"2.0","method":"notifications/x"}`, nil, 202, ""},
		{"a stray response", "POST", `{"jsonrpc":"2.0","id":77,"result":{}}`, nil, 202, ""},
		{"no JSON", "POST", `{`, nil, 400, `-32700`},
		{"no message", "POST", `[]`, nil, 400, ``},
		{"an empty body", "POST", "", []func(*http.Request){set("Content-Type", "application/json")}, 400, ``},
		{"a batch in a revision without", "POST", "[" + ping + "]", nil, 400, ``},
		{"no session", "POST", `{"jsonrpc":"2.0","method":"notifications/x"}`, []func(*http.Request){unset("Mcp-Session-Id")}, 400, `"error"`},
		{"a request without session", "POST", `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, []func(*http.Request){unset("Mcp-Session-Id")}, 400, `"id":7,"error":{"code":-32600`},
		{"a ping without session", "POST", ping, []func(*http.Request){unset("Mcp-Session-Id")}, 400, `"id":1,"error":{"code":-32600`},
		{"a probe of a later revision", "POST", `{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
			[]func(*http.Request){unset("Mcp-Session-Id"), set("Mcp-Protocol-Version", "2026-07-28")}, 400, `"id":7,"error":{"code":-32601`},
		{"another session", "POST", ping, []func(*http.Request){set("Mcp-Session-Id", "nobody")}, 404, `"error"`},
		{"a session that cannot be", "POST", ping, []func(*http.Request){set("Mcp-Session-Id", "no body")}, 404, ``},
		{"initialize again", "POST", `{"jsonrpc":"2.0","id":8,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, nil, 200, `-32600`},
		{"initialize of an old session", "POST", `{"jsonrpc":"2.0","id":8,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, []func(*http.Request){set("Mcp-Session-Id", "nobody")}, 404, ``},
		{"a bad initialize", "POST", `{"jsonrpc":"2.0","id":8,"method":"initialize","params":{}}`, []func(*http.Request){unset("Mcp-Session-Id")}, 200, `-32602`},
		{"an unknown version", "POST", ping, []func(*http.Request){set("Mcp-Protocol-Version", "2020-01-01")}, 400, ``},
		{"another version that is spoken", "POST", ping, []func(*http.Request){set("Mcp-Protocol-Version", "2025-03-26")}, 200, ``},
		{"no version", "POST", ping, []func(*http.Request){unset("Mcp-Protocol-Version")}, 200, ``},
		{"text", "POST", ping, []func(*http.Request){set("Content-Type", "text/plain")}, 415, ``},
		{"a charset", "POST", ping, []func(*http.Request){set("Content-Type", "application/json; charset=utf-8")}, 200, ``},
		{"JSON only", "POST", ping, []func(*http.Request){set("Accept", "application/json")}, 200, `"result":{}`},
		{"streams only", "POST", ping, []func(*http.Request){set("Accept", "text/event-stream")}, 406, ``},
		{"a compressed body", "POST", ping, []func(*http.Request){set("Content-Encoding", "gzip")}, 415, `-32600`},
		{"more text", "POST", ping + " x", nil, 400, `-32700`},
		{"anything", "POST", ping, []func(*http.Request){set("Accept", "*/*")}, 200, ``},
		{"nothing said", "POST", ping, []func(*http.Request){unset("Accept")}, 200, ``},
		{"a page of another site", "POST", ping, []func(*http.Request){set("Origin", "https://evil.example")}, 403, ``},
		{"a page without site", "POST", ping, []func(*http.Request){set("Origin", "null")}, 403, ``},
		{"a page of this machine", "POST", ping, []func(*http.Request){set("Origin", "http://localhost:3000")}, 200, ``},
		{"DNS rebinding", "POST", ping, []func(*http.Request){hostIs("evil.example")}, 403, ``},
		{"too long", "POST", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 10_000) + `"}}`, nil, 413, ``},
		{"too long, in chunks", "POST", ping, []func(*http.Request){func(r *http.Request) {
			r.ContentLength, r.Body = -1, io.NopCloser(strings.NewReader(strings.Repeat("x", 20_000)))
		}}, 413, ``},
		{"PUT", "PUT", ping, nil, 405, ``},
		{"OPTIONS", "OPTIONS", "", nil, 405, ``},
		{"GET of JSON", "GET", "", []func(*http.Request){set("Accept", "application/json")}, 406, ``},
		{"GET without session", "GET", "", []func(*http.Request){unset("Mcp-Session-Id")}, 400, ``},
		{"GET of another session", "GET", "", []func(*http.Request){set("Mcp-Session-Id", "nobody")}, 404, ``},
		{"GET of an event that never was", "GET", "", []func(*http.Request){set("Last-Event-Id", "77-1")}, 400, ``},
		{"GET of no event", "GET", "", []func(*http.Request){set("Last-Event-Id", "what")}, 400, ``},
		{"DELETE without session", "DELETE", "", []func(*http.Request){unset("Mcp-Session-Id")}, 400, ``},
		{"DELETE of another session", "DELETE", "", []func(*http.Request){set("Mcp-Session-Id", "nobody")}, 404, ``},
		{"two sessions", "POST", ping, []func(*http.Request){func(r *http.Request) { r.Header.Add("Mcp-Session-Id", "other") }}, 400, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := *p
			q.t = t
			a := q.do(q.request(context.Background(), tt.method, tt.body, tt.edit...)).want(tt.status, tt.in)
			if tt.status == 405 && a.head.Get("Allow") == "" {
				t.Error("405 without Allow")
			}
			if a.body != "" && (a.head.Get("Content-Type") != "application/json" || a.head.Get("Content-Length") == "") {
				t.Error("not JSON:", a.head)
			}
			if tt.status == 202 && a.body != "" {
				t.Error("202 with a body")
			}
		})
	}
	// All this has not harmed the session.
	p.call("echo", `{}`).want(200, "echo {}")
	p.do(p.request(context.Background(), "DELETE", "")).want(204)
	p.do(p.request(context.Background(), "DELETE", "")).want(404)
	p.post(ping).want(404)
	p.do(p.request(context.Background(), "GET", "")).want(404)
	quiet(t)
}

// A server that is full says so, and when to come back.
func TestFull(t *testing.T) {
	h, s := start(t, newKit(), nethttp.Options{MaxSessions: 3})
	for range 3 {
		defer open(t, s.URL, "2025-06-18").listen().cut()
	}
	p := newPeer(t, s.URL)
	const initialize = `{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	a := p.post(initialize).want(503)
	if a.head.Get("Retry-After") == "" || a.head.Get("Mcp-Session-Id") != "" {
		t.Error(a.head)
	}
	if err := h.End(context.Background(), h.Sessions()[0]); err != nil {
		t.Fatal(err)
	}
	p.post(initialize).want(200)
}

// So many responses are under way at a time; those that are there do not suffer.
func TestConnections(t *testing.T) {
	k := newKit()
	h, s := start(t, k, nethttp.Options{MaxConnections: 3})
	p := open(t, s.URL, "2025-06-18")
	var streams []*stream
	for range 3 {
		streams = append(streams, p.listen())
	}
	p.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`).want(503)
	streams[0].cut()
	eventually(t, "still there", func() bool { return h.Status().Connections == 2 })
	p.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`).want(200)
}

// A client that takes long over its body is told so.
func TestSlowBody(t *testing.T) {
	h, s := start(t, newKit(), nethttp.Options{ReadTimeout: 50 * time.Millisecond})
	u, _ := url.Parse(s.URL)
	c := dial(t, u.Host)
	c.say("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	c.want("HTTP/1.1 408 ")
	// Nor does one that is refused for its head hold anything up.
	c = dial(t, u.Host)
	c.say("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\n{")
	c.want("HTTP/1.1 415 ")
	eventually(t, "it is still there", func() bool { return h.Status().Connections == 0 })
}

// A request that is refused for its head is not asked for its body.
func TestExpectContinue(t *testing.T) {
	_, s := start(t, newKit(), nethttp.Options{})
	u, _ := url.Parse(s.URL)
	c := dial(t, u.Host)
	c.say("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n")
	c.want("HTTP/1.1 415 ")
	c = dial(t, u.Host)
	const initialize = `{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	c.say("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", len(initialize))
	c.want("HTTP/1.1 100 ")
	c.say("%s", initialize)
	c.want("HTTP/1.1 200 ")
}

// Requests that come one behind the other on one connection are answered so.
func TestPipelining(t *testing.T) {
	_, s := start(t, newKit(), nethttp.Options{})
	p := open(t, s.URL, "2025-06-18")
	u, _ := url.Parse(s.URL)
	c := dial(t, u.Host)
	for range 3 {
		text := p.callText("echo", `{}`)
		c.say("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s", p.session, len(text), text)
	}
	for range 3 {
		c.want("HTTP/1.1 200 ")
		c.want("echo {}")
	}
}

// What is not a loopback address knows no rule for hosts, until it is given one.
func TestHosts(t *testing.T) {
	for _, tt := range []struct {
		opt    nethttp.Options
		host   string
		status int
	}{
		{nethttp.Options{}, "mcp.example", 400}, // it has no session
		{nethttp.Options{Hosts: []string{"mcp.example"}}, "mcp.example:8443", 400},
		{nethttp.Options{Hosts: []string{"mcp.example"}}, "evil.example", 403},
	} {
		h, err := nethttp.NewHandler(serverConfig, newKit().handlers(), tt.opt)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodPost, "http://"+tt.host+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != tt.status {
			t.Errorf("%v %s: %d, want %d", tt.opt.Hosts, tt.host, w.Code, tt.status)
		}
		h.Close()
	}
	_, s := start(t, newKit(), nethttp.Options{Hosts: []string{"mcp.example"}, Origins: []string{"https://app.example"}})
	open(t, s.URL, "2025-06-18").post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, hostIs("mcp.example"), set("Origin", "https://app.example")).want(200)
}
