//go:build unix

package examples_test

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/authz"
	"github.com/sansmcp/mcp/docs/examples/app"
	"github.com/sansmcp/mcp/server/nethttp"
)

// The client logs in at a server that wants a token, once: the next time it has the token.
func TestClientLogsIn(t *testing.T) {
	t.Parallel()
	a, err := app.New()
	if err != nil {
		t.Fatal(err)
	}
	h, err := nethttp.NewHandler(app.Config("web"), a.Handlers(), nethttp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	_, s := authz.Serve(h)
	t.Cleanup(s.Close)
	folder := filepath.Join(t.TempDir(), "kept")
	run := func() *running {
		return start(t, program("client"), "-login", folder, "-tool", "echo", "-args", `{"text":"hello"}`, s.URL+"/mcp")
	}
	p := run()
	page := ""
	for end := time.Now().Add(patience); page == ""; time.Sleep(5 * time.Millisecond) {
		_, page, _ = strings.Cut(p.said(), "Open this page to log in: ")
		if !strings.HasSuffix(page, "\n") {
			page = ""
		}
		if time.Now().After(end) {
			t.Fatal(p.said())
		}
	}
	resp, err := http.Get(strings.TrimSpace(page)) // the person agrees, and the browser follows the redirect
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK || !strings.Contains(string(text), "close this window") {
		t.Fatal(resp.StatusCode, string(text))
	}
	for try := range 2 {
		p.next("result (isError false) text: hello")
		<-p.gone
		if code := p.cmd.ProcessState.ExitCode(); code != 0 || strings.Contains(p.said(), "Open this page") != (try == 0) {
			t.Error(code, p.said())
		}
		if try == 0 {
			p = run()
		}
	}
}
