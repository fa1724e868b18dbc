//go:build unix

package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// told are the log messages that came, by server, while the first holds up all others.
type told struct {
	mu    sync.Mutex
	many  map[string]int
	order map[string]string // what is wrong with that of a server
	last  map[string]string
}

func (o *told) event(_ *fleet.Fleet, ev manager.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if ev.Kind != manager.SessionEvent || ev.Session.Kind != lifecycle.NotificationReceived {
		return
	}
	server := ev.Link.Server
	if o.many[server] == 0 {
		time.Sleep(100 * time.Millisecond)
	}
	o.many[server]++
	p, err := protocol.Decode[protocol.LoggingMessageParams](ev.Session.Body)
	var was, is int
	_, _ = fmt.Sscan(o.last[server], &was)
	if _, bad := fmt.Sscan(string(p.Data), &is); err != nil || bad != nil || o.last[server] != "" && is <= was {
		o.order[server] = fmt.Sprint(o.last[server], " before ", p.Data, err, bad)
	}
	o.last[server] = string(p.Data)
}

// A server that says too much loses the oldest of what it says, and no other server does (B24).
func TestFlood(t *testing.T) {
	o := &told{many: map[string]int{}, order: map[string]string{}, last: map[string]string{}}
	f := start(t, settings(), fleet.Options{Event: o.event})
	connect(t, f, "loud", opts(command("good")))
	connect(t, f, "calm", opts(command("good")))
	done := make(chan error, 1)
	go func() {
		_, err := call(t.Context(), f, "loud", "flood")
		done <- err
	}()
	for range 20 {
		began := time.Now()
		mustCall(t, f, "calm", "echo")
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("an answer took %v", took)
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := f.Close(t.Context()); err != nil {
		t.Error(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	n, left := o.many["loud"], int(f.LeftOut())
	t.Logf("%d came, %d were left out", n, left)
	if n+left != 5000 || left == 0 || o.last["loud"] != "4999" || len(o.order) > 0 {
		t.Errorf("%d and %d, the last was %s, %v", n, left, o.last["loud"], o.order)
	}
}

// What servers ask is answered for each by itself (B23, B25), as many at a time as may be,
// and given up with the call or the connection.
func TestServe(t *testing.T) {
	var mu sync.Mutex
	running, most := map[string]int{}, 0
	release := make(chan struct{})
	ended := make(chan error, 100)
	told := make(chan manager.Event, 100)
	f := start(t, settings(), fleet.Options{
		MaxServing: 2,
		Event: func(_ *fleet.Fleet, ev manager.Event) {
			if ev.Kind == manager.SessionEvent && ev.Session.Kind == lifecycle.LocalViolation {
				told <- ev
			}
		},
		Serve: func(ctx context.Context, f *fleet.Fleet, ev manager.Event) (protocol.Result, error) {
			server := ev.Link.Server
			mu.Lock()
			running[server]++
			most = max(most, running[server])
			mu.Unlock()
			defer func() {
				mu.Lock()
				running[server]--
				mu.Unlock()
			}()
			switch {
			case strings.HasPrefix(server, "waits"):
				select {
				case <-release:
				case <-ctx.Done():
					ended <- context.Cause(ctx)
					return nil, ctx.Err()
				}
			case server == "refused":
				return nil, protocol.InvalidParams("not for you")
			case server == "leaves": // as t.FailNow does
				runtime.Goexit()
			case server == "fails":
				return nil, errors.New("secret")
			case server == "odd":
				return protocol.ElicitResult{Action: "no such"}, nil
			}
			return protocol.CreateMessageResult{
				Role: protocol.RoleAssistant, Model: "m", Content: []protocol.Content{protocol.TextContent("for " + server)},
			}, nil
		},
	})
	for _, name := range []string{"a", "refused", "fails", "odd", "leaves", "waits1", "waits2"} {
		connect(t, f, name, opts(command("good")))
	}
	if text := mustCall(t, f, "a", "ask"); text != "for a" {
		t.Error(text)
	}
	if text := mustCall(t, f, "refused", "ask"); !strings.Contains(text, "not for you") {
		t.Error(text)
	}
	if text := mustCall(t, f, "fails", "ask"); !strings.Contains(text, "internal error") || strings.Contains(text, "secret") {
		t.Error(text)
	}
	if text := mustCall(t, f, "odd", "ask"); !strings.Contains(text, "-32603") && !strings.Contains(text, "internal error") {
		t.Error(text)
	}
	for range 2 { // the program hears what the servers do not
		ev := <-told
		want := map[string]string{"fails": "secret", "odd": "ElicitResult.action"}[ev.Link.Server]
		if cause := ev.Session.Cause; cause == nil || want == "" || !strings.Contains(cause.Err.Error(), want) || ev.Session.Method != "sampling/createMessage" {
			t.Errorf("%s: %+v", ev.Link.Server, ev.Session)
		}
	}
	for range 3 { // more than may be served at a time
		if text := mustCall(t, f, "leaves", "ask"); !strings.Contains(text, "internal error") {
			t.Error(text)
		}
	}
	texts := make(chan string, 6)
	for i := range 6 {
		go func() {
			text, err := call(t.Context(), f, fmt.Sprint("waits", i%2+1), "ask")
			texts <- fmt.Sprint(text, err)
		}()
	}
	for range 2 { // one of each is too many
		if text := <-texts; !strings.Contains(text, "too busy") {
			t.Error(text)
		}
	}
	mustCall(t, f, "a", "ask")
	process := pid(t, f, "waits1")
	if err := syscall.Kill(process, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-ended; err == nil {
			t.Error("no cause")
		}
		<-texts
	}
	close(release)
	for range 2 {
		if text := <-texts; text != "for waits2<nil>" {
			t.Error(text)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if most != 2 {
		t.Errorf("%d at a time", most)
	}
}

// What nobody would answer is not promised: not for all servers, not for one, and not in a list.
func TestServeNobody(t *testing.T) {
	refused := func(err error) {
		t.Helper()
		if !errors.Is(err, lifecycle.ErrConfig) || err.Error() != `fleet: Options.Serve is nil: want a function, because the Serve of a client.Config has "sampling/createMessage"` {
			t.Error(err)
		}
	}
	_, err := fleet.New(calls.Config{Manager: settings()}, fleet.Options{Dial: fast.Dial})
	refused(err)
	cfg := quiet()
	cfg.Client.Serve = []string{"x/notifies"} // a method of one's own may be a notification
	f, err := fleet.New(calls.Config{Manager: cfg}, fleet.Options{Dial: fast.Dial})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close(t.Context())
	client := settings().Client
	refused(f.Set(t.Context(), []fleet.Definition{{Name: "a", Options: manager.Options{Client: &client}}}))
	if n := len(statuses(f)); n != 0 {
		t.Errorf("there are %d servers", n)
	}
}

// Close ends what runs for servers, and from Event it is called by a goroutine.
func TestCloseEndsServe(t *testing.T) {
	began, causes := make(chan struct{}), make(chan error, 1)
	f := start(t, settings(), fleet.Options{
		Serve: func(ctx context.Context, _ *fleet.Fleet, _ manager.Event) (protocol.Result, error) {
			close(began)
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return nil, ctx.Err()
		},
	})
	connect(t, f, "a", opts(command("good")))
	go func() { _, _ = call(t.Context(), f, "a", "ask") }()
	<-began
	if err := f.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-causes; err == nil {
		t.Error("no cause")
	}
}

// Close with a context that has ended kills what does not end by itself.
func TestCloseNow(t *testing.T) {
	f := start(t, settings(), fleet.Options{})
	connect(t, f, "a", opts(command("stubborn")))
	process := pid(t, f, "a")
	gone, end := context.WithCancel(t.Context())
	end()
	began := time.Now()
	wantErr(t, f.Close(gone), context.Canceled)
	if took := time.Since(began); took > 15*time.Second || alive(process) {
		t.Errorf("took %v", took)
	}
}
