package nethttp_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// newEras is newBubble for both eras.
func newEras(t *testing.T, k *kit, opt nethttp.Options) *bubble {
	t.Helper()
	cfg := serverConfig
	cfg.Revisions, cfg.Subscribe = protocol.AllRevisions(), true
	hs := k.handlers()
	hs.Resource(protocol.Resource{Name: "r", URI: "x:r"}, func(context.Context, server.Caller, protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
		return &protocol.ReadResourceResult{}, nil
	})
	h, err := nethttp.NewHandler(cfg, hs, opt)
	if err != nil {
		t.Fatal(err)
	}
	return &bubble{t: t, h: h, k: k}
}

// alone sends a request without a session. name is what it is about, "" for nothing, and params end in
// a comma.
func (b *bubble) alone(method, name, params string, edit ...func(*http.Request)) *response {
	head := []func(*http.Request){set("Mcp-Method", method)}
	if name != "" {
		head, params = append(head, set("Mcp-Name", name)), `"name":"`+name+`",`+params
	}
	text := `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":{` + params + cmp.Or(b.meta, modernMeta) + `}}`
	return b.serve("POST", "", "2026-07-28", text, b.wrap, append(head, edit...)...)
}

// listens opens a subscription to the lists of tools and to the resource.
func (b *bubble) listens(edit ...func(*http.Request)) *response {
	return b.alone("subscriptions/listen", "", `"notifications":{"toolsListChanged":true,"resourceSubscriptions":["x:r"]},`, edit...)
}

// The end of a Handler ends its subscriptions, each with its result, whatever came before.
//
// rows: SUBS-014 SUBS-015 SUBS-021
// revisions: 2026-07-28
func TestListensEndWithTheHandler(t *testing.T) {
	for name, end := range map[string]func(h *nethttp.Handler) error{
		"closed":    func(h *nethttp.Handler) error { h.Close(); return nil },
		"shut down": func(h *nethttp.Handler) error { return h.Shutdown(context.Background()) },
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newEras(t, newKit(), nethttp.Options{})
			session := b.serve("GET", b.open("2025-11-25"), "2025-11-25", "", nil)
			var all []*response
			for range 3 {
				all = append(all, b.listens())
			}
			synctest.Wait()
			if err := b.h.Broadcast(t.Context(), protocol.ResourceUpdatedParams{URI: "x:r"}); err != nil {
				t.Error(err)
			}
			if err := end(b.h); err != nil {
				t.Error(name, err)
			}
			<-session.done
			for _, r := range all {
				<-r.done
				const ack, updated, result = `"notifications/subscriptions/acknowledged"`, `"notifications/resources/updated"`, `"id":7,"result":{"resultType":"complete"`
				if _, rest, ok := strings.Cut(r.text(), ack); !ok || !strings.Contains(rest, updated) || strings.Index(rest, updated) > strings.Index(rest, result) {
					t.Errorf("%s: %d %s", name, r.status(), r.text())
				}
			}
			late := b.listens()
			if <-late.done; late.status() != 503 {
				t.Errorf("%s: one that comes late: %d %s", name, late.status(), late.text())
			}
			if n := b.h.Status(); n != (nethttp.Status{Sessions: 1}) { // which its client may resume elsewhere
				t.Errorf("%s: %+v is left", name, n)
			}
		})
	}
}

// The function of a call whose connection is closed is told so, and nothing is left of the request:
// within its first moments, on a stream, where JSON alone is taken, and without sessions of any revision.
//
// rows: HTTP-211
// revisions: 2026-07-28
func TestModernClientIsGone(t *testing.T) {
	for name, c := range map[string]struct {
		opt    nethttp.Options
		after  time.Duration
		accept string
		params string
	}{
		"waits":             {nethttp.Options{}, 0, "", ""},
		"streams":           {nethttp.Options{}, time.Second, "", ""},
		"streams at once":   {nethttp.Options{StreamAfter: -1}, 0, "", ""},
		"JSON alone":        {nethttp.Options{}, time.Minute, "application/json", ""},
		"without sessions":  {nethttp.Options{Stateless: true}, time.Second, "", ""},
		"with a body left":  {nethttp.Options{}, time.Second, "", `"arguments":{"x":"` + strings.Repeat("x", 1<<20) + `"},`},
		"with a Companion":  {nethttp.Options{Companion: func(server.Peer) server.Companion { return nil }}, time.Second, "", ""},
		"panics are logged": {nethttp.Options{Recover: true}, time.Second, "", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newEras(t, newKit(), c.opt)
			defer b.close()
			accept := func(r *http.Request) {
				if c.accept != "" {
					r.Header.Set("Accept", c.accept)
				}
			}
			r := b.alone("tools/call", "gate", c.params, accept)
			<-b.k.begun
			time.Sleep(c.after)
			r.cut()
			<-r.done
			if cause := <-b.k.ended; !strings.Contains(cause.Error(), "the client closed the connection") {
				t.Errorf("%s: the cause is %v", name, cause)
			}
			synctest.Wait()
			if n := b.h.Status(); n != (nethttp.Status{}) || b.h.Kept() != 0 || b.h.Sides() != 0 {
				t.Errorf("%s: %+v is left, and %d bytes", name, n, b.h.Kept())
			}
			if strings.Contains(r.text(), `"id":7`) {
				t.Errorf("%s: it was answered: %s", name, r.text())
			}
		})
	}
}

// Nothing is left of requests without a session, however they end.
func TestModernLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newEras(t, newKit(), nethttp.Options{})
		defer b.close()
		for range 20 {
			for _, r := range []*response{
				b.alone("tools/call", "echo", ""), b.alone("tools/call", "none", ""), b.alone("tools/call", "big", ""), b.alone("tools/call", "ask", ""),
				b.alone("tools/list", "", ""), b.alone("server/discover", "", ""), b.alone("x/y", "", ""), b.alone("tools/call", "echo", "", set("Mcp-Name", "x")),
				b.serve("POST", "", "2026-07-28", "{", nil), b.serve("POST", "", "2026-07-28", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil),
			} {
				<-r.done
			}
			r := b.listens()
			synctest.Wait()
			r.cut()
			<-r.done
		}
		synctest.Wait()
		if n := b.h.Status(); n != (nethttp.Status{}) || b.h.Kept() != 0 {
			t.Errorf("%+v is left, and %d bytes", n, b.h.Kept())
		}
	})
}

// Of 10,000 subscriptions one address has three quarters, and so has one principal: others are served
// beside, and what one has too many is refused at once.
//
// rows: SUBS-020
// revisions: 2026-07-28
func TestSharesOfListens(t *testing.T) {
	for name, c := range map[string]struct {
		opt   nethttp.Options
		who   func(i int) func(*http.Request)
		other func(*http.Request)
	}{
		"address": {nethttp.Options{}, func(i int) func(*http.Request) { return from(fmt.Sprintf("10.0.0.1:%d", i+1)) }, from("10.0.0.2:1")},
		"principal": {
			nethttp.Options{Authenticate: byName},
			func(i int) func(*http.Request) {
				return func(r *http.Request) {
					r.RemoteAddr = fmt.Sprintf("10.0.%d.%d:1", i>>8, i&255)
					r.Header.Set("User", "ann")
				}
			},
			set("User", "bob"),
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newEras(t, newKit(), c.opt)
			id := b.open("2025-11-25", c.other)
			var open []*response
			for i := range 10_000 {
				r := b.listens(c.who(i))
				if i%1000 == 999 {
					synctest.Wait()
				}
				open = append(open, r)
			}
			synctest.Wait()
			refused := 0
			for _, r := range open {
				if !r.over() {
					continue
				}
				if refused++; r.status() != 503 || r.head.Get("Retry-After") == "" || !strings.Contains(r.text(), `"retryAfterMs"`) {
					t.Fatal(r.status(), r.text())
				}
			}
			if refused != 10_000/4 {
				t.Errorf("%s: %d were refused", name, refused)
			}
			other := b.listens(c.other)
			call := b.alone("tools/call", "echo", "", c.other)
			within := b.serve("POST", id, "", callOf("echo", "{}"), nil, c.other)
			<-call.done
			<-within.done
			synctest.Wait()
			if other.over() || call.status() != 200 || within.status() != 200 {
				t.Errorf("%s: others are answered %d, %d, %d", name, other.status(), call.status(), within.status())
			}
			for _, r := range append(open, other) {
				r.cut()
				<-r.done
			}
			b.close()
			if n := b.h.Status().Sessions; n != 1 {
				t.Errorf("%s: %d sessions are left", name, n)
			}
		})
	}
}

// What is kept for subscriptions that nobody reads is bounded for all together, and what they were sent
// beyond goes.
//
// rows: SUBS-020
// revisions: 2026-07-28
func TestListensThatAreNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 100_000
		b := newEras(t, newKit(), nethttp.Options{KeptBytes: most})
		defer b.close()
		var all []*sluggish
		for range 20 {
			s := &sluggish{more: make(chan struct{}), cut: make(chan struct{})}
			b.wrap = func(r *response) http.ResponseWriter { s.response = r; return s }
			b.listens()
			all = append(all, s)
		}
		b.wrap = nil
		synctest.Wait()
		for range 100 {
			if err := b.h.Broadcast(t.Context(), protocol.ResourceUpdatedParams{URI: "x:r"}); err != nil {
				t.Fatal(err)
			}
		}
		if n := b.h.Kept(); n > most || n < most/2 {
			t.Errorf("%d bytes are kept", n)
		}
		for _, s := range all {
			close(s.cut)
			<-s.done
		}
		if n := b.h.Kept(); n != 0 || b.h.Status().Sessions != 0 {
			t.Errorf("%d bytes are kept of none", n)
		}
	})
}
