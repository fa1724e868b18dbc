package remote

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

// person is an Authorizer whose user takes a while to log in, each time that a token is refused, and all who ask meanwhile wait.
type person struct {
	takes time.Duration
	err   error
	busy  chan struct{} // has room while nobody logs in
	token oauth.Secret
}

func (a *person) Authorize(ctx context.Context, need oauth.Need) (oauth.Token, error) {
	select {
	case a.busy <- struct{}{}:
		defer func() { <-a.busy }()
	case <-ctx.Done():
		return oauth.Token{}, context.Cause(ctx)
	}
	if need.Status/100 == 4 && need.Used == a.token {
		select {
		case <-time.After(a.takes):
			a.token += "x"
		case <-ctx.Done():
			return oauth.Token{}, context.Cause(ctx)
		}
	}
	if a.token == "" {
		return oauth.Token{}, a.err
	}
	return oauth.Token{Type: "Bearer", Access: a.token}, a.err
}

func (a *person) Prove(context.Context, oauth.Proof) (string, error) { return "", nil }

// guarded is a server, of sessions or without, that wants a token of so many letters.
type guarded struct {
	letters int
	modern  bool
	old     bool // HTTP+SSE
	says    chan string
	silent  bool // it answers nobody with a token
	heard   []string
}

var hears sync.Mutex // guards what each server has heard

func (g *guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := func(status int, kind string, body io.Reader) (*http.Response, error) {
		h := http.Header{"Content-Type": {kind}}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(body), Request: r, ProtoMajor: 1, ProtoMinor: 1}, nil
	}
	if r.Header.Get("Authorization") != "Bearer "+strings.Repeat("x", g.letters) {
		resp, err := answer(http.StatusUnauthorized, "text/plain", strings.NewReader(""))
		resp.Header.Set("WWW-Authenticate", "Bearer")
		return resp, err
	}
	switch r.Method {
	case http.MethodGet:
		if !g.old {
			return answer(http.StatusMethodNotAllowed, "text/plain", strings.NewReader(""))
		}
		out, in := io.Pipe()
		go func() {
			_, _ = io.WriteString(in, "event: endpoint\ndata: /post\n\n")
			for text := range g.says {
				_, _ = io.WriteString(in, "data: "+text+"\n\n")
			}
			_ = in.Close()
		}()
		return answer(http.StatusOK, headers.EventStream, out)
	case http.MethodDelete:
		return answer(http.StatusOK, "text/plain", strings.NewReader(""))
	}
	if g.silent {
		<-r.Context().Done()
		return nil, context.Cause(r.Context())
	}
	if g.old && r.URL.Path != "/post" {
		return answer(http.StatusNotFound, "text/plain", strings.NewReader(""))
	}
	data, _ := io.ReadAll(r.Body)
	m := jsonrpc.Decode(data)
	hears.Lock()
	g.heard = append(g.heard, m.Method)
	hears.Unlock()
	result := map[string]string{
		"server/discover": `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`,
		"initialize":      `{"protocolVersion":"` + map[bool]string{true: "2024-11-05", false: "2025-11-25"}[g.old] + `","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`,
		"tools/call":      `{"resultType":"complete","content":[]}`,
	}[m.Method]
	text := `{"jsonrpc":"2.0","id":` + m.ID.String() + `,"result":` + result + `}`
	if g.modern != (m.Method == "server/discover") && m.Method != "tools/call" {
		text = `{"jsonrpc":"2.0","id":` + m.ID.String() + `,"error":{"code":-32601,"message":"no"}}`
	}
	switch {
	case m.Kind != jsonrpc.KindRequest:
		return answer(http.StatusAccepted, "text/plain", strings.NewReader(""))
	case g.old:
		g.says <- text
		return answer(http.StatusAccepted, "text/plain", strings.NewReader(""))
	}
	return answer(http.StatusOK, headers.JSON, strings.NewReader(text))
}

// A person who logs in takes longer than a server may. Meanwhile the time of what waits for the token stands still: the
// probe and initialize of a connection, and a call whose token is refused later on. Afterwards the server has its time.
func TestPersonTakesTime(t *testing.T) {
	for name, kind := range map[string]guarded{
		"sessions": {}, "without a session": {modern: true}, "HTTP+SSE": {old: true},
	} {
		for _, takes := range []time.Duration{time.Second, 4 * time.Minute} {
			t.Run(name+" "+takes.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					g := kind
					g.letters, g.says = 1, make(chan string)
					a := &person{takes: takes, busy: make(chan struct{}, 1)}
					c := guardedClient(t, &g, a)
					if err := c.Open(t.Context()); err != nil {
						t.Fatal(err)
					}
					if want := "server/discover"; g.modern && strings.Join(g.heard, " ") != want {
						t.Errorf("%q, want %s alone", g.heard, want)
					}
					call := func() error {
						_, err := c.CallTool(t.Context(), protocol.CallToolParams{Name: "x"}, session.RequestOptions{})
						return err
					}
					if err := call(); err != nil {
						t.Error(err)
					}
					synctest.Wait()
					g.letters = 2 // the token is refused, and another call waits for the same person
					other := make(chan error)
					go func() { other <- call() }()
					if err := errors.Join(call(), <-other); err != nil {
						t.Error(err)
					}

					// The time of the server is what it was.
					synctest.Wait()
					g.letters, g.silent = 3, true
					at := time.Now()
					if err := call(); err == nil || time.Since(at) != takes+time.Minute {
						t.Errorf("%v after %v", err, time.Since(at))
					}

					// A person who does not come holds nothing up for ever.
					synctest.Wait()
					g.letters, a.takes = 4, time.Hour
					at = time.Now()
					if err := call(); err == nil || time.Since(at) < 10*time.Minute || time.Since(at) > 10*time.Minute+time.Second {
						t.Errorf("%v after %v", err, time.Since(at))
					}
					ended := make(chan struct{})
					go func() { defer close(ended); _ = c.Close(t.Context()) }()
					synctest.Wait()
					close(g.says)
					<-ended
				})
			})
		}
	}
}

// A call that is given up while a person logs in, or whose time is over, never comes to the server.
func TestCallGivenUpBeforeItsToken(t *testing.T) {
	for name, kind := range map[string]guarded{
		"sessions": {}, "without a session": {modern: true}, "HTTP+SSE": {old: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := kind
				g.letters, g.says = 1, make(chan string)
				a := &person{takes: time.Second, busy: make(chan struct{}, 1)}
				c := guardedClient(t, &g, a)
				if err := c.Open(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second)
				call := func(ctx context.Context) error {
					_, err := c.CallTool(ctx, protocol.CallToolParams{Name: "x"}, session.RequestOptions{})
					return err
				}
				synctest.Wait()
				g.letters, g.heard, a.takes = 2, nil, time.Hour
				for _, d := range []time.Duration{time.Millisecond, time.Minute, 20 * time.Minute} {
					ctx, stop := context.WithTimeout(t.Context(), d)
					if err := call(ctx); err == nil {
						t.Error("answered")
					}
					stop()
				}
				time.Sleep(4 * time.Hour)
				synctest.Wait()
				a.takes = time.Second
				if err := call(t.Context()); err != nil {
					t.Error(err)
				}
				synctest.Wait()
				if strings.Join(g.heard, " ") != "tools/call" {
					t.Errorf("%q, want one call", g.heard)
				}
				ended := make(chan struct{})
				go func() { defer close(ended); _ = c.Close(t.Context()) }()
				synctest.Wait()
				close(g.says)
				<-ended
			})
		})
	}
}

// A server that is silent about a probe may answer it while initialize is on its way, also over HTTP; and a probe that
// nobody waits for any more ends.
func TestProbeAnsweredLate(t *testing.T) {
	for name, tt := range map[string]struct {
		after    time.Duration // the answer to the probe comes
		answers  string        // to initialize, 7 s after it
		revision protocol.Revision
	}{
		"without sessions": {8 * time.Second, `"error":{"code":-32601,"message":"no"}`, protocol.Revision20260728},
		"odd":              {8 * time.Second, `"result":{}`, protocol.Revision20260728},
		"both":             {8 * time.Second, `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`, protocol.Revision20251125},
		"never":            {time.Hour, `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`, protocol.Revision20251125},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var probe context.Context
				c := guardedClient(t, roundTrip(func(r *http.Request) (*http.Response, error) {
					if r.Method != http.MethodPost {
						return &http.Response{StatusCode: http.StatusMethodNotAllowed, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
					}
					data, _ := io.ReadAll(r.Body)
					m, wait, text := jsonrpc.Decode(data), time.Duration(0), `"result":{"resultType":"complete","content":[]}`
					switch m.Method {
					case "server/discover":
						probe, wait, text = r.Context(), tt.after, `"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`
					case "initialize":
						wait, text = 7*time.Second, tt.answers
					}
					select {
					case <-time.After(wait):
					case <-r.Context().Done():
						return nil, context.Cause(r.Context())
					}
					resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {headers.JSON}}, Request: r}
					if resp.Body = io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","id":` + m.ID.String() + `,` + text + `}`)); m.Kind != jsonrpc.KindRequest {
						resp.StatusCode, resp.Body = http.StatusAccepted, http.NoBody
					}
					return resp, nil
				}), nil)
				if err := c.Open(t.Context()); err != nil || c.State().Revision() != tt.revision {
					t.Errorf("%v, %v", c.State().Revision(), err)
				}
				if _, err := c.CallTool(t.Context(), protocol.CallToolParams{Name: "x"}, session.RequestOptions{}); err != nil {
					t.Error(err)
				}
				synctest.Wait()
				if probe.Err() == nil {
					t.Error("the probe goes on")
				}
				_ = c.Close(t.Context())
			})
		})
	}
}

// A token that is not given fails the request that waits for it, and no other.
func TestPersonRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &guarded{letters: 1}
		refused := errors.New("the person does not want to")
		a := &person{takes: 2 * time.Minute, busy: make(chan struct{}, 1), err: refused}
		c := guardedClient(t, g, a)
		if err := c.Open(t.Context()); !errors.Is(err, refused) {
			t.Error(err)
		}
		_ = c.Close(t.Context())
	})
}

// guardedClient returns a client over g that has said nothing.
func guardedClient(t *testing.T, g http.RoundTripper, a Authorizer) *session.Client {
	t.Helper()
	tr, err := New("http://127.0.0.1/mcp", Options{Client: &http.Client{Transport: g}, Auth: a})
	if err != nil {
		t.Fatal(err)
	}
	cfg := config()
	cfg.Revisions = protocol.AllRevisions()
	c, err := session.New(cfg, tr, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
