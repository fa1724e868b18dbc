package nethttp_test

import (
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
		"call":             {"tools/call", "echo", call, nil, 200, `"id":1.0,"result":{"resultType":"complete"`},
		"with a session":   {"tools/call", "echo", call, func(h http.Header) { h.Set("Mcp-Session-Id", "x") }, 200, `"resultType":"complete"`},
		"discover":         {"server/discover", "", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modernMeta + `}}`, nil, 200, `"supportedVersions":["2026-07-28"]`},
		"another name":     {"tools/call", "other", call, nil, 400, `"id":1.0,"error":{"code":-32020`},
		"no name":          {"tools/call", "", call, nil, 400, `-32020`},
		"no version":       {"tools/call", "echo", call, func(h http.Header) { h.Del("Mcp-Protocol-Version") }, 400, `-32020`},
		"another version":  {"tools/call", "echo", call, func(h http.Header) { h.Set("Mcp-Protocol-Version", "2025-11-25") }, 400, `-32020`},
		"no envelope":      {"tools/list", "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil, 400, `-32602`},
		"unknown version":  {"tools/list", "", strings.ReplaceAll(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+modernMeta+`}}`, "2026-07-28", "2099-01-01"), func(h http.Header) { h.Set("Mcp-Protocol-Version", "2099-01-01") }, 400, `-32022`},
		"unknown method":   {"x/y", "", `{"jsonrpc":"2.0","id":1,"method":"x/y","params":{` + modernMeta + `}}`, nil, 404, `-32601`},
		"of a session":     {"initialize", "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"},` + modernMeta + `}}`, nil, 404, `-32601`},
		"a notification":   {"notifications/cancelled", "", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,` + modernMeta + `}}`, nil, 202, ``},
		"unknown resource": {"tools/call", "none", strings.Replace(call, "echo", "none", 1), nil, 200, `-32602`},
	} {
		t.Run(name, func(t *testing.T) {
			status, kind, text := modernPost(t, s.URL, c.method, c.name, c.body, c.edit)
			if status != c.status || !strings.Contains(text, c.want) || text != "" && kind != "application/json" {
				t.Errorf("%d %s %s, want %d %s", status, kind, text, c.status, c.want)
			}
		})
	}
	p.call("echo", `{}`).want(200, "echo")
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
