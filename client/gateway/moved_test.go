//go:build unix

package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	serverhttp "github.com/sansmcp/mcp/server/nethttp"
)

// ask posts a message of a session and returns the body of the answer.
func ask(t *testing.T, url, session, body string) string {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Session-Id", session)
	r.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A session that goes on at another gateway with the same Store has servers there too, and both
// let go of them when it ends.
func TestSessionGoesOnElsewhere(t *testing.T) {
	store := serverhttp.NewMemory()
	opt := fast(command(t, "one"))
	opt.Server.HashKey = [16]byte{1}
	a, urlA := begin(t, opt, serverhttp.Options{Store: store})
	b, urlB := begin(t, opt, serverhttp.Options{Store: store})
	id := raw(t, urlA, "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	raw(t, urlA, id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for i, url := range []string{urlA, urlB, urlA, urlB} {
		if text := ask(t, url, id, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one"}}`); !strings.Contains(text, "one one ") {
			t.Fatal(i, text)
		}
	}
	if x, y := len(a.Status().Sessions), len(b.Status().Sessions); x != 1 || y != 1 {
		t.Error(x, y)
	}
	r, err := http.NewRequest(http.MethodDelete, urlB, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Mcp-Session-Id", id)
	resp, err := http.DefaultClient.Do(r)
	if err != nil || resp.StatusCode != http.StatusNoContent {
		t.Fatal(resp, err)
	}
	_ = resp.Body.Close()
	eventually(t, "b has it still", func() bool { return len(b.Status().Sessions) == 0 })
	a.Restart("one") // it looks, and finds it gone
	eventually(t, "a has it still", func() bool { return len(a.Status().Sessions) == 0 })
}
