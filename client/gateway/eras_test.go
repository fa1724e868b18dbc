//go:build unix

package gateway_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/gateway"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	serverhttp "github.com/sansmcp/mcp/server/nethttp"
)

// bothEras has a gateway speak both eras, on both sides.
func bothEras(opt gateway.Options) gateway.Options {
	opt.Server.Revisions, opt.Relay.Manager.Client.Revisions = protocol.AllRevisions(), protocol.AllRevisions()
	return opt
}

// Clients of both eras, over HTTP and over streams, have the tools of servers of both eras behind one gateway. What
// servers ask within a call, and their progress, comes to the client whose call it is.
func TestEras(t *testing.T) {
	servers := []string{"one", "two", "newone", "newweb"}
	g, url := begin(t, bothEras(fast(command(t, "one"), command(t, "two"), command(t, "newone"), overHTTP(t, "newweb"))), serverhttp.Options{})
	peers := []*peer{over(t, "ann", url), over(t, "bob", url, protocol.AllRevisions()...)}
	cat, ended := stream(t, g, "cat", protocol.AllRevisions()...)
	peers = append(peers, cat)
	for i, p := range peers {
		if stateless := p.State().Revision().Stateless(); stateless != (i > 0) {
			t.Fatal(p.name, stateless)
		}
		p.await(servers...)
		for round := range 3 {
			for _, server := range servers {
				if err := asked(p, server, fmt.Sprintf(`{"who":"%s %s %d"}`, p.name, server, round)); err != nil {
					t.Error(err)
				}
			}
		}
		p.mu.Lock()
		for _, ask := range p.asks {
			if !strings.Contains(ask, p.name+" ") {
				t.Errorf("%s is asked %s", p.name, ask)
			}
		}
		p.mu.Unlock()
	}
	cat.close()
	if err := receive(t, ended); err != nil {
		t.Error(err)
	}
}

// asPrincipal opens a connection without a session as a principal.
func asPrincipal(t *testing.T, url, who, name string) *peer {
	t.Helper()
	tr, err := remote.New(url, remote.Options{Header: http.Header{"User": {who}}})
	if err != nil {
		t.Fatal(err)
	}
	return connect(t, name, tr, protocol.AllRevisions()...)
}

// Clients without a session share the servers of their principal, and those of others have their own. What is asked
// within many calls at once reaches the principal whose call it is.
func TestPrincipalsWithoutSessions(t *testing.T) {
	g, url := begin(t, bothEras(fast(command(t, "one"), command(t, "newone"))), serverhttp.Options{Authenticate: byUser})
	var peers []*peer
	for _, who := range []string{"ann", "bob"} {
		for i := range 2 {
			p := asPrincipal(t, url, who, fmt.Sprintf("%s-%d", who, i))
			p.await("one", "newone")
			peers = append(peers, p)
		}
	}
	if a, b, c := peers[0].pid("one"), peers[1].pid("one"), peers[2].pid("one"); a != b || a == c {
		t.Error(a, b, c)
	}
	const rounds = 5
	failed := make(chan error, len(peers)*2*rounds)
	for _, p := range peers {
		for _, server := range []string{"one", "newone"} {
			go func() {
				for i := range rounds {
					failed <- ofPrincipal(p, server, fmt.Sprintf(`{"who":"%s %d"}`, p.name, i))
				}
			}()
		}
	}
	for range cap(failed) {
		if err := receive(t, failed); err != nil {
			t.Error(err)
		}
	}
	for _, p := range peers {
		for _, ask := range p.asks {
			if who, _, _ := strings.Cut(p.name, "-"); !strings.Contains(ask, who+"-") {
				t.Errorf("%s is asked %s", p.name, ask)
			}
		}
	}
	if n := len(g.Status().Sessions); n != 2 {
		t.Errorf("%d homes", n)
	}
}

// ofPrincipal calls a tool that asks, and sees that somebody of the same principal has answered.
func ofPrincipal(p *peer, server, args string) error {
	tool := server + "-ask"
	if strings.HasPrefix(server, "new") {
		tool = server + "-wonder"
	}
	text, err := p.try(tool, args)
	if who, _, _ := strings.Cut(p.name, "-"); err != nil || !strings.Contains(text, "I am "+who) || !strings.Contains(text, "decline") {
		return fmt.Errorf("%s %s: %s %w", p.name, server, text, err)
	}
	return nil
}

// A server that had a session with one client is not asked what it is for the next.
//
// rows: ERA-017
// revisions: 2026-07-28
func TestVerdictOfEarlierSessions(t *testing.T) {
	h, err := serverhttp.NewHandler(config("old"), handlers("old", nil), serverhttp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), protocol.MethodDiscover) {
			asked.Add(1)
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		h.Close()
		s.Close()
	})
	old := relay.Server{Name: "old", Definition: s.URL, Options: manager.Options{Endpoint: dial.URL{URL: s.URL}}}
	g, url := begin(t, bothEras(fast(old)), serverhttp.Options{})
	for _, name := range []string{"ann", "bob"} {
		over(t, name, url).await("old")
		if n := asked.Load(); n != 1 {
			t.Errorf("asked %d times with %s", n, name)
		}
	}
	if err := g.SetServers([]relay.Server{old}); err != nil {
		t.Fatal(err)
	}
	if over(t, "cat", url).await("old"); asked.Load() != 1 {
		t.Error("asked again after SetServers")
	}
}

// A client without a session hears of changes, its calls are cancelled with their requests, and the servers end some
// time after the last request, but for a call that waits for its answer.
func TestHomesEnd(t *testing.T) {
	opt := bothEras(fast(command(t, "one")))
	opt.RestAfter = 300 * time.Millisecond
	g, url := begin(t, opt, serverhttp.Options{})
	p := over(t, "ann", url, protocol.AllRevisions()...)
	p.await("one")
	pid := p.pid("one")
	ctx, cancel := context.WithCancel(t.Context())
	listening := make(chan error, 1)
	go func() {
		_, err := p.Request(ctx, protocol.ListenParams{Notifications: protocol.SubscriptionFilter{ToolsListChanged: true}}, session.RequestOptions{RequestOptions: client.RequestOptions{Timeout: lifecycle.NoTimeout, Maximum: lifecycle.NoTimeout}})
		listening <- err
	}()
	eventually(t, "the subscription is not acknowledged", func() bool { return p.count(protocol.MethodAcknowledged) == 1 })
	if err := g.SetServers([]relay.Server{command(t, "one"), command(t, "two")}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "nothing changed", func() bool { return p.changes() > 0 })
	p.await("two")
	time.Sleep(2 * opt.RestAfter)
	if !alive(pid) {
		t.Error("the servers ended while somebody listens")
	}
	cancel()
	_ = receive(t, listening)

	ctx, cancel = context.WithCancel(t.Context())
	hangs := make(chan error, 1)
	started := make(chan bool, 10)
	go func() {
		_, err := p.CallTool(ctx, protocol.CallToolParams{Name: "one-hang"}, session.RequestOptions{OnProgress: func(protocol.ProgressParams) { started <- true }})
		hangs <- err
	}()
	_ = receive(t, started)
	cancel()
	_ = receive(t, hangs)
	eventually(t, "the server still runs", func() bool { return !alive(pid) })
	eventually(t, "the home is still there", func() bool { return len(g.Status().Sessions) == 0 })
	p.await("one", "two")
}

// A call whose client does not come back with the answer keeps its server, until its time is over. One whose server
// is killed ends with an error when the client comes back.
func TestParkedOverHTTP(t *testing.T) {
	opt := bothEras(fast(command(t, "one")))
	opt.RestAfter = 100 * time.Millisecond
	_, url := begin(t, opt, serverhttp.Options{})
	p := over(t, "ann", url, protocol.AllRevisions()...)
	p.await("one")
	pid := p.pid("one")
	for name, c := range map[string]struct {
		do   func()
		want string
	}{
		"rests":  {func() { time.Sleep(5 * opt.RestAfter) }, "I am ann"},
		"killed": {func() { kill(t, pid) }, "the link to the server was lost"},
	} {
		p.mu.Lock()
		p.before = c.do
		p.mu.Unlock()
		text, err := p.try("one-ask", `{"a":"`+name+`"}`)
		if got := text + fmt.Sprint(err); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", name, got)
		}
		if name == "rests" && p.pid("one") != pid {
			t.Error("another process")
		}
		p.await("one")
		pid = p.pid("one")
	}
}

// list asks a gateway for its tools without a session, as a principal that declares capabilities.
func list(t *testing.T, url, who, declares string) {
	t.Helper()
	if status, text := post(t, url, who, "tools/list", "", declares, nil); status != http.StatusOK || !strings.Contains(text, `"tools":[`) {
		t.Fatalf("%d %s", status, text)
	}
}

// post makes a request without a session. more are members of its params.
func post(t *testing.T, url, who, method, more, declares string, header http.Header) (status int, text string) {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + more + `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + declares + `}}}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{
		"User": {who}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method},
	}
	maps.Copy(req.Header, header)
	resp, err := http.DefaultClient.Do(req)
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

// Arguments that a tool wants in headers go in headers on both sides of a gateway, which holds them against the call.
func TestArgumentsInHeaders(t *testing.T) {
	seen := make(chan string, 100)
	h, err := serverhttp.NewHandler(config("newweb"), handlers("newweb", nil), serverhttp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") == "tools/call" {
			seen <- r.Header.Get("Mcp-Param-Region")
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { h.Close(); web.Close() })
	behind := relay.Server{Name: "newweb", Definition: web.URL, Options: manager.Options{Endpoint: dial.URL{URL: web.URL}}}
	_, url := begin(t, bothEras(fast(behind)), serverhttp.Options{})
	p := over(t, "ann", url, protocol.AllRevisions()...)
	p.await("newweb-region")
	if got := p.call("newweb-region", `{"region":"eu"}`); got != `{"region":"eu"}` {
		t.Error(got)
	}
	if got := receive(t, seen); got != "eu" {
		t.Errorf("the server was sent %q", got)
	}
	call := `"name":"newweb-region","arguments":{"region":"eu"},`
	for region, want := range map[string]int{"": http.StatusBadRequest, "us": http.StatusBadRequest, "eu": http.StatusOK} {
		header := http.Header{"Mcp-Name": {"newweb-region"}}
		if region != "" {
			header.Set("Mcp-Param-Region", region)
		}
		if status, text := post(t, url, "", "tools/call", call, `{}`, header); status != want || status != http.StatusOK && !strings.Contains(text, "-32020") {
			t.Errorf("%q: %d %s", region, status, text)
		}
	}
}

// A principal has four homes at most, whatever its clients declare, and all principals 1,000: the one that was left
// first gives way.
func TestHomesAreBounded(t *testing.T) {
	g, url := begin(t, bothEras(fast()), serverhttp.Options{Authenticate: byUser})
	for _, declares := range []string{`{}`, `{"roots":{}}`, `{"sampling":{}}`, `{"elicitation":{}}`, `{"roots":{},"sampling":{}}`, `{"sampling":{},"elicitation":{}}`} {
		list(t, url, "greedy", declares)
	}
	if n := len(g.Status().Sessions); n != 4 {
		t.Errorf("%d homes of one principal", n)
	}
	for i := range 1000 {
		list(t, url, fmt.Sprint("p", i), `{}`)
	}
	eventually(t, "too many homes", func() bool { return len(g.Status().Sessions) <= 1000 })
	left := map[string]bool{}
	for _, s := range g.Status().Sessions {
		left[s.Principal] = true
	}
	if left["greedy"] || !left["p0"] || !left["p999"] {
		t.Error(len(left), left["greedy"])
	}
}

// What a client declares in its first request counts, and be it a subscription.
func TestListenFirst(t *testing.T) {
	_, url := begin(t, bothEras(fast(command(t, "one"))), serverhttp.Options{})
	p := over(t, "ann", url, protocol.AllRevisions()...)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		_, _ = p.Request(ctx, protocol.ListenParams{Notifications: protocol.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{"note://one"}}}, session.RequestOptions{RequestOptions: client.RequestOptions{Timeout: lifecycle.NoTimeout, Maximum: lifecycle.NoTimeout}})
	}()
	eventually(t, "the subscription is not acknowledged", func() bool { return p.count(protocol.MethodAcknowledged) == 1 })
	p.await("one")
	eventually(t, "no news of the resource", func() bool { // once the server is known to have it
		p.call("one-touch", "{}")
		return p.count(protocol.MethodResourcesUpdated) > 0
	})
	if err := asked(p, "one", `{"who":"ann 1"}`); err != nil {
		t.Error(err)
	}
}
