package pipe_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
)

var ping = jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)

// packets takes each Write as one message.
type packets struct {
	mu   sync.Mutex
	got  []string
	hold chan struct{} // each Write takes one
}

func (p *packets) Write(b []byte) (int, error) {
	<-p.hold
	p.mu.Lock()
	defer p.mu.Unlock()
	p.got = append(p.got, string(b))
	return len(b), nil
}

// A packet writer hands over one message at a time, however many wait, and counts what a
// small one costs.
func TestPacketWriter(t *testing.T) {
	p := &packets{hold: make(chan struct{}, 1000)}
	w := pipe.NewPacketWriter(p, 1000, time.Minute)
	large := jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"x","params":{"a":"` + strings.Repeat("x", 200_000) + `"}}`)
	w.Send(ping)
	w.Send(jsonrpc.Message{}) // has no text
	w.Send(large)
	for !w.Full() {
		w.Send(ping)
	}
	for range 1000 {
		p.hold <- struct{}{}
	}
	<-w.Room()
	if err := w.Close(10 * time.Second); err != nil {
		t.Error(err)
	}
	text := func(m jsonrpc.Message) string { return string(jsonrpc.Append(nil, m)) }
	if want := []string{text(ping), text(large)}; !slices.Equal(p.got, want) {
		t.Errorf("%d packets, want 2", len(p.got))
	}
	p = &packets{hold: make(chan struct{})}
	w = pipe.NewPacketWriter(p, 10_000, time.Minute)
	n := 0
	for ; !w.Full(); n++ {
		w.Send(ping)
	}
	if n > 100 {
		t.Errorf("full after %d packets of %d bytes", n, len(text(ping)))
	}
	close(p.hold)
	if err := w.Close(10 * time.Second); err != nil || len(p.got) != n {
		t.Errorf("%d of %d written, %v", len(p.got), n, err)
	}
}

// What has no text is not sent and holds up nothing.
func TestInvalidIsNotSent(t *testing.T) {
	var b strings.Builder
	w := pipe.NewWriter(&b, 0, 0)
	for range 100 {
		w.Send(jsonrpc.Message{})
	}
	w.Send(ping)
	w.Send(jsonrpc.Message{})
	began := time.Now()
	if err := w.Close(time.Minute); err != nil || time.Since(began) > 30*time.Second {
		t.Errorf("closed after %v: %v", time.Since(began), err)
	}
	if want := string(jsonrpc.AppendLine(nil, ping)); b.String() != want {
		t.Errorf("written is %q", b.String())
	}
}

// short writes less than it is given, and does not say so.
type short struct{}

func (short) Write(b []byte) (int, error) { return len(b) / 2, nil }

// closing notes that it was closed.
type closing struct {
	io.Writer
	closed chan struct{}
}

func (c closing) Close() error { close(c.closed); return nil }

// A writer that writes half of it has failed, and what cannot be written to is closed.
func TestFailedWrites(t *testing.T) {
	for _, packet := range []bool{false, true} {
		c := closing{short{}, make(chan struct{})}
		w := pipe.NewWriter(c, 0, 0)
		if packet {
			w = pipe.NewPacketWriter(c, 0, 0)
		}
		w.Send(ping)
		<-w.Done()
		<-c.closed
		if err := w.Err(); !errors.Is(err, io.ErrShortWrite) {
			t.Error("Err gives", err)
		}
		w.Send(ping)
		if w.Full() {
			t.Error("full after the end")
		}
		if err := w.Close(time.Minute); !errors.Is(err, io.ErrShortWrite) {
			t.Error("Close gives", err)
		}
	}
}

// A peer that reads nothing of a full queue fails the Writer in time, and closing ends the
// Write that waits: the test ends when no goroutine is left.
func TestStall(t *testing.T) { synctest.Test(t, stall) }

func stall(t *testing.T) {
	_, out := io.Pipe()
	w := pipe.NewWriter(out, 100, 50*time.Millisecond)
	began := time.Now()
	for !w.Full() {
		w.Send(ping)
	}
	<-w.Done()
	if d := time.Since(began); !errors.Is(w.Err(), pipe.ErrStalled) || d != 50*time.Millisecond {
		t.Errorf("after %v: %v", d, w.Err())
	}
	_, out = io.Pipe()
	w = pipe.NewWriter(out, 1<<20, time.Millisecond) // not full, not stalled
	w.Send(ping)
	if err := w.Close(50 * time.Millisecond); !errors.Is(err, pipe.ErrClosed) {
		t.Error("Close gives", err)
	}
}

// Wait waits for room, until there is some, the Writer has ended, or its caller gives up.
func TestWait(t *testing.T) {
	p := &packets{hold: make(chan struct{})}
	w := pipe.NewPacketWriter(p, 1000, time.Minute)
	if err := w.Wait(context.Background()); err != nil {
		t.Error("Wait of an empty one gives", err)
	}
	for !w.Full() {
		w.Send(ping)
	}
	ctx, end := context.WithTimeoutCause(context.Background(), time.Millisecond, io.ErrNoProgress)
	defer end()
	if err := w.Wait(ctx); !errors.Is(err, io.ErrNoProgress) {
		t.Error("Wait of a full one gives", err)
	}
	waited := make(chan error, 1)
	go func() { waited <- w.Wait(context.Background()) }()
	close(p.hold)
	if err := <-waited; err != nil {
		t.Error("Wait gives", err)
	}
	if err := w.Close(10 * time.Second); err != nil {
		t.Error(err)
	}
	if err := w.Wait(context.Background()); !errors.Is(err, pipe.ErrClosed) {
		t.Error("Wait after Close gives", err)
	}
	_, out := io.Pipe()
	w = pipe.NewWriter(out, 1, 10*time.Millisecond)
	w.Send(ping)
	if err := w.Wait(context.Background()); !errors.Is(err, pipe.ErrStalled) {
		t.Error("Wait for one that stalls gives", err)
	}
}

// Read gives the last line without its newline too, however reading ends, and ends with done.
func TestRead(t *testing.T) { synctest.Test(t, read) }

func read(t *testing.T) {
	line := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, in := range map[string]io.Reader{
		"at once":       strings.NewReader(line + "\n\n" + line),
		"byte by byte":  iotest.OneByteReader(strings.NewReader(line + "\r\n" + line)),
		"with the end":  iotest.DataErrReader(strings.NewReader(line + "\n" + line)),
		"until failure": io.MultiReader(strings.NewReader(line+"\n"+line), iotest.ErrReader(errors.New("broken"))),
	} {
		n := 0
		for m := range pipe.Read(in, nil, pipe.ReadOptions{}) {
			if m.Method != "ping" {
				t.Errorf("%s: got %v", name, m)
			}
			n++
		}
		if n != 2 {
			t.Errorf("%s: %d messages", name, n)
		}
	}
	done := make(chan struct{})
	messages := pipe.Read(strings.NewReader(strings.Repeat(line+"\n", 100)), done, pipe.ReadOptions{})
	<-messages
	close(done) // after which no goroutine may be left
}
