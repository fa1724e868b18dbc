package nethttp_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/nethttp"
)

const bare = `{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

// byName takes the name of a principal from a header.
func byName(r *http.Request) (nethttp.Principal, error) {
	return nethttp.Principal{ID: r.Header.Get("User")}, nil
}

func as(t *testing.T, url, user string) *peer {
	t.Helper()
	p := newPeer(t, url)
	p.header.Set("User", user)
	return p
}

// One session of a principal too many ends the longest idle one of that principal.
func TestSessionsPerPrincipal(t *testing.T) {
	k := newKit()
	h, s := start(t, k, nethttp.Options{MaxSessionsPerPrincipal: 3, Authenticate: byName})
	other := as(t, s.URL, "other")
	other.open("2025-06-18")
	var p [5]*peer
	for i := range p {
		p[i] = as(t, s.URL, "one")
	}
	for _, p := range p[:3] {
		p.open("2025-06-18")
	}
	p[0].call("echo", `{}`).want(200) // now p[1] is idle for longest
	p[3].open("2025-06-18")
	p[1].call("echo", `{}`).want(404)
	for _, p := range []*peer{p[0], p[2], p[3], other} {
		p.call("echo", `{}`).want(200)
	}
	// p[0] has a connection and p[2] a call: neither ends, though both are older than p[3].
	x := p[0].listen()
	y := p[2].follow("POST", p[2].callText("gate", `{}`))
	receive(t, k.begun)
	p[4].open("2025-06-18")
	p[3].call("echo", `{}`).want(404)
	z := p[4].listen()
	a := as(t, s.URL, "one").post(bare, set("User", "one")).want(503)
	if a.head.Get("Retry-After") == "" || a.head.Get("Mcp-Session-Id") != "" {
		t.Error(a.head)
	}
	if got := h.Status().Sessions; got != 4 {
		t.Errorf("%d sessions", got)
	}
	// What was busy may end when it is not.
	x.cut()
	eventually(t, "no session gives way", func() bool {
		q := as(t, s.URL, "one")
		return q.post(bare).status == 200
	})
	p[0].call("echo", `{}`).want(404)
	k.free <- struct{}{}
	y.next("free")
	z.cut()
	// A session that its client ends makes room.
	p[4].do(p[4].request(context.Background(), "DELETE", "")).want(204)
	as(t, s.URL, "one").open("2025-06-18")
	p[2].call("echo", `{}`).want(200)
	other.call("echo", `{}`).want(200)
}

// The stream of HTTP+SSE is its session: it gives way to none, and its end makes room.
func TestLegacyGivesNoWay(t *testing.T) {
	for _, opt := range []nethttp.Options{{MaxSessions: 1}, {MaxSessionsPerPrincipal: 1, Authenticate: byName}} {
		opt.LegacySSE = true
		h, s := start(t, newKit(), opt)
		p, x := legacyPeer(t, s.URL)
		newPeer(t, s.URL).post(bare).want(503)
		p.call("echo", `{}`).want(202)
		x.next("echo {}")
		x.cut()
		eventually(t, "no room", func() bool { return h.Status().Sessions == 0 })
		q := newPeer(t, s.URL) // not initialized yet, and yet it is in use
		y := q.follow("GET", "", set("Accept", "text/event-stream"))
		newPeer(t, s.URL).post(bare).want(503)
		y.cut()
		eventually(t, "no room", func() bool { return h.Status().Sessions == 0 })
		newPeer(t, s.URL).post(bare).want(200)
		_, z := legacyPeer(t, s.URL) // in the place of the bare one
		z.cut()
	}
}

// "" is a principal as others are; without Authenticate it is an address.
func TestSessionsOfNobody(t *testing.T) {
	for _, auth := range []func(*http.Request) (nethttp.Principal, error){nil, byName} {
		h, s := start(t, newKit(), nethttp.Options{MaxSessionsPerPrincipal: 1, Authenticate: auth})
		for range 3 {
			open(t, s.URL, "2025-06-18")
		}
		if got := h.Status().Sessions; got != 1 {
			t.Errorf("%d sessions, want 1", got)
		}
	}
}

// Who begins sessions and never finishes a handshake keeps nobody out, and ends no session
// that was finished.
func TestBareInitializes(t *testing.T) {
	h, s := start(t, newKit(), nethttp.Options{MaxSessions: 10, MaxSessionsPerPrincipal: 10})
	first := open(t, s.URL, "2025-06-18")
	var flood []string
	for range 50 {
		flood = append(flood, newPeer(t, s.URL).post(bare).want(200).head.Get("Mcp-Session-Id"))
	}
	if got := h.Status().Sessions; got != 10 {
		t.Errorf("%d sessions", got)
	}
	for i, id := range flood { // the last of them are left
		p := newPeer(t, s.URL)
		p.session = id
		want := 404
		if i >= 50-9 {
			want = 200
		}
		p.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`).want(want)
	}
	for range 9 {
		p := open(t, s.URL, "2025-06-18")
		p.call("echo", `{}`).want(200)
		defer p.listen().cut()
	}
	first.call("echo", `{}`).want(200)
	defer first.listen().cut()
	newPeer(t, s.URL).post(bare).want(503) // all have finished theirs, and listen
}

// Many at once neither exceed the limits nor fail where there is room to make.
func TestBareInitializesAtOnce(t *testing.T) {
	h, s := start(t, newKit(), nethttp.Options{MaxSessions: 20, MaxSessionsPerPrincipal: 5, Authenticate: byName})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			p := newPeer(t, s.URL)
			p.header.Set("User", fmt.Sprint(i))
			for range 50 {
				a, err := p.try(p.request(context.Background(), "POST", bare))
				if err != nil || a.status != 200 && a.status != 503 {
					t.Error(a.status, err)
				}
				if got := h.Status().Sessions; got > 20 {
					t.Errorf("%d sessions", got)
				}
			}
		}()
	}
	wg.Wait()
	for i := range 8 {
		as(t, s.URL, fmt.Sprint(i)).open("2025-06-18")
	}
	for _, id := range h.Sessions() {
		if err := h.End(context.Background(), id); err != nil {
			t.Error(err)
		}
	}
	for range 5 {
		as(t, s.URL, "0").open("2025-06-18")
	}
	if got := h.Status().Sessions; got != 5 {
		t.Errorf("%d sessions", got)
	}
}

// A session that finished its handshake at another process gives way at neither.
func TestBareElsewhere(t *testing.T) {
	_, _, urlA, urlB := two(t, newKit(), newTable(), nethttp.Options{MaxSessions: 2})
	p := newPeer(t, urlA)
	p.session = p.post(bare).want(200).head.Get("Mcp-Session-Id")
	p.url, p.version = urlB, "2025-06-18"
	p.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`).want(202)
	newPeer(t, urlA).post(bare).want(200)
	for range 3 {
		newPeer(t, urlA).post(bare).want(200)
	}
	p.call("echo", `{}`).want(200)
}

// Large bodies that take their time do not keep small ones out.
func TestSlowLargeBodies(t *testing.T) {
	_, s := start(t, newKit(), nethttp.Options{})
	p := open(t, s.URL, "2025-06-18")
	u, _ := url.Parse(s.URL)
	const size = 4 << 20
	part := strings.Repeat(" ", size-1)
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	slow := func() {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", u.Host)
		if err != nil {
			return
		}
		defer context.AfterFunc(ctx, func() { _ = c.Close() })()
		defer c.Close()
		// All but the last byte. The server answers if it refuses it.
		if _, err = fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s", p.session, size, part); err == nil {
			_, _ = c.Read(make([]byte, 1))
		}
	}
	for range 16 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for ctx.Err() == nil {
				slow()
			}
		}()
	}
	large := p.callText("echo", `{"x":"`+strings.Repeat("x", 100<<10)+`"}`)
	status := func() int { // a refusal may come as a broken connection, before all is sent
		a, _ := p.try(p.request(ctx, "POST", large))
		return a.status
	}
	eventually(t, "the large bodies are not there", func() bool {
		time.Sleep(20 * time.Millisecond)
		return status() == 503
	})
	for range 20 {
		p.call("echo", `{}`).want(200)
		p.call("echo", `{"x":"`+strings.Repeat("x", 60<<10)+`"}`).want(200)
	}
	open(t, s.URL, "2025-06-18")
	stop()
	wg.Wait()
	eventually(t, "they still count", func() bool { return p.post(large).status == 200 })
}

// Bodies of every size around those of buffers arrive whole, with and without Content-Length.
func TestBodySizes(t *testing.T) {
	const most = 300 << 10
	_, s := start(t, newKit(), nethttp.Options{MaxBody: most})
	p := open(t, s.URL, "2025-06-18")
	for _, size := range []int{200, 4095, 4096, 4097, 64<<10 - 1, 64 << 10, 64<<10 + 1, 128 << 10, 128<<10 + 1, most - 1, most, most + 1} {
		for _, known := range []bool{true, false} {
			text := p.callText("echo", `{}`)
			text += strings.Repeat(" ", size-len(text))
			a := p.post(text, func(r *http.Request) {
				if !known {
					r.ContentLength = -1
				}
			})
			if size > most {
				a.want(413)
			} else {
				a.want(200, "echo {}")
			}
		}
	}
}

// A page of another site is refused though its browser sends no Origin.
func TestFetchSite(t *testing.T) {
	for _, anyOrigin := range []bool{false, true} {
		_, s := start(t, newKit(), nethttp.Options{AnyOrigin: anyOrigin})
		p := open(t, s.URL, "2025-06-18")
		want := map[bool]int{false: 403, true: 200}[anyOrigin]
		const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		p.post(ping, set("Sec-Fetch-Site", "cross-site")).want(want)
		p.post(ping, set("Sec-Fetch-Site", "same-origin")).want(200)
		p.post(ping, set("Sec-Fetch-Mode", "cors")).want(200) // as fetch of Node
	}
}

// The url of HTTP+SSE names no other host, whatever path its stream was asked for under.
func TestLegacyEndpointIsAPath(t *testing.T) {
	_, s := start(t, newKit(), nethttp.Options{LegacySSE: true})
	u, _ := url.Parse(s.URL)
	for path, want := range map[string]string{
		"//evil.example/sse":              "/evil.example/sse?",
		"///evil.example/sse?a=b":         "/evil.example/sse?a=b&",
		"/%2Fevil.example/sse":            "/%2Fevil.example/sse?",
		`/\evil.example/sse`:              "/%5Cevil.example/sse?",
		"http://localhost//evil.example/": "/evil.example/?",
		"http://localhost":                "/?",
		"/":                               "/?",
		"/a%20b/sse?sessionId=&c=d":       "/a%20b/sse?c=d&",
	} {
		c := dial(t, u.Host)
		c.say("GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n", path)
		c.want("HTTP/1.1 200 ")
		c.want("data: " + want + "sessionId=")
		_ = c.Close()
	}
}

// By default one session does not have all the work of a Handler, nor does one address.
func TestOneSessionHasItsShare(t *testing.T) {
	k := newKit()
	_, s := start(t, k, nethttp.Options{Work: host.WorkOptions{MaxRunning: 16, MaxWaiting: 16, CallBytes: 8000}})
	p := open(t, s.URL, "2025-06-18")
	for i := range 12 {
		p.follow("POST", p.callText("gate", `{}`))
		if i < 6 {
			receive(t, k.begun)
		}
	}
	p.call("echo", `{}`).want(200, "-32603")
	q := open(t, s.URL, "2025-06-18")
	q.call("echo", `{}`).want(200, "echo")
	q.follow("POST", q.callText("gate", `{"x":"`+strings.Repeat("x", 3500)+`"}`))
	receive(t, k.begun)
	q.call("echo", `{"x":"`+strings.Repeat("x", 3500)+`"}`).want(200, "-32603")
	q.call("echo", `{}`).want(200, "-32603")
	open(t, s.URL, "2025-06-18").call("echo", `{"x":"`+strings.Repeat("x", 600)+`"}`).want(200, "echo")
	for range 13 {
		k.free <- struct{}{}
	}
}
