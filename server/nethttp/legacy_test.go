package nethttp_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/server/nethttp"
)

// legacyPeer opens the stream of HTTP+SSE and runs the handshake.
func legacyPeer(t *testing.T, url string) (*peer, *stream) {
	t.Helper()
	p := newPeer(t, url)
	x := p.follow("GET", "", set("Accept", "text/event-stream"))
	e, ok := x.event()
	if !ok || e.name != "endpoint" || !strings.HasPrefix(e.data, "/") {
		t.Fatalf("the stream begins with %+v", e)
	}
	p.url = url + strings.TrimPrefix(e.data, "/")
	if strings.HasPrefix(e.data, "/?") {
		p.url = url + e.data
	}
	p.post(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":`+caps+`,"clientInfo":{"name":"c","version":"1"}}}`, unset("Accept")).want(202)
	x.next(`"id":"open"`, `"2024-11-05"`)
	p.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, unset("Accept")).want(202)
	return p, x
}

// The transport of 2024-11-05: one stream has everything, and its end is that of the session.
func TestLegacy(t *testing.T) {
	k := newKit()
	h, s := start(t, k, nethttp.Options{LegacySSE: true})
	p, x := legacyPeer(t, s.URL)
	p.call("echo", `{}`).want(202)
	x.next("echo {}")
	p.call("ask", `{}`).want(202)
	id := requestID(t, x.next("sampling/createMessage").data)
	p.post(`{"jsonrpc":"2.0","id":` + id + `,"result":` + sampled + `}`).want(202)
	x.next("hello")
	p.post(`{`).want(202)
	p.post(`{}`, set("Content-Type", "text/plain")).want(415)
	q := *p
	q.url = s.URL + "/?sessionId=nobody"
	q.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`).want(404)
	q.url = s.URL + "/?sessionId=no%20body"
	q.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`).want(404)
	p.call("gate", `{}`).want(202)
	receive(t, k.begun)
	x.cut()
	receive(t, k.ended)
	eventually(t, "the session is still there", func() bool { return h.Status().Sessions == 0 })
	p.call("echo", `{}`).want(404)
	quiet(t)
	// Both on one path.
	open(t, s.URL, "2025-06-18").call("echo", `{}`).want(200)
	newPeer(t, s.URL).do(p.request(context.Background(), "GET", "", func(r *http.Request) {
		r.URL.RawQuery = ""
		r.Header.Set("Accept", "application/json")
	})).want(406)
	// Shutdown ends it.
	_, y := legacyPeer(t, s.URL)
	if err := h.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	y.end()
	a := newPeer(t, s.URL)
	a.do(a.request(context.Background(), "GET", "")).want(503)
	quiet(t)
}

// A session of one transport is none of the other, and the url of the messages is the one
// that the client knows.
func TestLegacyApart(t *testing.T) {
	h, err := nethttp.NewHandler(serverConfig, newKit().handlers(), nethttp.Options{LegacySSE: true})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	s := newTLS(t, http.StripPrefix("/a/b", h))
	p := newPeer(t, s.URL+"/a/b/sse?tenant=x")
	p.client = s.Client()
	x := p.follow("GET", "", set("Accept", "text/event-stream"))
	e, _ := x.event()
	_, id, ok := strings.Cut(e.data, "/a/b/sse?sessionId=")
	id, ok2 := strings.CutSuffix(id, "&tenant=x")
	if e.name != "endpoint" || !ok || !ok2 {
		t.Fatalf("%+v", e)
	}
	p.url = s.URL + e.data
	p.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`).want(202)
	x.next(`"id":1`)
	p.url = s.URL + "/a/b/mcp"
	p.post(`{"jsonrpc":"2.0","id":2,"method":"ping"}`, set("Mcp-Session-Id", id)).want(404)
	p.do(p.request(context.Background(), "GET", "", set("Mcp-Session-Id", id))).want(404)
	p.do(p.request(context.Background(), "DELETE", "", set("Mcp-Session-Id", id))).want(404)
	p.open("2025-06-18")
	q := newPeer(t, s.URL+"/a/b/mcp?sessionId="+p.session)
	q.client = p.client
	q.call("echo", `{}`).want(404)
	p.call("echo", `{}`).want(200)
	x.cut()
	quiet(t)
}

// Without the option it is what any GET without a session is.
func TestLegacyIsOff(t *testing.T) {
	_, s := start(t, newKit(), nethttp.Options{})
	p := newPeer(t, s.URL)
	p.do(p.request(context.Background(), "GET", "")).want(400)
	p.url += "/?sessionId=x"
	p.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`).want(400)
}

// Messages and stream at different processes.
func TestLegacyAtBoth(t *testing.T) {
	k := newKit()
	a, b, urlA, urlB := two(t, k, newTable(), nethttp.Options{LegacySSE: true})
	p, x := legacyPeer(t, urlA)
	q := *p
	q.url = strings.Replace(p.url, urlA, urlB, 1)
	q.call("echo", `{}`).want(202)
	x.next("echo {}")
	q.call("ask", `{}`).want(202)
	id := requestID(t, x.next("sampling/createMessage").data)
	p.post(`{"jsonrpc":"2.0","id":` + id + `,"result":` + sampled + `}`).want(202)
	x.next("hello")
	q.call("gate", `{}`).want(202)
	receive(t, k.begun)
	receive(t, k.begun)
	x.cut()
	receive(t, k.ended)
	eventually(t, "the session is still there", func() bool { return a.Status().Sessions+b.Status().Sessions == 0 })
	quiet(t)
}
