//go:build unix

package gateway_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/gateway"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/protocol"
	serverhttp "github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/stdio"
)

// Servers that do not start, say nothing or are not there cost nobody anything.
func TestServersThatFail(t *testing.T) {
	missing := relay.Server{Name: "missing", Options: manager.Options{Endpoint: dial.Command{Args: []string{"/nowhere/at/all"}}}}
	refused := relay.Server{Name: "refused", Options: manager.Options{Endpoint: dial.URL{URL: "http://127.0.0.1:1/mcp"}}}
	odd := relay.Server{Name: "odd", Options: manager.Options{Endpoint: 7}}
	g, url := begin(t, fast(missing, refused, odd, command(t, "mute"), command(t, "one")), serverhttp.Options{})
	p := over(t, "ann", url)
	p.await("one")
	if text := p.call("one", `{}`); !strings.HasPrefix(text, "one ") {
		t.Error(text)
	}
	if _, err := p.try("mcp.missing.x", `{}`); err == nil {
		t.Error("a tool of a server that is not there can be called")
	}
	text := status(t, g)
	for _, want := range []string{"server missing: 1 waiting", "server one: 1 ready", "server mute: 1 handshaking", "no such file", "next attempt in"} {
		if !strings.Contains(text, want) {
			t.Errorf("the status lacks %q:\n%s", want, text)
		}
	}
}

func status(t *testing.T, g *gateway.Gateway) string {
	t.Helper()
	var b strings.Builder
	if n, err := g.Status().WriteTo(&b); err != nil || n != int64(b.Len()) {
		t.Fatal(n, err)
	}
	return b.String()
}

// A server that floods is read no faster than its session takes it in, and others go on.
func TestFlood(t *testing.T) {
	_, url := begin(t, fast(command(t, "one"), command(t, "two")), serverhttp.Options{})
	a, b := over(t, "ann", url), over(t, "bob", url)
	a.await("one", "two")
	b.await("one")
	done := make(chan error, 1)
	go func() {
		_, err := a.try("one-flood", `{}`)
		done <- err
	}()
	var worst time.Duration
	for over := false; !over; {
		select {
		case err := <-done:
			over = true
			if err != nil {
				t.Error(err)
			}
		default:
			for _, call := range []func() string{func() string { return a.call("two", `{}`) }, func() string { return b.call("one", `{}`) }} {
				began := time.Now()
				call()
				worst = max(worst, time.Since(began))
			}
		}
	}
	t.Logf("the slowest call beside it took %v", worst) // each has its patience
}

// A client over streams that does not read holds up its own servers alone, and everything ends.
func TestClientThatDoesNotRead(t *testing.T) {
	g, url := begin(t, fast(command(t, "one")), serverhttp.Options{})
	up, in := io.Pipe()
	out, down := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- g.Serve(context.Background(), up, down, stdio.Options{Drain: 200 * time.Millisecond, QueueBytes: 64 << 10, Stall: 2 * time.Second})
	}()
	lines := bufio.NewScanner(out)
	say := func(format string, args ...any) { fmt.Fprintf(in, format+"\n", args...) }
	say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"deaf\u0007","version":"1"}}}`)
	lines.Scan()
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one-flood"}}`)
	eventually(t, "nothing waits", func() bool {
		for _, x := range g.Status().Sessions {
			if x.Kind == "stdio" && x.Waiting >= 64 {
				return true
			}
		}
		return false
	})
	p := over(t, "ann", url)
	p.await("one")
	p.call("one", `{}`)
	for _, x := range g.Status().Sessions {
		if x.Waiting > 2*64 {
			t.Errorf("%d reports wait", x.Waiting)
		}
	}
	if text := status(t, g); !strings.Contains(text, "client deaf· 1") {
		t.Error(text)
	}
	if err := receive(t, ended); err == nil {
		t.Error("no error of a client that does not read")
	}
	_, _ = in.Close(), out.Close()
}

// Sessions that end by time, by DELETE or by a failure of the handshake leave nothing behind.
func TestSessionsEnd(t *testing.T) {
	g, url := begin(t, fast(command(t, "one")), serverhttp.Options{IdleTimeout: 2 * time.Second})
	p := over(t, "ann", url)
	p.await("one")
	pid := p.pid("one")
	p.close()
	eventually(t, "it runs after DELETE", func() bool { return !alive(pid) })
	// A client that is gone without a word.
	resp, err := http.Post(url, "application/json", strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	id := raw(t, url, "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	raw(t, url, id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	eventually(t, "no server", func() bool {
		st := g.Status()
		return len(st.Sessions) == 1 && len(st.Sessions[0].Servers) == 1 && st.Sessions[0].Servers[0].Condition == manager.Ready
	})
	eventually(t, "the session is still there", func() bool { return len(g.Status().Sessions) == 0 })
}

// raw posts a message and returns the id of the session.
func raw(t *testing.T, url, session, body string) string {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
		r.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.Header.Get("Mcp-Session-Id")
}

// failing is a Store that fails now and then.
type failing struct {
	serverhttp.Store
	mu   sync.Mutex
	puts int
	down bool
}

func (f *failing) Put(ctx context.Context, id string, r serverhttp.Record, step uint64) error {
	f.mu.Lock()
	f.puts++
	bad := f.down || f.puts%7 == 0 && step > 2
	f.mu.Unlock()
	if bad {
		return errors.New("down")
	}
	return f.Store.Put(ctx, id, r, step)
}

// What servers say is not lost with a Store that fails: it is taken in when the Store is back.
func TestStoreFails(t *testing.T) {
	f := &failing{Store: serverhttp.NewMemory()}
	_, url := begin(t, fast(command(t, "one")), serverhttp.Options{Store: f})
	p := over(t, "ann", url)
	eventually(t, "no tool", func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		r, err := session.Do[protocol.ListToolsResult](ctx, p.Client, protocol.ListToolsParams{})
		return err == nil && slices.ContainsFunc(r.Tools, func(tool protocol.Tool) bool { return tool.Name == "one" })
	})
	good := 0
	for range 20 {
		if text, err := p.try("one", `{}`); err == nil && strings.HasPrefix(text, "one ") {
			good++
		}
	}
	if good < 10 {
		t.Errorf("%d of 20 calls", good)
	}
}

// A session that is over before its client is ready costs nothing, and one at the same time as
// Close ends with it.
func TestChurn(t *testing.T) {
	g, url := begin(t, fast(command(t, "one"), command(t, "mute")), serverhttp.Options{})
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 8 {
				tr, err := dial.Dialer{}.Dial(context.Background(), dial.URL{URL: url})
				if err != nil {
					t.Error(err)
					return
				}
				p := connect(t, fmt.Sprint("c", i), tr)
				if i%2 == 0 {
					_, _ = p.try("one", `{}`)
				}
				p.close()
			}
		})
	}
	wg.Go(func() {
		one, mute := command(t, "one"), command(t, "mute")
		for i := range 40 {
			servers := []relay.Server{one, mute}
			if i%2 == 0 {
				servers = servers[1:]
			}
			if err := g.SetServers(servers); err != nil {
				t.Error(err)
			}
			g.Restart("mute")
			_ = g.Status()
			time.Sleep(5 * time.Millisecond)
		}
	})
	wg.Wait()
	eventually(t, "there are still sessions", func() bool { return len(g.Status().Sessions) == 0 })
}

// The status page follows the rules of the endpoint beside it.
func TestStatusPage(t *testing.T) {
	g, url := begin(t, fast(command(t, "one")), serverhttp.Options{})
	p := over(t, "ann", url)
	p.await("one")
	open := httptest.NewServer(g.StatusHandler(serverhttp.Options{}))
	defer open.Close()
	closed := httptest.NewServer(g.StatusHandler(serverhttp.Options{Authenticate: func(r *http.Request) (serverhttp.Principal, error) {
		if r.Header.Get("Authorization") != "Bearer x" {
			return serverhttp.Principal{}, errors.New("who is it")
		}
		return serverhttp.Principal{ID: "x"}, nil
	}}))
	defer closed.Close()
	get := func(method, url string, edit func(*http.Request)) (int, string) {
		r, err := http.NewRequest(method, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if edit != nil {
			edit(r)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(b)
	}
	code, text := get("GET", open.URL, nil)
	for _, want := range []string{"1 servers, 1 sessions", "server one: 1 ready", "session 1, http,", "client ann 1", "revision 2025-11-25", "  one: ready for "} {
		if code != 200 || !strings.Contains(text, want) {
			t.Errorf("%d, no %q in\n%s", code, want, text)
		}
	}
	if code, text := get("HEAD", open.URL, nil); code != 200 || text != "" {
		t.Error(code, text)
	}
	for name, tt := range map[string]struct {
		method, url string
		edit        func(*http.Request)
		code        int
	}{
		"another host":   {"GET", open.URL, func(r *http.Request) { r.Host = "evil.example" }, 403},
		"another origin": {"GET", open.URL, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403},
		"POST":           {"POST", open.URL, nil, 405},
		"nobody":         {"GET", closed.URL, nil, 401},
		"somebody":       {"GET", closed.URL, func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, 200},
	} {
		if code, _ := get(tt.method, tt.url, tt.edit); code != tt.code {
			t.Errorf("%s: %d", name, code)
		}
	}
}
