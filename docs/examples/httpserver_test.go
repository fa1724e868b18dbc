//go:build unix

package examples_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A server over HTTP that is told to end lets what runs finish, closes the streams that are
// open, and ends well.
func TestHTTPServerEnds(t *testing.T) {
	t.Parallel()
	p := start(t, program("httpserver"), "-addr", "127.0.0.1:0", "-sse")
	_, url, ok := strings.Cut(strings.TrimSpace(p.next("listening on")), "listening on ")
	if !ok || !strings.HasSuffix(url, "/mcp") {
		t.Fatal(url)
	}
	session := ""
	send := func(method, url, body string) *http.Response {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		t.Cleanup(cancel)
		r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Mcp-Session-Id", session)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	text := func(resp *http.Response) string {
		t.Helper()
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Error(err)
		}
		return string(b)
	}
	old := send(http.MethodGet, strings.TrimSuffix(url, "/mcp")+"/sse", "") // HTTP+SSE
	resp := send(http.MethodPost, url, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	if got := text(resp); !strings.Contains(got, `"name":"httpserver"`) {
		t.Error(got)
	}
	session = resp.Header.Get("Mcp-Session-Id")
	text(send(http.MethodPost, url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	listens := send(http.MethodGet, url, "")
	slow := send(http.MethodPost, url, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","arguments":{"ms":600,"steps":1}}}`)
	began := time.Now()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got := text(slow); !strings.Contains(got, "done in 1 steps") {
		t.Error(got)
	}
	text(listens)
	if got := text(old); !strings.Contains(got, "event: endpoint") {
		t.Error(got)
	}
	select {
	case <-p.gone:
		if code := p.cmd.ProcessState.ExitCode(); code != 0 || time.Since(began) > patience {
			t.Errorf("it ends with %d after %v", code, time.Since(began))
		}
	case <-time.After(2 * patience):
		t.Error("it does not end")
	}
}
