package nethttp_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server/nethttp"
)

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// modernPost posts a message without a session and returns the status, the type and the body.
func modernPost(t *testing.T, url, method, name, body string, edit func(http.Header)) (int, string, string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name} {
		if v != "" {
			r.Header.Set(k, v)
		}
	}
	if edit != nil {
		edit(r.Header)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, a.Header.Get("Content-Type"), string(text)
}

// A request without a session is answered by itself, with the status of its error, beside sessions.
//
// rows: HTTP-201 HTTP-203 HTTP-204 HTTP-209 HTTP-210 HTTP-214 HTTP-217 HTTP-218 TRANS-202 ERA-007
// revisions: 2026-07-28
func TestModern(t *testing.T) {
	cfg := serverConfig
	cfg.Revisions = protocol.AllRevisions()
	_, s := startConfig(t, cfg, newKit(), nethttp.Options{})
	p := open(t, s.URL, "2025-11-25")
	call := `{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"echo","arguments":{"a":1},` + modernMeta + `}}`
	for name, c := range map[string]struct {
		method, name, body string
		edit               func(http.Header)
		status             int
		want               string
	}{
		"call":              {"tools/call", "echo", call, nil, 200, `"id":1.0,"result":{"resultType":"complete"`},
		"with a session":    {"tools/call", "echo", call, func(h http.Header) { h.Set("Mcp-Session-Id", "x") }, 200, `"resultType":"complete"`},
		"discover":          {"server/discover", "", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modernMeta + `}}`, nil, 200, `"supportedVersions":["2026-07-28"]`},
		"another name":      {"tools/call", "other", call, nil, 400, `"id":1.0,"error":{"code":-32020`},
		"no name":           {"tools/call", "", call, nil, 400, `-32020`},
		"no version":        {"tools/call", "echo", call, func(h http.Header) { h.Del("Mcp-Protocol-Version") }, 400, `-32020`},
		"another version":   {"tools/call", "echo", call, func(h http.Header) { h.Set("Mcp-Protocol-Version", "2025-11-25") }, 400, `-32020`},
		"no envelope":       {"tools/list", "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil, 400, `-32602`},
		"unknown version":   {"tools/list", "", strings.ReplaceAll(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+modernMeta+`}}`, "2026-07-28", "2099-01-01"), func(h http.Header) { h.Set("Mcp-Protocol-Version", "2099-01-01") }, 400, `-32022`},
		"unknown method":    {"x/y", "", `{"jsonrpc":"2.0","id":1,"method":"x/y","params":{` + modernMeta + `}}`, nil, 404, `-32601`},
		"of a session":      {"initialize", "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"},` + modernMeta + `}}`, nil, 404, `-32601`},
		"a notification":    {"notifications/cancelled", "", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,` + modernMeta + `}}`, nil, 202, ``},
		"method in base64":  {"tools/call", "echo", call, func(h http.Header) { h.Set("Mcp-Method", "=?base64?dG9vbHMvY2FsbA==?=") }, 400, `-32020`},
		"name in base64":    {"tools/call", "=?base64?ZWNobw==?=", call, nil, 200, `"resultType":"complete"`},
		"a second name":     {"tools/call", "echo", call, func(h http.Header) { h.Add("Mcp-Name", "other") }, 400, `-32020`},
		"a second version":  {"tools/call", "echo", call, func(h http.Header) { h.Add("Mcp-Protocol-Version", "2025-11-25") }, 400, `several Mcp-Protocol-Version`},
		"a batch":           {"tools/call", "echo", "[" + call + "]", nil, 400, `without a session`},
		"a batch of one":    {"tools/call", "echo", "[" + call + "]", func(h http.Header) { h.Set("Mcp-Session-Id", p.session) }, 400, `without a session`},
		"a response":        {"tools/call", "echo", `{"jsonrpc":"2.0","id":1,"result":{}}`, func(h http.Header) { h.Set("Mcp-Session-Id", p.session) }, 400, `without a session`},
		"no JSON":           {"tools/call", "echo", `{`, func(h http.Header) { h.Set("Mcp-Session-Id", p.session) }, 400, `-32700`},
		"invalid":           {"tools/call", "echo", strings.Replace(call, `"2.0"`, `"1.0"`, 1), nil, 400, `"id":1.0,"error":{"code":-32600`},
		"invalid, no id":    {"tools/call", "echo", strings.Replace(call, `1.0`, `null`, 1), nil, 400, `"error":{"code":-32600`},
		"listen as JSON":    {"subscriptions/listen", "", `{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{},` + modernMeta + `}}`, func(h http.Header) { h.Set("Accept", "application/json") }, 406, `"id":7,"error":{"code":-32600`},
		"asks a client":     {"tools/call", "ask", strings.Replace(call, "echo", "ask", 1), nil, 200, `"isError":true`},
		"a foreign page":    {"tools/call", "echo", call, func(h http.Header) { h.Set("Origin", "https://a.example") }, 403, `-32600`},
		"a cross-site page": {"tools/call", "echo", call, func(h http.Header) { h.Set("Sec-Fetch-Site", "cross-site") }, 403, `-32600`},
		"unknown resource":  {"tools/call", "none", strings.Replace(call, "echo", "none", 1), nil, 200, `-32602`},
	} {
		t.Run(name, func(t *testing.T) {
			status, kind, text := modernPost(t, s.URL, c.method, c.name, c.body, c.edit)
			if status != c.status || !strings.Contains(text, c.want) || text != "" && kind != "application/json" {
				t.Errorf("%d %s %s, want %d %s", status, kind, text, c.status, c.want)
			}
		})
	}
	p.call("echo", `{}`).want(200, "echo")
	for _, method := range []string{"GET", "HEAD", "DELETE", "PUT", "OPTIONS"} { // of a session too
		a := p.do(p.request(context.Background(), method, "", set("Mcp-Protocol-Version", "2026-07-28"), set("Last-Event-Id", "1-1"))).want(405)
		if allow := a.head.Get("Allow"); allow != "POST" {
			t.Errorf("%s: Allow is %q", method, allow)
		}
	}
	p.call("echo", `{}`).want(200, "echo")
}

// A Handler that has no revision with sessions serves none: no GET, no DELETE, no initialize, and no id
// of a session counts.
//
// rows: HTTP-210 HTTP-217 ERA-007
// revisions: 2026-07-28
func TestModernAlone(t *testing.T) {
	for _, opt := range []nethttp.Options{{}, {Stateless: true}} {
		cfg := serverConfig
		cfg.Revisions = protocol.StatelessRevisions()
		h, s := startConfig(t, cfg, newKit(), opt)
		p := newPeer(t, s.URL)
		for _, c := range []struct {
			method, session, version, body string
			status                         int
			want                           string
		}{
			{"GET", "", "", "", 405, `-32600`},
			{"GET", "", "2025-11-25", "", 405, `-32600`},
			{"DELETE", "x", "", "", 405, `-32600`},
			{"POST", "", "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, 404, `"supported":["2026-07-28"]`},
			{"POST", "", "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 400, `"id":1,"error":{"code":-32602`},
			{"POST", "x", "2025-11-25", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 400, `-32602`},
			{"POST", "", "", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, ``},
			{"POST", "", "", `[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]`, 400, `single requests`},
			{"POST", "", "", `{"jsonrpc":"2.0","id":1,"result":{}}`, 400, `single requests`},
			{"POST", "", "", `nothing`, 400, `-32700`},
		} {
			p.session = c.session
			a := p.do(p.request(context.Background(), c.method, c.body, set("Mcp-Protocol-Version", c.version)))
			if a.status != c.status || !strings.Contains(a.body, c.want) {
				t.Errorf("%+v: %d %s", c, a.status, a.body)
			}
			if c.status == 405 && a.head.Get("Allow") != "POST" {
				t.Errorf("%s: Allow is %q", c.method, a.head.Get("Allow"))
			}
		}
		if n := h.Status().Sessions; n != 0 {
			t.Errorf("%d sessions", n)
		}
		opt.Stateless, opt.LegacySSE = false, true
		if _, err := nethttp.NewHandler(cfg, newKit().handlers(), opt); err == nil || !strings.Contains(err.Error(), "LegacySSE is true: want false") {
			t.Error(err)
		}
	}
}

// A server offers clients without a session what methods of sessions alone declare: log messages, and subscriptions
// to resources.
func TestModernDeclares(t *testing.T) {
	cfg := serverConfig
	cfg.Revisions, cfg.Unlisted, cfg.Logging, cfg.Subscribe = protocol.AllRevisions(), true, false, false
	cfg.Serve = []string{
		protocol.MethodToolsCall, protocol.MethodLoggingSetLevel, protocol.MethodResourcesList, protocol.MethodResourceTemplatesList, protocol.MethodResourcesRead,
		protocol.MethodResourcesSubscribe, protocol.MethodResourcesUnsubscribe,
	}
	_, s := startConfig(t, cfg, newKit(), nethttp.Options{Companion: newSides().companion})
	_, _, got := modernPost(t, s.URL, protocol.MethodDiscover, "", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{`+modernMeta+`}}`, nil)
	for _, want := range []string{`"logging":{}`, `"resources":{"subscribe":true`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}
