package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// stateless is a client of a mock without sessions, which answers as post says.
func (m *mock) stateless(post func(w http.ResponseWriter, r *http.Request, q jsonrpc.Message) bool) *session.Client {
	m.t.Helper()
	m.post = func(w http.ResponseWriter, r *http.Request, q jsonrpc.Message) bool {
		if q.Method == protocol.MethodDiscover {
			reply(w, q, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`)
			return true
		}
		return post(w, r, q)
	}
	c, err := m.dual()
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

// dual connects a client of both eras.
func (m *mock) dual() (*session.Client, error) {
	m.t.Helper()
	t, err := New(m.url, Options{})
	if err != nil {
		m.t.Fatal(err)
	}
	ctx, end := context.WithTimeout(context.Background(), patience)
	defer end()
	cfg := config()
	cfg.Revisions = protocol.AllRevisions()
	return session.Connect(ctx, cfg, t, session.Options{})
}

func (m *mock) idsOf(method string) (ids []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, q := range m.messages {
		if q.Method == method {
			ids = append(ids, q.ID.String())
		}
	}
	return ids
}

// Without a session, to cancel a request is to end its connection, and nothing is posted.
//
// rows: CANC-206
// revisions: 2026-07-28
func TestCancelEndsTheConnection(t *testing.T) {
	m := newMock(t)
	came, ended := make(chan struct{}), make(chan struct{})
	c := m.stateless(func(_ http.ResponseWriter, r *http.Request, q jsonrpc.Message) bool {
		if q.Method == "tools/call" {
			close(came)
			<-r.Context().Done()
			close(ended)
		}
		return true
	})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-came
		cancel()
	}()
	if _, err := c.CallTool(ctx, protocol.CallToolParams{Name: "t"}, session.RequestOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-ended
	if got := m.heard(); got != "POST server/discover, POST tools/call" {
		t.Error(got)
	}
}

// A stream that broke is not resumed: the request fails, and made again it is another one.
//
// rows: HTTP-212
// revisions: 2026-07-28
func TestBrokenStreamIsOver(t *testing.T) {
	m := newMock(t)
	calls := 0
	c := m.stateless(func(w http.ResponseWriter, _ *http.Request, q jsonrpc.Message) bool {
		if calls++; calls > 1 {
			reply(w, q, `{"resultType":"complete","content":[]}`)
			return true
		}
		events(w)("id: 1", "retry: 1", "data: ")
		cut()
		return true
	})
	_, err := c.CallTool(context.Background(), protocol.CallToolParams{Name: "t"}, session.RequestOptions{})
	if err == nil || lifecycle.DeliveryOf(err).Repeatable() { // it may have run
		t.Errorf("%v: %v", err, lifecycle.DeliveryOf(err))
	}
	if _, err := c.CallTool(context.Background(), protocol.CallToolParams{Name: "t"}, session.RequestOptions{}); err != nil {
		t.Error(err)
	}
	if got := m.heard(); got != "POST server/discover, POST tools/call, POST tools/call" {
		t.Error(got)
	}
	if ids := m.idsOf("tools/call"); len(ids) != 2 || ids[0] == ids[1] {
		t.Error(ids)
	}
	for _, r := range m.heads {
		if r.Header.Get("Last-Event-ID") != "" {
			t.Errorf("%v", r.Header)
		}
	}
}

// What a server answers to the probe by a status is of an old server, unless the body says that it is none.
//
// rows: HTTP-215 ERA-020
// revisions: 2026-07-28
func TestProbeAnsweredByStatus(t *testing.T) {
	failure := func(code int64, data string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%%s,"error":{"code":%d,"message":"m"%s}}`, code, data)
	}
	for _, c := range []struct {
		status int
		body   string // %s stands for the id
		falls  bool
	}{
		{400, failure(-32020, ""), false}, {400, failure(-32021, `,"data":{"requiredCapabilities":{}}`), false},
		{400, failure(-32022, `,"data":{"supported":["2099-01-01"]}`), false}, {400, failure(-32022, `,"data":{"supported":["2025-11-25"]}`), true},
		{400, failure(-32600, ""), true}, {400, failure(-32000, ""), true}, {404, failure(-32601, ""), true}, {200, failure(-32601, ""), true},
		{400, "no", true}, {400, "", true}, {404, "not found", true}, {405, "", true}, {400, `{"error":"bad session"}`, true},
	} {
		t.Run(fmt.Sprint(c.status, " ", c.body), func(t *testing.T) {
			m := newMock(t)
			m.post = func(w http.ResponseWriter, _ *http.Request, q jsonrpc.Message) bool {
				if q.Method != protocol.MethodDiscover {
					return false
				}
				kind := "text/plain"
				if strings.HasPrefix(c.body, "{") {
					kind = "application/json"
				}
				w.Header().Set("Content-Type", kind)
				w.WriteHeader(c.status)
				body := c.body
				if strings.Contains(body, "%s") {
					body = fmt.Sprintf(body, q.ID)
				}
				_, _ = fmt.Fprint(w, body)
				return true
			}
			cl, err := m.dual()
			if err == nil {
				cl.Close(context.Background())
			}
			asked := slices.Contains(strings.Split(m.heard(), ", "), "POST initialize")
			if asked != c.falls || (err == nil) != c.falls {
				t.Errorf("%v: %s", err, m.heard())
			}
		})
	}
}

// A call whose arguments are not in headers as its tool wants them is made again once the tools are listed, and not for ever.
//
// rows: HTTP-208
// revisions: 2026-07-28
func TestHeadersAreLearnedLate(t *testing.T) {
	m := newMock(t)
	name := "A" // as the tool wants the header to be named
	c := m.stateless(func(w http.ResponseWriter, r *http.Request, q jsonrpc.Message) bool {
		switch {
		case q.Method == "tools/list":
			reply(w, q, `{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"`+strings.TrimSuffix(name, "!")+`"}}}}]}`)
		case q.Method == "tools/call" && r.Header.Get("Mcp-Param-"+name) == "1":
			reply(w, q, `{"resultType":"complete","content":[]}`)
		default:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32020,"message":"Mcp-Param-%s is missing"}}`, q.ID, name)
		}
		return true
	})
	call := func() error {
		_, err := c.CallTool(context.Background(), protocol.CallToolParams{Name: "t", Arguments: `{"a":"1"}`}, session.RequestOptions{})
		return err
	}
	for i, want := range []string{"A", "A", "B", "C!"} {
		name = want
		before := m.count("POST tools/call")
		err, calls := call(), 0
		calls = m.count("POST tools/call") - before
		if bad := want == "C!"; (err != nil) != bad || calls != []int{2, 1, 2, 2}[i] {
			t.Errorf("%s: %v after %d calls", want, err, calls)
		}
	}
	if ids := m.idsOf("tools/call"); len(slices.Compact(ids)) != 7 {
		t.Error(ids)
	}
}
