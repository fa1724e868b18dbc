package stdio_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/pipe"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/stdio"
)

// A peer that writes and does not read is read from until the queue is full, then waited
// for, and at last left. Nothing grows meanwhile, and nothing is left afterwards.
func TestPeerThatDoesNotRead(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	text := strings.Repeat("x", 10_000)
	x := open(t, stdio.Options{QueueBytes: 1 << 20, Stall: 100 * time.Millisecond}, func(_ context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		for range 1000 { // a tool that talks does not grow the queue either
			if err := c.Notify(protocol.LoggingMessageParams{Level: protocol.LevelInfo, Data: protocol.StringValue(text)}); err != nil {
				return nil, err
			}
		}
		return protocol.TextResult("done"), nil
	})
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	over, peak := make(chan struct{}), make(chan uint64)
	go func() {
		most := before.HeapAlloc
		for {
			select {
			case <-over:
				peak <- most - before.HeapAlloc
				return
			case <-time.After(2 * time.Millisecond):
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc)
			}
		}
	}()
	for i := range 10_000 {
		if _, err := fmt.Fprintf(x.peer, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t"}}`+"\n", i); err != nil {
			break // it was closed
		}
	}
	if err := x.end(); !errors.Is(err, pipe.ErrStalled) {
		t.Error("Serve returns", err)
	}
	close(over)
	if n := <-peak; n > 24<<20 {
		t.Errorf("%d MB at the most", n>>20)
	} else {
		t.Logf("%d MB at the most", n>>20)
	}
	eventually(t, "goroutines are left", func() bool { return runtime.NumGoroutine() <= goroutines })
}

// A peer that is slow gets everything, in order.
func TestSlowPeer(t *testing.T) {
	x := open(t, stdio.Options{QueueBytes: 10_000, Stall: time.Minute}, func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return &protocol.CallToolResult{StructuredContent: p.Arguments}, nil
	})
	const many = 200
	go func() {
		for i := range many {
			x.say(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i)
			x.say(`{"jsonrpc":"2.0","id":"c%d","method":"tools/call","params":{"name":"t","arguments":{"a":"%s"}}}`, i, strings.Repeat("x", 2000))
		}
		x.peer.Close()
	}()
	pings, calls := 0, 0
	for x.scan.Scan() {
		if strings.Contains(x.scan.Text(), fmt.Sprintf(`"id":%d,`, pings)) {
			pings++
		} else {
			calls++
		}
		time.Sleep(2 * time.Millisecond)
		if pings+calls == 2*many {
			break
		}
	}
	if pings != many || calls != many {
		t.Errorf("%d pings, %d calls answered", pings, calls)
	}
	if err := x.end(); err != nil {
		t.Error(err)
	}
}

// failing is a writer that fails after a while.
type failing struct{ n int }

func (f *failing) Write(b []byte) (int, error) {
	if f.n--; f.n < 0 {
		return 0, errors.New("broken")
	}
	return len(b), nil
}

// When the peer cannot be written to, Serve returns why, and no goroutine is left, whatever
// comes in.
func TestNothingIsLeftWhenWritingFails(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	for n := range 20 {
		in, peer := io.Pipe()
		served := make(chan error, 1)
		go func() {
			served <- stdio.Serve(context.Background(), server.Config{Info: who}, &server.Handlers{}, in, &failing{n}, stdio.Options{})
		}()
		for i := 0; ; i++ {
			if _, err := fmt.Fprintf(peer, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", i); err != nil {
				break
			}
		}
		if err := <-served; err == nil || err.Error() != "broken" {
			t.Error("Serve returns", err)
		}
	}
	eventually(t, "goroutines are left", func() bool { return runtime.NumGoroutine() <= goroutines })
}
