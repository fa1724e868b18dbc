//go:build unix

package examples_test

import (
	"io"
	"net/http"
	"net/http/httptest"
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
	world := &authz.Handler{Now: time.Now, Next: h}
	s := httptest.NewServer(world)
	t.Cleanup(s.Close)
	world.World = &authz.World{
		Resources: []*authz.Resource{{URL: s.URL + "/mcp", Issuers: []string{s.URL + "/as"}, Forms: authz.InChallenge, Scopes: []string{"tools"}, Need: []string{"tools"}, Hint: true}},
		Issuers:   []*authz.Issuer{{ID: s.URL + "/as", Forms: authz.OAuth, DCR: true, Methods: []string{"none"}, Scopes: []string{"tools"}}},
	}
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
