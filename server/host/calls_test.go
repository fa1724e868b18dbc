package host_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
)

const sampled = `{"role":"assistant","content":{"type":"text","text":"hi"},"model":"m"}`

// A function does everything that a Caller can, however its session is kept: turns that are
// repeated leave nothing behind, and handles are those of the State of the moment.
func TestCallerOverAnyTurner(t *testing.T) {
	for _, x := range []struct{ conflict, restore bool }{{}, {conflict: true}, {restore: true}, {conflict: true, restore: true}} {
		goroutines := runtime.NumGoroutine()
		w := host.NewWork(host.WorkOptions{})
		s := newShelf(t, w, func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
			if err := c.Progress(protocol.ProgressParams{Progress: 1}); err != nil {
				return nil, err
			}
			if err := c.Notify(protocol.LoggingMessageParams{Level: protocol.LevelInfo, Data: `"note"`}); err != nil {
				return nil, err
			}
			got, err := ask(ctx, c)
			if err != nil {
				return nil, err
			}
			return protocol.TextResult(fmt.Sprint(got == sampled, c.State().Phase(), !c.Call().IsZero())), nil
		})
		s.conflict, s.restore = x.conflict, x.restore
		s.call("a", "{}")
		s.said("notifications/progress", `"progressToken":"a"`)
		s.said("notifications/message", "note")
		line := s.said("sampling/createMessage")
		if s.calls.Idle() {
			t.Error("idle while a function waits")
		}
		s.receive(`{"jsonrpc":"2.0","id":%d,"result":%s}`, wireID(t, line), sampled)
		s.said(`"id":"a"`, `"text":"true ready true"`)
		eventually(t, "not idle", s.calls.Idle)
		if len(s.unclaimed) != 0 && !x.conflict {
			t.Errorf("unclaimed: %v", s.unclaimed)
		}
		quiet(t, w, goroutines)
	}
}

func wireID(t *testing.T, line string) int {
	t.Helper()
	id := 0
	_, rest, _ := strings.Cut(line, `"id":`)
	if _, err := fmt.Sscanf(rest, "%d", &id); err != nil {
		t.Fatal(line, err)
	}
	return id
}

// A call that its own batch cancels does not run, and leaves nothing behind.
func TestCallThatItsBatchCancels(t *testing.T) {
	w, ran := host.NewWork(host.WorkOptions{}), make(chan bool, 10)
	s := newShelf(t, w, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		ran <- true
		return protocol.TextResult("done"), nil
	})
	s.receive(`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}]`)
	s.said(`"id":2,"result"`)
	if <-ran; len(ran) != 0 || s.refused != 0 {
		t.Errorf("%d functions more ran, %d were refused", len(ran), s.refused)
	}
	s.receive(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t"}}`)
	s.said(`"id":3,"result"`)
}

// The context of a function has the values of that of Start, does not end with it, and ends
// with the call.
func TestContextOfACall(t *testing.T) {
	type key struct{}
	begun, ended := make(chan error, 1), make(chan error, 1)
	w := host.NewWork(host.WorkOptions{})
	s := newShelf(t, w, func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		if ctx.Value(key{}) != "v" {
			return nil, errors.New("no value")
		}
		begun <- ctx.Err()
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return nil, c.Progress(protocol.ProgressParams{Progress: 1})
	})
	ctx, end := context.WithCancel(context.WithValue(context.Background(), key{}, "v"))
	end()
	s.ctx = ctx
	s.call("a", "{}")
	if err := <-begun; err != nil {
		t.Error("it began with", err)
	}
	s.cancel("a")
	if err := <-ended; !errors.Is(err, &lifecycle.Cause{Kind: lifecycle.CauseCancelled}) {
		t.Error("it ended with", err)
	}
	eventually(t, "not idle", s.calls.Idle)
}

// An answer that another process received is delivered; what it ended without one ends here
// by Reconcile.
func TestOtherProcesses(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	w, ended := host.NewWork(host.WorkOptions{}), make(chan error, 10)
	s := newShelf(t, w, func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		_, err := ask(ctx, c)
		ended <- err
		if err != nil {
			<-ctx.Done()
			ended <- context.Cause(ctx)
		}
		return protocol.TextResult("done"), nil
	})
	s.call("a", "{}")
	id := wireID(t, s.said("sampling/createMessage"))
	out := s.outside(func(st server.State, now time.Time) (server.State, server.Output) {
		return st.Receive(now, jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, sampled)))
	})
	if len(out.Events) != 1 || out.Events[0].Kind != lifecycle.ResponseReceived {
		t.Fatal(out.Events)
	}
	if other := newCalls(w, s, ""); other.Deliver(out.Events[0]) {
		t.Error("Deliver finds somebody in another session")
	}
	if !s.calls.Deliver(out.Events[0]) || s.calls.Deliver(out.Events[0]) {
		t.Error("Deliver finds nobody, or twice")
	}
	if err := <-ended; err != nil {
		t.Error("the answer is", err)
	}
	s.said(`"id":"a"`, "done")

	s.call("b", "{}")
	s.said(fmt.Sprintf(`"id":%d,"method":"sampling/createMessage"`, id+1))
	s.calls.Reconcile(s.state()) // nothing has changed
	if len(ended) != 0 {
		t.Fatal("ended by nothing: ", <-ended)
	}
	s.outside(func(st server.State, now time.Time) (server.State, server.Output) {
		return st.Receive(now, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"b"}}`))
	})
	s.calls.Reconcile(s.state())
	for range 2 {
		if err := <-ended; !errors.Is(err, lifecycle.ErrGone) {
			t.Error("ended by", err)
		}
	}
	go func() {
		_, err := s.calls.Request(context.Background(), protocol.PingParams{}, server.RequestOptions{})
		ended <- err
	}()
	s.said(`"method":"ping"`)
	s.outside(func(st server.State, now time.Time) (server.State, server.Output) {
		for info := range st.Outbound() {
			st, _, _ = st.Cancel(now, info.Req, "")
		}
		return st, server.Output{}
	})
	s.calls.Reconcile(s.state())
	if err := <-ended; !errors.Is(err, lifecycle.ErrGone) || !errors.Is(err, &lifecycle.Cause{Kind: lifecycle.CauseLost}) {
		t.Error("the request outside of a call ended by", err)
	}
	quiet(t, w, goroutines)
}

// Close ends contexts, requests and what waits, with its cause, and lets nothing begin.
func TestClose(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	w, begun, ended := host.NewWork(host.WorkOptions{MaxRunning: 1}), make(chan bool, 10), make(chan error, 10)
	s := newShelf(t, w, func(ctx context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		begun <- true
		if p.Arguments == "{}" {
			_, err := c.Request(context.Background(), protocol.PingParams{}, server.RequestOptions{})
			ended <- err
		}
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return protocol.TextResult("late"), nil
	})
	s.call("a", "{}")
	<-begun
	s.said(`"method":"ping"`)
	s.call("a2", `{"holds":1}`) // the place of a, which waits for its client
	<-begun
	s.call("b", "{}")
	cause := errors.New("closing")
	s.calls.Close(cause)
	for range 3 {
		if err := <-ended; !errors.Is(err, cause) {
			t.Error("ended by", err)
		}
	}
	s.call("c", "{}")
	s.said(`"id":"c"`, "-32603")
	if _, err := s.calls.Request(context.Background(), protocol.PingParams{}, server.RequestOptions{}); !errors.Is(err, cause) {
		t.Error("a request afterwards gives", err)
	}
	s.said(`"id":"a"`, "late")
	quiet(t, w, goroutines)
	if len(begun) != 0 {
		t.Error("b ran")
	}
}

// Where turns fail, as those of a store that is broken, nobody waits for what was not made.
func TestTurnsThatFail(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	w, got := host.NewWork(host.WorkOptions{KeepAnswer: time.Second}), make(chan error, 10)
	var s *shelf
	s = newShelf(t, w, func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		s.mu.Lock()
		s.fail = errStore
		s.mu.Unlock()
		_, err := ask(ctx, c)
		got <- err
		if err := c.Progress(protocol.ProgressParams{Progress: 1}); err != nil {
			t.Error("progress that is dropped gives", err)
		}
		got <- s.calls.Notify(server.Call{}, protocol.LoggingMessageParams{Level: protocol.LevelInfo, Data: `"x"`})
		return protocol.TextResult("lost"), nil
	})
	s.call("a", "{}")
	for range 2 {
		if err := <-got; !errors.Is(err, errStore) {
			t.Error("got", err)
		}
	}
	eventually(t, "not idle", s.calls.Idle)
	quiet(t, w, goroutines)
	s.mu.Lock()
	s.fail = nil // f itself fails
	s.mu.Unlock()
	if _, err := s.calls.Request(context.Background(), protocol.ListRootsParams{}, server.RequestOptions{}); !errors.Is(err, lifecycle.ErrCapability) {
		t.Error("a request that cannot be made gives", err)
	}
	if !s.calls.Idle() {
		t.Error("somebody waits for a request that was not made")
	}
}

// A request whose context ends is cancelled at the client; Replaces may be a handle of an
// earlier State.
func TestRequestEndsWithItsContext(t *testing.T) {
	w := host.NewWork(host.WorkOptions{})
	s := newShelf(t, w, nil)
	s.restore = true
	ctx, end := context.WithCancelCause(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := s.calls.Request(ctx, protocol.PingParams{}, server.RequestOptions{})
		ended <- err
	}()
	s.said(`"method":"ping"`)
	stop := errors.New("stop")
	end(stop)
	if err := <-ended; !errors.Is(err, stop) {
		t.Error("ended by", err)
	}
	s.said(`"notifications/cancelled"`)
	var first server.Req
	for info := range s.state().Outbound() {
		first = info.Req
	}
	if !first.IsZero() || !s.calls.Idle() {
		t.Error("it is still open")
	}
	if _, err := s.calls.Request(ctx, protocol.PingParams{}, server.RequestOptions{}); !errors.Is(err, stop) || lifecycle.DeliveryOf(err) != lifecycle.NotSent {
		t.Error("with a context that has ended:", err) // the next request is 2
	}
	go func() {
		_, err := s.calls.Request(context.Background(), protocol.PingParams{}, server.RequestOptions{})
		ended <- err
	}()
	s.said(`"id":2,"method":"ping"`)
	for info := range s.state().Outbound() {
		first = info.Req
	}
	go func() {
		_, err := s.calls.Request(context.Background(), protocol.PingParams{}, server.RequestOptions{Replaces: first})
		ended <- err
	}()
	if err := <-ended; !errors.Is(err, &lifecycle.Cause{Kind: lifecycle.CauseCancelled}) {
		t.Error("the one that was replaced ended by", err)
	}
	s.receive(`{"jsonrpc":"2.0","id":3,"result":{}}`)
	if err := <-ended; err != nil {
		t.Error("the one that replaces it ended by", err)
	}
}
