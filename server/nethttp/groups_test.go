package nethttp_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/registry"
)

// groups are slow, whose tool wait ends with its call and whose tool brief has 50 ms for that, deaf,
// whose tool does not heed its context until it gets a token, and quick, whose tool echoes.
func groups(t testing.TB, k *kit) *registry.Registry {
	t.Helper()
	tool := func(name string, timeout time.Duration, f func(ctx context.Context)) registry.Tool {
		return registry.Tool{Tool: protocol.Tool{Name: name}, Timeout: timeout, Func: func(ctx context.Context, _ server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
			f(ctx)
			return protocol.TextResult(name + " is done"), nil
		}}
	}
	waits := func(ctx context.Context) {
		k.begun <- "wait"
		<-ctx.Done()
		k.ended <- context.Cause(ctx)
	}
	var list []*registry.Group
	for _, d := range []registry.Definition{
		{Name: "slow", Tools: []registry.Tool{tool("wait", 0, waits), tool("brief", 50*time.Millisecond, waits)}},
		{Name: "deaf", Tools: []registry.Tool{tool("deaf", 50*time.Millisecond, func(context.Context) { k.begun <- "deaf"; <-k.free })}},
		{Name: "quick", Tools: []registry.Tool{tool("quick", 0, func(context.Context) {})}},
	} {
		s, err := registry.NewGroup(d)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	r, err := registry.FromGroups(list...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// offering is a Handler whose sessions are offered a view.
type offering struct {
	*nethttp.Handler
	view atomic.Pointer[registry.View]
}

// offer puts another view in its place.
func (o *offering) offer(t testing.TB, v *registry.View) {
	t.Helper()
	o.view.Store(v)
	if err := o.StepAll(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func startGroups(t testing.TB, r *registry.Registry, cfg server.Config, opt nethttp.Options) (*offering, string) {
	t.Helper()
	o := new(offering)
	o.view.Store(r.View())
	opt.Companion = func(server.Peer) server.Companion { return registry.Follow(o.view.Load) }
	h, err := nethttp.NewHandler(r.View().Config(cfg), r.View().Handlers(), opt)
	if err != nil {
		t.Fatal(err)
	}
	o.Handler = h
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		h.Close()
		s.Close()
	})
	return o, s.URL
}

const late = `"result":{"content":[{"type":"text","text":"the tool has not answered within 50ms"}],"isError":true}`

// C26: a tool that takes longer than its time is answered for, its function is told why, and what it
// returns later goes nowhere; other calls go on.
func TestTimeouts(t *testing.T) {
	k := newKit()
	h, url := startGroups(t, groups(t, k), serverConfig, nethttp.Options{})
	p := open(t, url, "2025-11-25")
	x := p.follow("POST", p.callText("wait", `{}`))
	receive(t, k.begun)
	began := time.Now()
	a := p.call("brief", `{}`).want(200, late)
	if took := time.Since(began); took < 50*time.Millisecond || took > patience || strings.Contains(a.body, "is done") {
		t.Error(took, a.body)
	}
	if err := receive(t, k.ended); !errors.Is(err, registry.ErrTimeout) {
		t.Error("the cause is", err)
	}
	eventually(t, "the brief one has returned", func() bool { return h.Status().Running == 1 })
	p.call("deaf", `{}`).want(200, late)
	if n := h.Status().Running; n != 2 {
		t.Error(n, "functions run: the deaf one counts until it returns")
	}
	k.free <- struct{}{}
	eventually(t, "the deaf one has returned", func() bool { return h.Status().Running == 1 })
	p.call("quick", `{}`).want(200, "quick is done")
	p.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	receive(t, k.ended)
	x.end()
	quiet(t)
}

// C30: a group that is switched off, while calls of two sessions run: each hears once that the list
// is another one, their functions are told why they end, calls of other groups go on, and the tools
// are unknown. What comes back is offered again, also to a session that begins then.
func TestGroupsOff(t *testing.T) {
	k := newKit()
	r := groups(t, k)
	h, url := startGroups(t, r, serverConfig, nethttp.Options{})
	var peers []*peer
	var lists, calls []*stream
	for range 2 {
		p := open(t, url, "2025-11-25")
		lists = append(lists, p.listen())
		calls = append(calls, p.follow("POST", p.callText("wait", `{}`)))
		receive(t, k.begun)
		peers = append(peers, p)
	}
	offer := func(on bool) {
		t.Helper()
		var err error
		if r, _, err = r.SetEnabled("slow", on); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second changes nothing
			h.offer(t, r.View())
		}
	}
	offer(false)
	for i, p := range peers {
		calls[i].next(`"text":"removed while the request ran; list again"`, `"isError":true`)
		calls[i].end()
		if err := receive(t, k.ended); !errors.Is(err, registry.ErrRemoved) {
			t.Error("the cause is", err)
		}
		p.call("brief", `{}`).want(200, "-32602")
		p.call("quick", `{}`).want(200, "quick is done")
		if a := p.post(`{"jsonrpc":"2.0","id":"l","method":"tools/list"}`).want(200, `"quick"`); strings.Contains(a.body, "wait") {
			t.Error(a.body)
		}
	}
	offer(true)
	for i, p := range append(peers, open(t, url, "2025-11-25")) {
		p.call("brief", `{}`).want(200, late)
		receive(t, k.ended)
		if i < len(lists) {
			if err := h.Notify(context.Background(), p.session, protocol.LoggingMessageParams{Level: "info", Data: protocol.StringValue("last")}); err != nil {
				t.Fatal(err)
			}
			lists[i].next("notifications/tools/list_changed")
			lists[i].next("notifications/tools/list_changed")
			lists[i].next("last") // and no third one
			lists[i].cut()
		}
	}
	quiet(t)
}

// Where the Store is shared, and each turn begins with a State that was restored, a function has its
// time in the process that runs it, and ends where that is offered something else; a Store that
// says now and then that it did not store what it did costs no call its answer.
func TestSharedTimes(t *testing.T) {
	k := newKit()
	r, tab := groups(t, k), newTable()
	tab.lie = errors.New("perhaps it is not stored")
	cfg := serverConfig
	cfg.HashKey = [16]byte{1}
	a, urlA := startGroups(t, r, cfg, nethttp.Options{Store: nethttp.NewShared(tab)})
	b, urlB := startGroups(t, r, cfg, nethttp.Options{Store: nethttp.NewShared(tab)})
	p := open(t, urlA, "2025-11-25")
	for _, url := range []string{urlA, urlB, urlA} {
		p.url = url
		p.call("brief", `{}`).want(200, late)
		if err := receive(t, k.ended); !errors.Is(err, registry.ErrTimeout) {
			t.Error("the cause is", err)
		}
	}
	// Turns of both at the same time, until some had to be made again.
	refused := func() int {
		tab.mu.Lock()
		defer tab.mu.Unlock()
		return tab.refused
	}
	for wave := 0; wave == 0 || refused() == 0; wave++ {
		if wave == 20 {
			t.Fatal("no turn was too late")
		}
		answers := make(chan error, 40)
		for i := range cap(answers) {
			q, text := *p, p.callText("brief", `{}`)
			q.url = []string{urlA, urlB}[i%2]
			go func() {
				a, err := q.try(q.request(context.Background(), "POST", text))
				if err == nil && (a.status != 200 || strings.Count(a.body, late) != 1) {
					err = errors.New(a.body)
				}
				answers <- err
			}()
		}
		for range cap(answers) {
			if err := receive(t, answers); err != nil {
				t.Error(err)
			}
			if err := receive(t, k.ended); !errors.Is(err, registry.ErrTimeout) {
				t.Error("the cause is", err)
			}
		}
	}
	p.url = urlB
	receive(t, k.begun)
	for len(k.begun) > 0 {
		<-k.begun
	}
	x := p.follow("POST", p.callText("wait", `{}`))
	receive(t, k.begun)
	r, _ = r.Unregister("slow")
	for _, h := range []*offering{a, b} {
		h.offer(t, r.View())
	}
	x.next(`"text":"removed while the request ran; list again"`)
	x.end()
	if err := receive(t, k.ended); !errors.Is(err, registry.ErrRemoved) {
		t.Error("the cause is", err)
	}
	p.url = urlA
	p.call("quick", `{}`).want(200, "quick is done")
	quiet(t)
}
