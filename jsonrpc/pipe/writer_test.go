package pipe_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
)

// Messages are written in order, and a Writer tells when it is full and when it has room.
func TestWriter(t *testing.T) {
	read, out := io.Pipe()
	w := pipe.NewWriter(out, 1000, time.Minute)
	sent := 0
	for ; !w.Full(); sent++ {
		w.Send(jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, sent)))
	}
	if sent < 20 || sent > 40 {
		t.Errorf("full after %d", sent)
	}
	scan := bufio.NewScanner(read)
	for i := range sent {
		if !scan.Scan() || !strings.Contains(scan.Text(), fmt.Sprintf(`"id":%d,`, i)) {
			t.Fatalf("got %s at %d", scan.Text(), i)
		}
	}
	<-w.Room()
	if w.Full() {
		t.Error("full though all was read")
	}
	if err := w.Close(time.Minute); err != nil {
		t.Error(err)
	}
	w.Send(jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	w = pipe.NewWriter(out, 1000, time.Minute)
	w.Send(jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err := w.Close(10 * time.Millisecond); !errors.Is(err, pipe.ErrClosed) {
		t.Error("Close gives", err)
	}
}

// A full queue that moves is not stalled, however slowly it does.
func TestSlowIsNotStalled(t *testing.T) { synctest.Test(t, slowIsNotStalled) }

func slowIsNotStalled(t *testing.T) {
	read, out := io.Pipe()
	w := pipe.NewWriter(out, 1<<20, time.Second)
	for !w.Full() {
		w.Send(jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"` + strings.Repeat("x", 100_000) + `"}}`))
	}
	began := time.Now()
	for w.Full() {
		time.Sleep(150 * time.Millisecond)
		if _, err := io.CopyN(io.Discard, read, 64<<10); err != nil {
			break
		}
	}
	if d := time.Since(began); w.Err() != nil || d < time.Second {
		t.Errorf("after %v: %v", d, w.Err())
	}
	if err := w.Close(0); !errors.Is(err, pipe.ErrClosed) {
		t.Error("Close gives", err)
	}
}
