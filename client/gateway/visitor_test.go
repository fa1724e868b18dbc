//go:build unix

package gateway_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	serverhttp "github.com/sansmcp/mcp/server/nethttp"
)

// posted makes a request without a session. params are members, each with a comma behind it.
func posted(t *testing.T, url, method, name, params string) *http.Response {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"debug"}}}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method}}
	if name != "" {
		req.Header.Set("Mcp-Name", name)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// What servers of both eras log within a call of a client without a session reaches it over HTTP.
func TestLogsWithoutSessions(t *testing.T) {
	_, url := begin(t, bothEras(fast(command(t, "one"), command(t, "newone"))), serverhttp.Options{})
	over(t, "ann", url, protocol.AllRevisions()...).await("one", "newone")
	for _, server := range []string{"one", "newone"} {
		text, err := io.ReadAll(posted(t, url, protocol.MethodToolsCall, server+"-log", `"name":"`+server+`-log",`).Body)
		if err != nil || !strings.Contains(string(text), "from here") {
			t.Errorf("%s: %s %v", server, text, err)
		}
	}
}

// Clients that only listen keep nobody from calling, and do not hold up the end of the Gateway.
func TestListenersAreNoCalls(t *testing.T) {
	g, url := begin(t, bothEras(fast()), serverhttp.Options{Work: host.WorkOptions{MaxRunning: 1, MaxWaiting: 3}})
	for range 8 {
		lines := bufio.NewScanner(posted(t, url, protocol.MethodListen, "", `"notifications":{"toolsListChanged":true},`).Body)
		for lines.Scan() && !strings.Contains(lines.Text(), "acknowledged") {
		}
	}
	list(t, url, "", `{}`)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := g.Close(ctx); err != nil {
		t.Error(err)
	}
}

// A ServersOf that panics costs its session the servers, in whatever goroutine it is called.
func TestServersOfPanics(t *testing.T) {
	opt := bothEras(fast())
	fails := true
	opt.ServersOf = func(server.Peer) []relay.Server {
		if fails {
			panic("no servers")
		}
		return nil
	}
	g, url := begin(t, opt, serverhttp.Options{})
	list(t, url, "", `{}`)
	p := over(t, "ann", url)
	_, _ = stream(t, g, "bob")
	if err := g.SetServers(nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the sessions did not look", func() bool {
		list(t, url, "", `{}`)
		return len(p.tools()) == 0 && len(g.Status().Sessions) == 3
	})
}
