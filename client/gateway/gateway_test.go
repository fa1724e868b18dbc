//go:build unix

package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/gateway"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	serverhttp "github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/stdio"
)

// Several clients have the tools of all servers, each with servers of its own; what those ask, and
// their progress, comes to the client whose call it is.
func TestSessions(t *testing.T) {
	g, url := begin(t, fast(command(t, "one"), command(t, "two", "one"), overHTTP(t, "web")), serverhttp.Options{})
	peers := []*peer{over(t, "ann", url), over(t, "bob", url)}
	cat, ended := stream(t, g, "cat")
	peers = append(peers, cat)
	pids := map[int]bool{}
	for _, p := range peers {
		p.await("one", "two", "web", "mcp.two.one")
		if text := p.call("mcp.two.one", `{"a":1}`); !strings.HasPrefix(text, "two one ") || !strings.HasSuffix(text, ` {"a":1}`) {
			t.Error(text)
		}
		pids[p.pid("one")], pids[p.pid("two")] = true, true
	}
	if len(pids) != 6 {
		t.Errorf("%d processes", len(pids))
	}
	const rounds = 10
	failed := make(chan error, 3*3*rounds)
	for _, p := range peers {
		for _, server := range []string{"one", "two", "web"} {
			go func() {
				for i := range rounds {
					failed <- asked(p, server, fmt.Sprintf(`{"who":"%s %s %d"}`, p.name, server, i))
				}
			}()
		}
	}
	for range 3 * 3 * rounds {
		if err := receive(t, failed); err != nil {
			t.Error(err)
		}
	}
	for _, p := range peers {
		p.mu.Lock()
		if len(p.asks) != 2*3*rounds {
			t.Errorf("%s was asked %d times", p.name, len(p.asks))
		}
		for _, ask := range p.asks {
			if !strings.Contains(ask, `\"`+p.name+` `) && !strings.Contains(ask, p.name+" ") {
				t.Errorf("%s is asked %s", p.name, ask)
			}
		}
		p.mu.Unlock()
	}
	cat.close()
	if err := receive(t, ended); err != nil {
		t.Error(err)
	}
	for _, p := range peers[:2] {
		p.close()
	}
	eventually(t, "the processes run still", func() bool {
		for pid := range pids {
			if alive(pid) {
				return false
			}
		}
		return true
	})
	eventually(t, "there are still sessions", func() bool { return len(g.Status().Sessions) == 0 })
}

// asked calls a tool that asks its client.
func asked(p *peer, server, args string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var steps []string
	tool := server + "-ask"
	if strings.HasPrefix(server, "new") {
		tool = server + "-wonder"
	}
	r, err := p.CallTool(ctx, protocol.CallToolParams{Name: tool, Arguments: jsonrpc.Raw(args)}, session.RequestOptions{
		OnProgress: func(q protocol.ProgressParams) { steps = append(steps, q.Message) },
	})
	text := protocol.TextOf(r.Content)
	switch {
	case err != nil:
		return fmt.Errorf("%s %s: %w", p.name, server, err)
	case r.IsError || !strings.Contains(text, "I am "+p.name) || !strings.Contains(text, "decline"):
		return fmt.Errorf("%s %s: %s", p.name, server, text)
	case len(steps) == 0:
		return fmt.Errorf("%s %s: no progress", p.name, server)
	}
	for _, step := range steps {
		if step != args {
			return fmt.Errorf("%s %s: progress of %s", p.name, server, step)
		}
	}
	return nil
}

// A server that is killed in the middle of a call fails it at once; other calls go on, of the same
// client and of others. It comes back, and each time the client is told once.
func TestKill(t *testing.T) {
	g, url := begin(t, fast(command(t, "one"), command(t, "two")), serverhttp.Options{})
	a, _ := stream(t, g, "ann") // over a stream everything comes in order
	b := over(t, "bob", url)
	a.await("one", "two")
	b.await("one")
	other, his := a.hang("two-hang"), b.hang("one-hang")
	for try := 1; ; try++ {
		a.settle()
		before, pid := a.changes(), a.pid("one")
		dead := a.hang("one-hang")
		began := time.Now()
		kill(t, pid)
		err := receive(t, dead)
		took := time.Since(began)
		var rpc *jsonrpc.Error
		if !errors.As(err, &rpc) {
			t.Error("no error of the server: ", err)
		}
		t.Logf("after %v: %v", took, err)
		a.call("two", `{}`)
		b.call("one", `{}`)
		// Whoever has read a list is not told of what is on it: so nobody reads one before.
		eventually(t, "not told that it is gone", func() bool { return a.changes() == before+1 })
		eventually(t, "not told that it is back", func() bool { return a.changes() == before+2 })
		a.await("one")
		if again := a.pid("one"); again == pid {
			t.Error("the same process")
		}
		time.Sleep(100 * time.Millisecond)
		a.settle()
		if n := a.changes() - before; n != 2 {
			t.Errorf("told %d times", n)
		}
		// What is slow is so each time; what else this machine has to do passes.
		if took <= 100*time.Millisecond {
			break
		} else if try == 5 {
			t.Fatalf("the caller was told after %v", took)
		}
	}
	for _, c := range []<-chan error{other, his} {
		select {
		case err := <-c:
			t.Error("another call ended:", err)
		default:
		}
	}
}

// A server that is added, and one that is taken away, are each announced once.
func TestToldOnce(t *testing.T) {
	one, two := command(t, "one"), command(t, "two")
	g, _ := begin(t, fast(one), serverhttp.Options{})
	p, _ := stream(t, g, "ann")
	p.await("one")
	for _, servers := range [][]relay.Server{{one, two}, {one}, {two, one}, {one}} {
		p.settle()
		before := p.changes()
		if err := g.SetServers(servers); err != nil {
			t.Fatal(err)
		}
		eventually(t, "not told", func() bool { return p.changes() == before+1 })
		if got := slices.Contains(p.tools(), "two"); got != (len(servers) == 2) {
			t.Errorf("two is there: %v", got)
		}
		time.Sleep(100 * time.Millisecond)
		p.settle()
		if n := p.changes() - before; n != 1 {
			t.Errorf("told %d times", n)
		}
	}
}

// Other servers take the place of those that were there: what is the same goes on, calls included,
// and clients are told once.
func TestReload(t *testing.T) {
	one, two, web := command(t, "one"), command(t, "two"), overHTTP(t, "web")
	g, url := begin(t, fast(one, two, web), serverhttp.Options{})
	a, b := over(t, "ann", url), over(t, "bob", url)
	peers := []*peer{a, b}
	pids, calls, gone := map[*peer]int{}, map[*peer]<-chan error{}, map[*peer]<-chan error{}
	before := map[*peer]int{}
	for _, p := range peers {
		p.await("one", "two", "web")
		pids[p] = p.pid("one")
		calls[p], gone[p] = p.hang("one-hang"), p.hang("two-hang")
	}
	for _, p := range peers {
		before[p] = p.changes()
	}
	if err := g.SetServers(append([]relay.Server{one, command(t, "new"), web}, one)); err == nil {
		t.Error("one name twice is no error")
	}
	if err := g.SetServers([]relay.Server{one, command(t, "new"), web}); err != nil {
		t.Fatal(err)
	}
	for _, p := range peers {
		if err := receive(t, gone[p]); err == nil {
			t.Error("no error")
		}
		eventually(t, "not told", func() bool { return p.changes() > before[p] })
		p.await("new")
		if slices.Contains(p.tools(), "two") {
			t.Error("two is still there")
		}
		if pid := p.pid("one"); pid != pids[p] {
			t.Error("one is another process")
		}
		if _, err := p.try("two", `{}`); err == nil {
			t.Error("two can be called")
		}
		select {
		case err := <-calls[p]:
			t.Error("the call has ended: ", err)
		default:
		}
	}
	// The next one changes the definition of one, which ends its calls.
	if err := g.SetServers([]relay.Server{command(t, "one", "more"), command(t, "new"), web}); err != nil {
		t.Fatal(err)
	}
	for _, p := range peers {
		if err := receive(t, calls[p]); err == nil {
			t.Error("no error")
		}
		eventually(t, "not told", func() bool { return p.changes() > before[p]+1 })
		p.await("more")
	}
}

// A restart is for all sessions.
func TestRestart(t *testing.T) {
	g, url := begin(t, fast(command(t, "one"), command(t, "two")), serverhttp.Options{})
	a, b := over(t, "ann", url), over(t, "bob", url)
	was := map[*peer][2]int{}
	for _, p := range []*peer{a, b} {
		p.await("one", "two")
		was[p] = [2]int{p.pid("one"), p.pid("two")}
	}
	g.Restart("nobody")
	g.Restart("one")
	for _, p := range []*peer{a, b} {
		eventually(t, "not restarted", func() bool {
			text, err := p.try("one", `{}`)
			return err == nil && strings.Fields(text)[2] != fmt.Sprint(was[p][0])
		})
		if p.pid("two") != was[p][1] {
			t.Error("the other one too")
		}
	}
}

// After Close nothing runs, whatever the servers think of it, and nobody is served.
func TestClose(t *testing.T) {
	opt := fast(command(t, "stubborn"), command(t, "one"), command(t, "mute"))
	g, url := begin(t, opt, serverhttp.Options{})
	a := over(t, "ann", url)
	a.await("stubborn", "one")
	b, ended := stream(t, g, "bob")
	b.await("stubborn", "one")
	var pids []int
	for _, p := range []*peer{a, b} {
		pids = append(pids, p.pid("stubborn"), p.pid("one"))
	}
	hung := a.hang("one-hang")
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	err := g.Close(ctx)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error("a call did not finish:", err)
	}
	t.Logf("closed after %v", time.Since(began))
	for _, pid := range pids {
		if alive(pid) {
			t.Error("a process runs still")
		}
	}
	if err := receive(t, ended); err != nil && !strings.Contains(err.Error(), "did not finish") {
		t.Error(err)
	}
	quiet(t)
	if err := g.Close(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if err := g.Serve(context.Background(), strings.NewReader(""), nopWriter{}, stdio.Options{}); !errors.Is(err, lifecycle.ErrClosed) {
		t.Error(err)
	}
	if _, err := g.Handler(serverhttp.Options{}); !errors.Is(err, lifecycle.ErrClosed) {
		t.Error(err)
	}
	if n := len(g.Status().Sessions); n != 0 {
		t.Errorf("%d sessions", n)
	}
	_ = hung
}

type nopWriter struct{}

func (nopWriter) Write(b []byte) (int, error) { return len(b), nil }

// Close lets calls finish.
func TestCloseWaits(t *testing.T) {
	g, url := begin(t, fast(command(t, "one")), serverhttp.Options{})
	p := over(t, "ann", url)
	p.await("one")
	ctx, cancel := context.WithCancel(context.Background())
	begun, answer := make(chan struct{}, 10), make(chan error, 1)
	go func() {
		_, err := p.CallTool(ctx, protocol.CallToolParams{Name: "one-hang"}, session.RequestOptions{
			RequestOptions: client.RequestOptions{Progress: true}, OnProgress: func(protocol.ProgressParams) { begun <- struct{}{} },
		})
		answer <- err
	}()
	receive(t, begun)
	closed := make(chan error, 1)
	go func() { closed <- g.Close(context.Background()) }()
	select {
	case err := <-closed:
		t.Fatal("it did not wait:", err)
	case <-time.After(100 * time.Millisecond):
	}
	cancel() // the client gives up
	receive(t, answer)
	if err := receive(t, closed); err != nil {
		t.Error(err)
	}
}

func TestNewRefuses(t *testing.T) {
	one := command(t, "one")
	for name, opt := range map[string]gateway.Options{
		"no info":        {},
		"one name twice": fast(one, one),
		"a catalog":      func() gateway.Options { o := fast(one); o.Server.Catalog = &server.Catalog{}; return o }(),
	} {
		if g, err := gateway.New(opt); err == nil || g != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	g, err := gateway.New(fast(one))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Handler(serverhttp.Options{MaxBody: -1}); err == nil {
		t.Error("bad options are no error")
	}
	if err := g.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
