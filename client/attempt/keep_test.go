package attempt

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// A call that waits for its next attempt does not keep the message that says why, however long
// that is: an hour of waiting is the server's to ask for.
func TestWaitingKeepsNoMessage(t *testing.T) {
	payload := string((&toolerror.Error{Kind: toolerror.RateLimited, Tool: "t"}).AppendPayload(nil, toolerror.Options{}))
	big := strings.Repeat("x", 1<<20)
	for name, message := range map[string]string{
		"text":   `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"` + big + `","data":` + payload + `}}`,
		"beside": `{"jsonrpc":"2.0","id":1,"x":"` + big + `","error":{"code":-32000,"message":"m","data":` + payload + `}}`,
	} {
		for _, wrap := range []func(*jsonrpc.Error) error{
			func(e *jsonrpc.Error) error { return e },
			func(e *jsonrpc.Error) error { return *e },
			func(e *jsonrpc.Error) error { return fmt.Errorf("server: %w", e) },
		} {
			now := time.Unix(0, 0)
			x, err := New(Config{Policy: Policy{Retry: backoff.Policy{Attempts: 5, Base: time.Hour, Cap: time.Hour}}}, now)
			if err != nil {
				t.Fatal(err)
			}
			const calls = 20
			before := heap()
			for range calls {
				var out Output
				if x, out, err = x.Call(now, Request{Tool: "t"}); err != nil {
					t.Fatal(err)
				}
				m := jsonrpc.DecodeString(strings.Clone(message))
				x, _ = x.Finish(now, out.Start[0].Attempt, FromError("t", wrap(m.Err)))
			}
			if s := x.Status(); s.Waiting != calls {
				t.Fatalf("%+v", s)
			}
			if each := (heap() - before) / calls; each > 64<<10 {
				t.Errorf("%s: %d bytes for each call that waits", name, each)
			}
			x, _ = x.Tick(now.Add(time.Hour)) // the cause is there all the same
			_, out, _ := x.Cancel(now.Add(time.Hour), 1, "")
			var rpc *jsonrpc.Error
			if e := out.Done[0].Outcome.Err; !errors.Is(e, toolerror.RateLimited) || !errors.As(e, &rpc) || rpc.Code != -32000 {
				t.Errorf("%s: %v", name, e)
			}
			runtime.KeepAlive(x)
		}
	}
}

func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// A call that is tried without end does not keep what came of all its attempts.
func TestAttemptsWithoutEnd(t *testing.T) {
	now := time.Unix(0, 0)
	x, err := New(Config{Policy: Policy{Attempt: time.Second, RetryUnsafe: true, Retry: backoff.Policy{Attempts: 1 << 30, Base: backoff.Immediate}}}, now)
	if err != nil {
		t.Fatal(err)
	}
	if x, _, err = x.Call(now, Request{Tool: "t"}); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		now = now.Add(time.Second)
		x, _ = x.Tick(now)
	}
	_, out, err := x.Cancel(now, 1, "")
	if err != nil || out.Done[0].Outcome.Attempts < 100 {
		t.Fatal(err, out.Done)
	}
	depth := 0
	for e := error(out.Done[0].Outcome.Err); e != nil; depth++ {
		var te *toolerror.Error
		if !errors.As(e, &te) {
			break
		}
		e = te.Cause
	}
	if depth > 4 {
		t.Errorf("the error has %d within each other", depth)
	}
}
