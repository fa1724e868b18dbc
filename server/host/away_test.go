package host_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
)

// away is a Turner whose store cannot be reached while fails says so: then no turn is made. It has its
// State at hand all the same.
type away struct {
	*shelf
	fails func(since time.Duration) error
	began time.Time
	turns []time.Duration // when turns were asked for, since the function returned
	idle  atomic.Int32
}

func (x *away) Turn(f func(server.State, time.Time) (server.State, server.Output, error)) error {
	since := time.Since(x.began)
	x.turns = append(x.turns, since)
	if err := x.fails(since); err != nil {
		return err
	}
	return x.shelf.Turn(f)
}

func (x *away) State() server.State { return x.state() }

func (x *away) Idle() { x.idle.Add(1) }

// newAway returns a session over such a Turner, in a bubble.
func newAway(t *testing.T, w *host.Work, f server.ToolFunc, fails func(time.Duration) error) *away {
	x := &away{shelf: newShelf(t, w, f), fails: fails, began: time.Now()}
	x.calls = newCalls(w, x, "")
	return x
}

// An answer is handed in again at growing intervals while its Turner fails, and no longer than KeepAnswer
// or until its session is closed here. Until then its function counts; after that nothing of it is left.
func TestAnswerIsHandedInAgain(t *testing.T) {
	ms := time.Millisecond
	growing := []time.Duration{0, 50 * ms, 150 * ms, 350 * ms, 750 * ms, 1550 * ms, 3150 * ms, 4750 * ms, 6350 * ms, 7950 * ms, 9550 * ms, 11150 * ms}
	back := func(at time.Duration, err error) func(time.Duration) error {
		return func(since time.Duration) error {
			if since < at {
				return err
			}
			return nil
		}
	}
	for name, tt := range map[string]struct {
		fails func(time.Duration) error
		close func(*host.Work, *host.Calls) // half a second after the answer
		turns int                           // of growing
		said  string                        // what the client gets for the answer
	}{
		"at once":           {fails: back(0, nil), turns: 1, said: `"text":"done"`},
		"back after 1 s":    {fails: back(time.Second, errStore), turns: 6, said: `"text":"done"`},
		"back at the end":   {fails: back(9600*ms, errStore), turns: 12, said: `"text":"done"`},
		"never":             {fails: back(time.Hour, errStore), turns: 12},
		"too large":         {fails: back(ms, fmt.Errorf("store: %w", lifecycle.ErrLimit)), turns: 2, said: `"error":{"code":-32603,"message":"the answer is too large to be kept"}`},
		"another has ended": {fails: back(time.Hour, lifecycle.ErrGone), turns: 1},
		"closed":            {fails: back(time.Hour, errStore), close: func(_ *host.Work, c *host.Calls) { c.Close(errStore) }, turns: 5},
		"all closed":        {fails: back(time.Hour, errStore), close: func(w *host.Work, c *host.Calls) { c.Close(errStore); w.Close() }, turns: 4},
		"Work closed":       {fails: back(time.Second, errStore), close: func(w *host.Work, _ *host.Calls) { w.Close() }, turns: 6, said: `"text":"done"`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := host.NewWork(host.WorkOptions{KeepAnswer: 10 * time.Second})
				x := newAway(t, w, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
					return protocol.TextResult("done"), nil
				}, tt.fails)
				x.call("a", "{}")
				if tt.close != nil {
					pass(500 * ms)
					tt.close(w, x.calls)
				}
				synctest.Wait()
				if n := tt.turns; n > 1 && tt.close == nil {
					pass(growing[n-1] - ms)
					if w.Status().Running != 1 || x.calls.Idle() || x.idle.Load() != 0 {
						t.Errorf("before the last turn it does not count: %+v, told %d times", w.Status(), x.idle.Load())
					}
				}
				pass(time.Minute)
				want := growing[:tt.turns]
				if name == "all closed" { // it does not even wait for the next
					want = append(slices.Clone(want), 500*ms)
				}
				if !slices.Equal(x.turns, want) {
					t.Errorf("it was handed in at %v, want %v", x.turns, want)
				}
				if w.Status() != (host.WorkStatus{}) || !x.calls.Idle() || x.idle.Load() != 1 {
					t.Errorf("it is over: %+v, told %d times", w.Status(), x.idle.Load())
				}
				if tt.said != "" {
					x.said(`"id":"a"`, tt.said)
				}
				if open := x.state().Status().Inbound; open == 0 != (tt.said != "") {
					t.Errorf("%d calls are open in the State", open)
				}
			})
		})
	}
}

// What a function hears from its Caller while the store is away, and when its call is over.
func TestCallerOfACallThatIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := host.NewWork(host.WorkOptions{})
		var fails error
		progress := protocol.ProgressParams{Progress: 1}
		var x *away
		x = newAway(t, w, func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
			for _, tt := range []struct{ fails, want error }{{nil, nil}, {errStore, nil}, {lifecycle.ErrGone, lifecycle.ErrGone}} {
				if fails = tt.fails; !errors.Is(c.Progress(progress), tt.want) {
					t.Errorf("a Turner that says %v: progress gives another error than %v", tt.fails, tt.want)
				}
			}
			if got := c.State().Phase(); got != lifecycle.Ready { // without a turn
				t.Errorf("the phase is %v", got)
			}
			fails = nil
			go x.cancel("a")
			<-ctx.Done()
			if err := c.Progress(progress); !errors.Is(err, lifecycle.ErrGone) {
				t.Error("progress of a call that was cancelled gives", err)
			}
			if err := c.Notify(protocol.LoggingMessageParams{Level: protocol.LevelInfo, Data: `1`}); !errors.Is(err, lifecycle.ErrGone) {
				t.Error("a notification of a call that was cancelled gives", err)
			}
			if _, err := c.Request(context.Background(), protocol.PingParams{}, server.RequestOptions{}); !errors.Is(err, lifecycle.ErrGone) {
				t.Error("a request of a call that was cancelled gives", err)
			}
			return protocol.TextResult("late"), nil
		}, func(time.Duration) error { return fails })
		x.call("a", "{}")
		pass(time.Minute)
		if w.Status() != (host.WorkStatus{}) || !x.calls.Idle() {
			t.Errorf("%+v is left", w.Status())
		}
	})
}

// What nobody would answer is found when a driver is made: a method of the specification that the functions do
// not have, and an item without a function; not what is one's own, and nothing bare where the methods are named.
func TestAnswered(t *testing.T) {
	none := new(server.Handlers)
	tools, bare := saying("a"), saying("a")
	bare.Tool(protocol.Tool{Name: "b", InputSchema: `{"type":"object"}`}, nil)
	for _, tt := range []struct {
		serve []string
		h     *server.Handlers
		want  string
	}{
		{nil, none, ""},
		{nil, tools, ""},
		{[]string{"tools/call", "x/own"}, tools, ""},
		{[]string{"x/own", "tools/call", "prompts/get"}, tools, `d: Config.Serve[2] is "prompts/get": want a method that the Handlers answer`},
		{[]string{"tools/call"}, none, `d: Config.Serve[0] is "tools/call": want a method that the Handlers answer`},
		{nil, bare, `d: Handlers is "b": it has no function, and no Companion answers it; give it one`},
		{[]string{"tools/call"}, bare, ""},
	} {
		text, err := "", host.Answered("d", tt.serve, tt.h)
		if err != nil {
			text = err.Error()
		}
		if text != tt.want || err != nil && !errors.Is(err, lifecycle.ErrConfig) {
			t.Errorf("%v: %v, want %q", tt.serve, err, tt.want)
		}
	}
}

// pass lets time pass, and all that is due in it be done.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
