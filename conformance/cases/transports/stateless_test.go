package transports_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	clienthttp "github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

var modern = protocol.Revision20260728

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":"p"}`

// request returns a request without a session, with its headers for ask.
func request(method, name string) (body string, pairs []string) {
	params := meta
	if method == "subscriptions/listen" {
		params = `"notifications":{},` + meta
	}
	pairs = []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method}
	if name != "" {
		params = `"name":"` + name + `",` + meta
		pairs = append(pairs, "Mcp-Name", name)
	}
	return `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":{` + params + `}}`, pairs
}

// workshop is a site without sessions whose tools are quick, report progress, or wait for the end of
// their context, which is sent to ended.
func workshop(t *testing.T, opt nethttp.Options) (s *site, ended chan error) {
	t.Helper()
	ended = make(chan error, 10)
	h := new(server.Handlers)
	tool := func(name string, f func(ctx context.Context, c server.Caller)) {
		h.Tool(protocol.Tool{Name: name}, func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
			f(ctx, c)
			return protocol.TextResult(name), nil
		})
	}
	tool("quick", func(context.Context, server.Caller) {})
	tool("report", func(_ context.Context, c server.Caller) {
		if err := c.Progress(protocol.ProgressParams{Progress: 1}); err != nil {
			t.Error(err)
		}
	})
	tool("wait", func(ctx context.Context, c server.Caller) {
		if err := c.Progress(protocol.ProgressParams{Progress: 1}); err != nil {
			t.Error(err)
		}
		<-ctx.Done()
		ended <- context.Cause(ctx)
	})
	handler, err := nethttp.NewHandler(server.Config{Info: protocol.Implementation{Name: "site", Version: "1"}, Revisions: protocol.AllRevisions()}, h, opt)
	if err != nil {
		t.Fatal(err)
	}
	s = &site{httptest.NewServer(handler), t, handler}
	s.Client().Timeout = 20 * time.Second
	t.Cleanup(s.Server.Close)
	t.Cleanup(handler.Close)
	return s, ended
}

// stream begins a request and returns the lines of its answer.
func (s *site) stream(ctx context.Context, method, name string) (*http.Response, *bufio.Scanner) {
	s.t.Helper()
	body, pairs := request(method, name)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(pairs); i += 2 {
		req.Header.Set(pairs[i], pairs[i+1])
	}
	resp, err := s.Client().Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = resp.Body.Close() })
	return resp, bufio.NewScanner(resp.Body)
}

// A single answer is one JSON object. An answer with messages before it is a stream, which proxies do not
// buffer, with the answer once, at the end.
//
// rows: HTTP-012 HTTP-014 HTTP-018 HTTP-213 AUTH-001
// revisions: 2026-07-28
func TestAnswersWithoutASession(t *testing.T) {
	s, _ := workshop(t, nethttp.Options{})
	for name, kind := range map[string]string{"quick": "application/json", "report": "text/event-stream"} {
		body, pairs := request("tools/call", name)
		a := s.ask("POST", "/mcp", body, pairs...)
		if got, _, _ := strings.Cut(a.header.Get("Content-Type"), ";"); a.status != http.StatusOK || got != kind || strings.Count(a.body, `"id":7`) != 1 {
			t.Errorf("%s: %+v", name, a)
		}
		if kind == "application/json" {
			if !json.Valid([]byte(a.body)) || !strings.HasPrefix(a.body, "{") {
				t.Errorf("%s: %s", name, a.body)
			}
			continue
		}
		if a.header.Get("X-Accel-Buffering") != "no" || strings.Index(a.body, "notifications/progress") > strings.Index(a.body, `"id":7`) || strings.Contains(a.body[strings.Index(a.body, `"id":7`):], "\ndata:") {
			t.Errorf("%s: %v\n%s", name, a.header, a.body)
		}
	}
}

// A client that disconnects during a call cancels it: only its function learns of it.
//
// rows: HTTP-019 HTTP-211 CANC-205
// revisions: 2026-07-28
func TestClosedStreamsCancel(t *testing.T) {
	s, ended := workshop(t, nethttp.Options{})
	ctx, leave := context.WithCancel(t.Context())
	_, lines := s.stream(ctx, "tools/call", "wait")
	_, other := s.stream(t.Context(), "tools/call", "wait")
	for _, l := range []*bufio.Scanner{lines, other} {
		for l.Scan() && !strings.Contains(l.Text(), "notifications/progress") {
			continue
		}
	}
	leave()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("the context of the function ended without a cause")
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the function was not told")
	}
	select {
	case err := <-ended:
		t.Errorf("the other call ended as well: %v", err)
	default:
	}
	body, pairs := request("tools/call", "quick")
	if a := s.ask("POST", "/mcp", body, pairs...); a.status != http.StatusOK {
		t.Errorf("then %+v", a)
	}
}

// A quiet listen gets comments, and all streams end when the site does.
//
// rows: HTTP-056 HTTP-213
// revisions: 2026-07-28
func TestListensEndWithTheSite(t *testing.T) {
	s, _ := workshop(t, nethttp.Options{Heartbeat: 10 * time.Millisecond})
	resp, lines := s.stream(t.Context(), "subscriptions/listen", "")
	if resp.Header.Get("X-Accel-Buffering") != "no" {
		t.Errorf("%v", resp.Header)
	}
	comments := 0
	for comments < 3 && lines.Scan() {
		if strings.HasPrefix(lines.Text(), ":") {
			comments++
		}
	}
	if comments < 3 {
		t.Fatalf("%d comments, then %v", comments, lines.Err())
	}
	s.h.Close()
	for lines.Scan() { // to the end, or the Timeout of the client
		continue
	}
	if err := lines.Err(); err != nil && strings.Contains(err.Error(), "Timeout") {
		t.Error(err)
	}
}

// A request from a page of another origin or for another host is refused before it is read, and so
// is one without a token: the body, if there is one, is an error without id.
// rows: HTTP-003 HTTP-004 HTTP-102 HTTP-216 AUTH-051
// revisions: 2026-07-28
func TestGuardsWithoutASession(t *testing.T) {
	looked := 0
	s, _ := workshop(t, nethttp.Options{Authenticate: func(r *http.Request) (nethttp.Principal, error) {
		looked++
		if token, _ := headers.Bearer(r.Header.Get("Authorization")); token != "ada" {
			return nethttp.Principal{}, &nethttp.AuthError{}
		}
		return nethttp.Principal{ID: "ada"}, nil
	}})
	body, pairs := request("tools/call", "quick")
	good := append(pairs, "Authorization", "Bearer ada")
	for _, c := range []struct {
		more   []string
		status int
	}{
		{nil, http.StatusOK},
		{[]string{"Origin", "https://evil.example"}, http.StatusForbidden},
		{[]string{"Origin", "null"}, http.StatusForbidden},
		{[]string{"Authorization", ""}, http.StatusUnauthorized},
		{[]string{"Authorization", "Bearer eve"}, http.StatusUnauthorized},
	} {
		for _, text := range []string{body, "this is no JSON"} {
			a := s.ask("POST", "/mcp", text, append(good[:len(good):len(good)], c.more...)...)
			if text != body && c.status == http.StatusOK {
				continue
			}
			if a.status != c.status || c.status != http.StatusOK && (strings.Contains(a.body, `"id"`) || strings.Contains(a.body, "quick")) {
				t.Errorf("%q: %+v, want %d", c.more, a, c.status)
			}
			if c.status == http.StatusForbidden && !strings.Contains(a.body, `"error"`) {
				t.Errorf("%q: %+v", c.more, a)
			}
		}
	}
	if looked == 0 {
		t.Error("nobody was asked who it is")
	}
	req, err := http.NewRequest(http.MethodPost, s.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "evil.example"
	for i := 0; i < len(good); i += 2 {
		req.Header.Set(good[i], good[i+1])
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("for another host: %v", resp.Status)
	}
}

// A notification that cannot be accepted is answered with the status of an error.
//
// rows: HTTP-010
// revisions: 2026-07-28
func TestBadNotesWithoutASession(t *testing.T) {
	s, _ := workshop(t, nethttp.Options{MaxBody: 4000})
	const note = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`
	usual := []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "notifications/cancelled"}
	for _, c := range []struct {
		body string
		more []string
		bad  bool
	}{
		{note, nil, false},
		{note, []string{"Accept", "text/plain"}, true},
		{note, []string{"Content-Type", "text/plain"}, true},
		{note, []string{"Mcp-Protocol-Version", "1999-01-01"}, true},
		{strings.Repeat(" ", 5000) + note, nil, true},
		{"this is no JSON", nil, true},
		{`{"jsonrpc":"2.0"}`, nil, true},
	} {
		if a := s.ask("POST", "/mcp", c.body, append(usual[:4:4], c.more...)...); (a.status/100 == 4) != c.bad {
			t.Errorf("%.80q with %q: %+v", c.body, c.more, a)
		}
	}
}

// Every message of a client is its own POST, with the token only in its header.
//
// rows: HTTP-005 AUTH-026 AUTH-027
// revisions: 2026-07-28
func TestRequestsWithoutASession(t *testing.T) {
	const token = "t0ken-that-nobody-else-has"
	s, _ := workshop(t, nethttp.Options{Authenticate: func(r *http.Request) (nethttp.Principal, error) {
		if got, ok := headers.Bearer(r.Header.Get("Authorization")); !ok || got != token {
			return nethttp.Principal{}, &nethttp.AuthError{Code: "invalid_token"}
		}
		return nethttp.Principal{ID: "ada"}, nil
	}})
	rec := new(recorder)
	link, err := clienthttp.New(s.URL+"/mcp?tenant=1", clienthttp.Options{Client: &http.Client{Transport: rec}, Token: func(context.Context, headers.Challenge) (string, error) { return token, nil }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c, err := session.Connect(ctx, client.Config{Info: protocol.Implementation{Name: "test", Version: "1"}, Revisions: []protocol.Revision{modern}}, link, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"quick", "report"} {
		if _, err := c.CallTool(ctx, protocol.CallToolParams{Name: name}, session.RequestOptions{}); err != nil {
			t.Error(err)
		}
	}
	if err := c.Close(ctx); err != nil {
		t.Error(err)
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if len(rec.list) != 3 { // server/discover and the calls
		t.Errorf("%d requests", len(rec.list))
	}
	for _, q := range rec.list {
		if q.method != "POST" || q.header.Get("Authorization") != "Bearer "+token || strings.Contains(q.url, token) || strings.Contains(q.body, token) ||
			!strings.HasPrefix(q.body, "{") || strings.Count(q.body, `"jsonrpc"`) != 1 {
			t.Errorf("%+v", q)
		}
	}
}

// A site that serves both eras keeps the endpoints of the oldest transport.
//
// rows: HTTP-054
// revisions: 2026-07-28
func TestOldTransportBeside(t *testing.T) {
	s, _ := workshop(t, nethttp.Options{LegacySSE: true})
	req, err := http.NewRequest(http.MethodGet, s.URL+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	for lines := bufio.NewScanner(resp.Body); ; {
		if !lines.Scan() {
			t.Fatal("no endpoint")
		}
		if strings.HasPrefix(lines.Text(), "event: endpoint") || strings.HasPrefix(lines.Text(), "event:endpoint") {
			break
		}
	}
	body, pairs := request("tools/call", "quick")
	if a := s.ask("POST", "/mcp", body, pairs...); a.status != http.StatusOK {
		t.Errorf("beside it: %+v", a)
	}
}
