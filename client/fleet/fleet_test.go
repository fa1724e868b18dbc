//go:build unix

package fleet_test

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("%v, want %v", err, want)
	}
}

func class(c manager.Class) error { return &manager.Error{Class: c} }

// Everything that can be asked, of a child process and of a server over HTTP (A13, B4, B7, B8,
// B9, B10, B15, B16, B17, B18, B19, B20, B22).
func TestAsk(t *testing.T) {
	url, _, _ := overHTTP(t)
	f := start(t, settings(), fleet.Options{})
	connect(t, f, "child", opts(command("good")))
	connect(t, f, "http", opts(&url))
	ctx := t.Context()
	for _, name := range []string{"child", "http"} {
		if text := mustCall(t, f, name, "echo"); text != `{"of":"`+name+`"}` {
			t.Errorf("%s: %s", name, text)
		}
		tools, err := f.Server(name).List(ctx, "tools/list", manager.Budget{})
		if err != nil || len(tools) != 6 {
			t.Errorf("%s: %d tools, %v", name, len(tools), err)
		}
		items, err := f.Server(name).List(ctx, "prompts/list", manager.Budget{})
		if err != nil || len(items) != 1 {
			t.Errorf("%s: %v, %v", name, items, err)
		}
		if took, err := ping(ctx, f, name); err != nil || took <= 0 {
			t.Errorf("%s: %v, %v", name, took, err)
		}
		r, err := fleet.Do[protocol.ReadResourceResult](ctx, f.Server(name), protocol.ReadResourceParams{URI: "test://a"}, fleet.RequestOptions{})
		if err != nil || len(r.Contents) != 1 {
			t.Errorf("%s: %v, %v", name, r, err)
		}
		_, err = fleet.Do[protocol.ReadResourceResult](ctx, f.Server(name), protocol.ReadResourceParams{URI: "test://none"}, fleet.RequestOptions{})
		if e := (*manager.Error)(nil); !errors.As(err, &e) || e.URI != "test://none" {
			t.Errorf("%s: %v", name, err)
		}
		do := func(verb func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error)) (protocol.Raw, error) {
			ev, err := f.Server(name).Manage(ctx, verb)
			return ev.Session.Body, err
		}
		prompt := func(arguments protocol.Raw) (protocol.Raw, error) {
			return do(func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
				return m.GetPrompt(now, name, "p", arguments, manager.RequestOptions{})
			})
		}
		body, err := prompt("null")
		if err != nil || !strings.Contains(string(body), "a prompt") {
			t.Errorf("%s: %v, %v", name, body, err)
		}
		_, err = prompt("[]")
		wantErr(t, err, lifecycle.ErrParams)
		c, err := fleet.Do[protocol.CompleteResult](ctx, f.Server(name), protocol.CompleteParams{
			Ref: protocol.Reference{Type: protocol.RefPrompt, Name: "p"}, Argument: protocol.CompleteArgument{Name: "a"},
		}, fleet.RequestOptions{})
		if err != nil || !slices.Equal(c.Completion.Values, []string{"one"}) {
			t.Errorf("%s: %v, %v", name, c, err)
		}
		for _, p := range []protocol.Params{
			protocol.SubscribeParams{URI: "test://a"}, protocol.UnsubscribeParams{URI: "test://a"}, protocol.SetLevelParams{Level: protocol.LevelError},
		} {
			if _, err := f.Server(name).Request(ctx, p, fleet.RequestOptions{}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, verb := range []func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error){
			func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
				return m.SetRoots(now, name, nil)
			},
			func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
				return m.Notify(now, name, protocol.RootsListChangedParams{}, manager.Call{})
			},
		} {
			if _, err := do(verb); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		read, err := fleet.Do[protocol.ReadResourceResult](ctx, f.Server(name), protocol.ReadResourceParams{URI: "test://a"}, fleet.RequestOptions{})
		if err != nil || len(read.Contents) != 1 {
			t.Errorf("%s: %v, %v", name, read, err)
		}
		info, err := f.Caller().Manager().ServerInfo(name)
		if err != nil || info.Server.Name != "server" {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	reports, err := f.Health(ctx)
	if err != nil || len(reports) != 2 || reports[0].Link.Server != "child" || reports[0].Err != nil || reports[1].Err != nil {
		t.Errorf("%v, %v", reports, err)
	}
	var names []string
	for _, s := range statuses(f) {
		names = append(names, s.Link.Server+" "+s.Condition.String())
	}
	if !slices.Equal(names, []string{"child ready", "http ready"}) {
		t.Errorf("%q", names)
	}
	process := pid(t, f, "child")
	if err := leaveAll(ctx, f); err != nil || alive(process) || len(statuses(f)) != 0 {
		t.Errorf("%v, %v", err, statuses(f))
	}
	_, err = call(ctx, f, "child", "echo")
	wantErr(t, err, manager.ErrUnknownServer)
	_, err = fleet.Do[protocol.ReadResourceResult](ctx, f.Server("child"), protocol.ReadResourceParams{URI: "test://a"}, fleet.RequestOptions{})
	wantErr(t, err, manager.ErrUnknownServer)
	wantErr(t, rejoin(ctx, f, "child"), manager.ErrUnknownServer)
	wantErr(t, notify(ctx, f, "child", protocol.RootsListChangedParams{}), manager.ErrUnknownServer)
	if err := leave(ctx, f, "nobody"); err != nil {
		t.Error(err)
	}
}

// Servers that cannot be connected hold up nobody (B4): the others are ready long before
// the mute one has failed.
func TestConnectTrouble(t *testing.T) {
	f := start(t, settings(), fleet.Options{})
	ctx := t.Context()
	long := manager.Options{Endpoint: command("mute"), Timeouts: manager.Timeouts{Connect: time.Minute}}
	mute := make(chan error, 1)
	hung, stop := context.WithCancel(ctx)
	defer stop()
	go func() { mute <- join(hung, f, "mute", long) }()
	for f.Caller().Manager().Len() == 0 {
		time.Sleep(time.Millisecond)
	}
	connect(t, f, "good", opts(command("good")))
	connect(t, f, "garbage", opts(command("garbage")))
	mustCall(t, f, "garbage", "echo")
	wantErr(t, join(ctx, f, "mute", long), manager.ErrNameInUse)
	wantErr(t, join(ctx, f, "none", opts(dial.Command{Args: []string{"sansmcp-there-is-no-such-program"}})), exec.ErrNotFound)
	wantErr(t, join(ctx, f, "none", opts("what is this")), lifecycle.ErrConfig)
	if err := join(ctx, f, "short", opts(command("short"))); err == nil || !strings.Contains(err.Error(), "server exited (status 3) before the handshake") {
		t.Errorf("%v", err)
	}
	wantErr(t, join(ctx, f, "", opts(command("good"))), lifecycle.ErrConfig)
	select {
	case err := <-mute:
		t.Errorf("nobody waits for it any more: %v", err)
	default:
	}
	stop()
	wantErr(t, <-mute, context.Canceled)
	if err := leave(ctx, f, "mute"); err != nil { // which goes on by itself
		t.Error(err)
	}
	long.Timeouts.Connect = 100 * time.Millisecond
	wantErr(t, join(ctx, f, "mute", long), class(manager.ClassTimeout))
	if s, _ := f.Caller().Manager().Status("mute"); s.Condition != manager.Failed {
		t.Errorf("%v", s.Condition)
	}
	connect(t, f, "mute", opts(command("good")))
	mustCall(t, f, "mute", "echo")
}

// A server that dies in the middle of a call fails the call at once, and nothing else. If it is
// supervised it comes back.
func TestDeath(t *testing.T) {
	var mu sync.Mutex
	var states []string
	f := start(t, settings(), fleet.Options{Event: func(_ *fleet.Fleet, ev manager.Event) {
		if ev.Kind == manager.ServerChanged && ev.Link.Server == "a" {
			mu.Lock()
			defer mu.Unlock()
			states = append(states, ev.To.String())
		}
	}})
	ctx := t.Context()
	connect(t, f, "a", manager.Options{Endpoint: command("good"), Supervise: true})
	connect(t, f, "b", opts(command("good")))
	first, _ := f.Caller().Manager().Link("a")
	failed, other := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := call(ctx, f, "a", "sleep")
		failed <- err
	}()
	stop, end := context.WithCancel(ctx)
	go func() {
		_, err := call(stop, f, "b", "sleep")
		other <- err
	}()
	process := pid(t, f, "a")
	began := time.Now()
	if err := syscall.Kill(process, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wantErr(t, <-failed, class(manager.ClassLost))
	took := time.Since(began)
	_, err := call(ctx, f, "a", "echo")
	wantErr(t, err, manager.ErrUnavailable)
	if e := (*manager.Error)(nil); !errors.As(err, &e) || e.RetryAt.IsZero() || e.Server != "a" || e.Class != manager.ClassUnavailable || e.Condition != manager.Waiting {
		t.Errorf("%+v", e)
	}
	mustCall(t, f, "b", "echo")
	if err := ready(ctx, f, "a"); err != nil {
		t.Fatal(err)
	}
	if second, _ := f.Caller().Manager().Link("a"); second == first || pid(t, f, "a") == process {
		t.Errorf("%v", second)
	}
	end()
	wantErr(t, <-other, context.Canceled)
	for range 5 { // the machine may be busy
		if took <= 100*time.Millisecond {
			break
		}
		if err := rejoin(ctx, f, "a"); err != nil {
			t.Fatal(err)
		}
		process = pid(t, f, "a")
		began = time.Now()
		if err := syscall.Kill(process, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_, err := call(ctx, f, "a", "sleep")
		wantErr(t, err, class(manager.ClassLost))
		took = time.Since(began)
	}
	if took > 100*time.Millisecond {
		t.Errorf("told after %v", took)
	}
	if err := rejoin(ctx, f, "a"); err != nil {
		t.Fatal(err)
	}
	mustCall(t, f, "a", "echo")
	if err := f.Close(ctx); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if want := "connecting handshaking ready waiting connecting handshaking ready"; !strings.HasPrefix(strings.Join(states, " "), want) {
		t.Errorf("%q", states)
	}
	if states[len(states)-1] != "closed" {
		t.Errorf("%q", states)
	}
}

// A name can be had again at once, whatever its server does (B13, F8): the one that does not end
// is killed, and says so.
func TestDisconnect(t *testing.T) {
	f := start(t, settings(), fleet.Options{Dial: dial.Dialer{}.Dial})
	ctx := t.Context()
	quick := manager.Timeouts{Close: 300 * time.Millisecond}
	connect(t, f, "a", manager.Options{Endpoint: command("stubborn"), Timeouts: quick})
	process := pid(t, f, "a")
	lost, gone := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := call(ctx, f, "a", "sleep")
		lost <- err
	}()
	for s, _ := f.Caller().Manager().Status("a"); s.Pending == 0; s, _ = f.Caller().Manager().Status("a") {
		time.Sleep(time.Millisecond)
	}
	go func() { gone <- leave(ctx, f, "a") }()
	wantErr(t, <-lost, class(manager.ClassLost))
	connect(t, f, "a", opts(command("good")))
	if pid(t, f, "a") == process {
		t.Error("the old one answers")
	}
	wantErr(t, <-gone, class(manager.ClassTimeout))
	for began := time.Now(); alive(process); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > 5*time.Second {
			t.Fatal("it is not killed")
		}
	}
	mustCall(t, f, "a", "echo")

	connect(t, f, "b", manager.Options{Endpoint: command("stubborn"), Timeouts: quick})
	within, end := context.WithTimeout(ctx, 10*time.Millisecond)
	defer end()
	wantErr(t, leave(within, f, "b"), context.DeadlineExceeded)
	if n := f.Caller().Manager().Len(); n != 1 {
		t.Errorf("%d names", n)
	}
}

// After Close there is nothing to be had (A12).
func TestClosed(t *testing.T) {
	f := start(t, settings(), fleet.Options{})
	ctx := t.Context()
	if err := f.Close(ctx); err != nil {
		t.Fatal(err)
	}
	_, list := f.Server("a").List(ctx, "tools/list", manager.Budget{})
	_, ping := ping(ctx, f, "a")
	_, health := f.Health(ctx)
	_, byName := f.Call(ctx, calls.Request{Name: "echo"}, nil)
	_, batch := f.Batch(ctx, nil, attempt.BatchOptions{}, nil)
	_, echo := call(ctx, f, "a", "echo")
	for _, err := range []error{
		join(ctx, f, "a", opts(command("good"))), leave(ctx, f, "a"), leaveAll(ctx, f), rejoin(ctx, f, "a"),
		f.Set(ctx, nil), notify(ctx, f, "a", protocol.RootsListChangedParams{}),
		list, ping, health, echo, byName, batch,
	} {
		wantErr(t, err, lifecycle.ErrClosed)
	}
}

func TestNewErrors(t *testing.T) {
	_, err := fleet.New(calls.Config{Manager: quiet()}, fleet.Options{})
	wantErr(t, err, lifecycle.ErrConfig)
	_, err = fleet.New(calls.Config{Manager: quiet()}, fleet.Options{Dial: fast.Dial, Inbox: manager.InboxOptions{Bytes: -1}})
	wantErr(t, err, lifecycle.ErrConfig)
	cfg := settings()
	cfg.Timeouts.Request = -5
	_, err = fleet.New(calls.Config{Manager: cfg}, fleet.Options{Dial: fast.Dial})
	wantErr(t, err, lifecycle.ErrConfig)
}

// A context that ends cancels the request, of which the server is told; progress comes on the
// goroutine that waits.
func TestRequestEnds(t *testing.T) {
	f := start(t, settings(), fleet.Options{})
	connect(t, f, "a", opts(command("good")))
	ctx, end := context.WithCancelCause(t.Context())
	seen := 0
	_, err := fleet.Do[protocol.CallToolResult](ctx, f.Server("a"), protocol.CallToolParams{Name: "sleep"}, fleet.RequestOptions{
		OnProgress: func(p protocol.ProgressParams) { seen++; end(errors.New("enough")) },
	})
	if err == nil || err.Error() != "enough" || seen != 1 {
		t.Errorf("%v, %d", err, seen)
	}
	if s, _ := f.Caller().Manager().Status("a"); s.Pending != 0 {
		t.Errorf("%d are pending", s.Pending)
	}
	_, err = fleet.Do[protocol.CallToolResult](t.Context(), f.Server("a"), protocol.CallToolParams{Name: "sleep"}, fleet.RequestOptions{
		RequestOptions: manager.RequestOptions{Timeout: 50 * time.Millisecond},
	})
	wantErr(t, err, class(manager.ClassTimeout))
	gone, stop := context.WithCancel(t.Context())
	stop()
	_, err = call(gone, f, "a", "echo")
	wantErr(t, err, context.Canceled)
	_, err = fleet.Do[protocol.CallToolResult](t.Context(), f.Server("a"), protocol.CallToolParams{Name: "echo", Arguments: `[1]`}, fleet.RequestOptions{})
	wantErr(t, err, lifecycle.ErrParams)
}

// A name that is in use is replaced where that is asked for (B4, F5): the server before it ends,
// and its calls with it; what it still says is nobody's.
func TestReplace(t *testing.T) {
	f := start(t, settings(), fleet.Options{})
	ctx := t.Context()
	connect(t, f, "a", opts(command("good")))
	process := pid(t, f, "a")
	failed := make(chan error, 1)
	go func() {
		_, err := call(ctx, f, "a", "sleep")
		failed <- err
	}()
	for s, _ := f.Caller().Manager().Status("a"); s.Pending == 0; s, _ = f.Caller().Manager().Status("a") {
		time.Sleep(time.Millisecond)
	}
	wantErr(t, join(ctx, f, "a", opts(command("good"))), manager.ErrNameInUse)
	connect(t, f, "a", manager.Options{Endpoint: command("slow"), Replace: true})
	wantErr(t, <-failed, class(manager.ClassLost))
	if is := pid(t, f, "a"); is == process {
		t.Error("the old one answers")
	}
	for began := time.Now(); alive(process); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > 5*time.Second {
			t.Fatal("the old one lives on")
		}
	}
}
