//go:build unix

package gateway_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sansmcp/mcp/client/gateway"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	serverhttp "github.com/sansmcp/mcp/server/nethttp"
)

// process is a gateway that others of the same key reach.
type process struct {
	url   string
	inner *httptest.Server // where they do
}

// beginProcess makes one without a store.
func beginProcess(t *testing.T, opt gateway.Options, hopt serverhttp.Options) process {
	t.Helper()
	var inside http.Handler
	inner := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { inside.ServeHTTP(w, r) }))
	opt.Server.HashKey = [16]byte{1}
	hopt.Internal.URL = inner.URL
	g, err := gateway.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	h, err := g.Handler(hopt)
	if err != nil {
		t.Fatal(err)
	}
	inside = h.Internal()
	outer := httptest.NewServer(h)
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = g.Close(ctx)
		inner.Close()
		outer.Close()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	return process{outer.URL, inner}
}

// inTurn sends each request to the next of some processes.
type inTurn struct {
	to []process
	n  atomic.Uint64
}

func (i *inTurn) RoundTrip(r *http.Request) (*http.Response, error) {
	at, err := url.Parse(i.to[i.n.Add(1)%uint64(len(i.to))].url)
	if err != nil {
		return nil, err
	}
	out := r.Clone(r.Context())
	out.URL.Host, out.Host = at.Host, at.Host
	return http.DefaultTransport.RoundTrip(out)
}

// Each request of a client without a session comes to another gateway than the one before it: what servers of either era ask within a call
// is answered where the call is.
func TestRetryAtAnotherGateway(t *testing.T) {
	var all []process
	for range 3 {
		all = append(all, beginProcess(t, bothEras(fast(command(t, "one"), command(t, "newone"))), serverhttp.Options{}))
	}
	tr, err := remote.New(all[0].url, remote.Options{Client: &http.Client{Transport: &inTurn{to: all}}})
	if err != nil {
		t.Fatal(err)
	}
	p := connect(t, "ann", tr, protocol.AllRevisions()...)
	for range 3 { // each process has servers of its own
		p.await("one", "newone")
	}
	for i := range 6 {
		for _, server := range []string{"one", "newone"} {
			if err := asked(p, server, fmt.Sprintf(`{"who":"ann %d"}`, i)); err != nil {
				t.Error(err)
			}
		}
	}
	all[1].inner.Close() // nobody reaches it any more
	told := 0
	for i := range 6 { // at different ones
		p.tools()
		if err := asked(p, "one", fmt.Sprintf(`{"who":"ann %d"}`, i)); err != nil {
			told++
			if !strings.Contains(err.Error(), "the process that ran the call was lost") {
				t.Error(err)
			}
		}
	}
	if told == 0 || told == 6 {
		t.Errorf("%d calls are told", told)
	}
}

// What has been answered through another process has ended there too: the same answer once more is told so by the one that
// had the call, whichever gets it, as is that of a client that is somebody else.
func TestAnsweredOnce(t *testing.T) {
	a, b := beginProcess(t, bothEras(fast(command(t, "one"))), serverhttp.Options{Authenticate: byUser}), beginProcess(t, bothEras(fast()), serverhttp.Options{Authenticate: byUser})
	asPrincipal(t, a.url, "ann", "ann").await("one")
	const declares = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{},"elicitation":{"form":{}}}}`
	call := func(at process, who, params string) (result, text string) {
		t.Helper()
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one-ask","arguments":{},` + params + declares + `}}`
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at.url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"one-ask"}, "User": {who}}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		all, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		result, _ = rawjson.Get(string(all), "result")
		return result, string(all)
	}
	answer := ""
	retry := func(at process, who, result, answers string) (string, string) {
		t.Helper()
		asks, _ := rawjson.Get(result, "inputRequests")
		o, _ := rawjson.Members(asks)
		key, _, ok := o.Next()
		if !ok {
			t.Fatal(result)
		}
		answer = `"inputResponses":{"` + key + `":` + answers + `},"requestState":"` + rawjson.Text(result, "requestState") + `",`
		return call(at, who, answer)
	}
	first, _ := call(a, "ann", "")
	const model = `{"role":"assistant","model":"m","content":{"type":"text","text":"I am ann"}}`
	if _, text := retry(b, "bob", first, model); !strings.Contains(text, "unknown requestState") {
		t.Error("somebody else:", text)
	}
	second, _ := retry(b, "ann", first, model)
	last, text := retry(b, "ann", second, `{"action":"decline"}`)
	if !strings.Contains(last, "I am ann") || !strings.Contains(last, "decline") {
		t.Fatal(text)
	}
	for name, at := range map[string]process{"there": a, "here": b} {
		if _, text := call(at, "ann", answer); !strings.Contains(text, `-32602,"message":"unknown requestState`) {
			t.Errorf("again, %s: %s", name, text)
		}
	}
}

// A request that is made again begins no servers: what it brings back is known where they are, or nowhere. The process
// that passed it on has not said for whom they would be.
func TestRetryBeginsNothing(t *testing.T) {
	var made atomic.Int64
	opt := bothEras(fast())
	opt.ServersOf = func(server.Peer) []relay.Server {
		made.Add(1)
		return nil
	}
	p := beginProcess(t, opt, serverhttp.Options{})
	for _, state := range []string{"", "1.2.3", "AAAA"} {
		text, err := io.ReadAll(posted(t, p.url, protocol.MethodToolsCall, "x", `"name":"x","requestState":"`+state+`",`).Body)
		if err != nil || !strings.Contains(string(text), `-32602,"message":"unknown requestState`) || made.Load() != 0 {
			t.Error(string(text), err, made.Load())
		}
	}
}

// A request that nothing can be asked within is none that is made again, whatever its params have.
func TestStateOfNoRetry(t *testing.T) {
	p := beginProcess(t, bothEras(fast(command(t, "one"))), serverhttp.Options{})
	for _, method := range []string{protocol.MethodToolsList, "vendor/method"} {
		text, err := io.ReadAll(posted(t, p.url, method, "", `"requestState":"of a client",`).Body)
		if err != nil || strings.Contains(string(text), "requestState") {
			t.Error(method, string(text), err)
		}
	}
}
