//go:build unix

package dial_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
)

// heard is the first report of each kind about each server, how many there were, and the
// processes behind the connections.
type heard struct {
	mu       sync.Mutex
	first    map[string]noted
	many     map[string]int
	children map[string]*child.Child
	all      []*child.Child
	changed  chan struct{}
}

type noted struct {
	manager.Report
	at time.Time
}

func key(server string, kind manager.ReportKind) string { return server + " " + kind.String() }

func (h *heard) report(r manager.Report) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.many[r.Link.Server]++
	k := key(r.Link.Server, r.Kind)
	if _, ok := h.first[k]; !ok {
		h.first[k] = noted{r, time.Now()}
		close(h.changed)
		h.changed = make(chan struct{})
	}
}

// wait waits for a report of a kind about a server.
func (h *heard) wait(t *testing.T, server string, kind manager.ReportKind) noted {
	t.Helper()
	for end := time.After(20 * time.Second); ; {
		h.mu.Lock()
		r, ok := h.first[key(server, kind)]
		changed := h.changed
		h.mu.Unlock()
		if ok {
			return r
		}
		select {
		case <-changed:
		case <-end:
			t.Fatalf("%s: no report %q", server, kind)
		}
	}
}

func (h *heard) count(server string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.many[server]
}

// pid is the process of the server of a kind that was started last.
func (h *heard) pid(kind string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.children[kind].Pid()
}

// many are Links with a server of each of the given kinds under that name.
func many(t *testing.T, kinds ...string) (*links.Links, *heard) {
	t.Helper()
	before := runtime.NumGoroutine()
	h := &heard{
		first: map[string]noted{}, many: map[string]int{}, children: map[string]*child.Child{}, changed: make(chan struct{}),
	}
	d := dial.Dialer{Stdio: child.Options{QueueBytes: 16 << 10, Term: 300 * time.Millisecond, Kill: 300 * time.Millisecond}}
	l := links.New(func(ctx context.Context, endpoint any) (links.Transport, error) {
		tr, err := d.Dial(ctx, command(endpoint.(string)))
		if child, ok := tr.(*child.Child); ok {
			h.mu.Lock()
			h.children[endpoint.(string)] = child
			h.all = append(h.all, child)
			h.mu.Unlock()
		}
		return tr, err
	}, links.Options{Report: h.report, QueueBytes: 64 << 10, CloseTimeout: 2 * time.Second})
	for _, k := range kinds {
		l.Do([]manager.Action{{Kind: manager.ActOpen, Link: link(k), Endpoint: k, By: time.Now().Add(10 * time.Second)}})
		h.wait(t, k, manager.Opened)
	}
	t.Cleanup(func() {
		ctx, end := context.WithTimeout(context.Background(), time.Second)
		defer end()
		if err := l.Close(ctx); errors.Is(err, links.ErrCloseTimeout) {
			t.Error(err)
		}
		for _, c := range h.all {
			select {
			case <-c.Gone():
			default:
				t.Errorf("process %d is not gone", c.Pid())
			}
		}
		for range 200 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		buf := make([]byte, 1<<20)
		t.Errorf("goroutines are left:\n%s", buf[:runtime.Stack(buf, true)])
	})
	return l, h
}

func link(kind string) manager.Link { return manager.Link{Server: kind, Epoch: 1} }

func say(l *links.Links, kind, text string) {
	l.Do([]manager.Action{{Kind: manager.ActSend, Link: link(kind), Out: client.Outgoing{Message: jsonrpc.DecodeString(text)}}})
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// works sees that a server answers.
func works(t *testing.T, l *links.Links, h *heard, kind string) {
	t.Helper()
	before := h.count(kind)
	began := time.Now()
	say(l, kind, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	for h.count(kind) == before {
		if time.Since(began) > 20*time.Second {
			t.Fatalf("%s does not answer", kind)
		}
		time.Sleep(time.Millisecond)
	}
}

// Servers of every bad kind hold up nobody: one beside them answers, and their ends are what
// they should be.
func TestLinksBadChildren(t *testing.T) {
	l, h := many(t, "deaf", "garbage", "flood", "stubborn", "good")
	fill(l, "deaf")
	works(t, l, h, "good")
	r := h.wait(t, "garbage", manager.Received)
	if r.Message.Kind != jsonrpc.KindInvalid {
		t.Errorf("%v", r.Message)
	}
	h.wait(t, "flood", manager.Received)
	began := time.Now()
	for _, k := range []string{"deaf", "garbage", "flood", "stubborn", "good"} {
		l.Do([]manager.Action{{Kind: manager.ActClose, Link: link(k), By: began.Add(200 * time.Millisecond)}})
	}
	for _, k := range []string{"deaf", "garbage", "flood", "stubborn", "good"} {
		r := h.wait(t, k, manager.Ended)
		if took := r.at.Sub(began); took > 15*time.Second {
			t.Errorf("%s: closed after %v", k, took)
		}
		if k == "stubborn" || k == "deaf" {
			if r.Err == nil || !strings.Contains(r.Err.Error(), "deadline; killed") {
				t.Errorf("%s: %v", k, r.Err)
			}
		}
	}
}

// fill fills the queue of a server that does not read.
func fill(l *links.Links, kind string) {
	for !l.Full(link(kind)) {
		say(l, kind, `{"jsonrpc":"2.0","method":"notifications/x","params":{"a":"`+strings.Repeat("x", 2000)+`"}}`)
	}
}

// The death of a server is told within 100 ms, also where it leaves somebody behind who holds
// its output, or floods, or is not listened to because it takes nothing. A machine may be too busy for that, but not each time.
func TestLinksDeath(t *testing.T) {
	for round := 1; ; round++ {
		l, h := many(t, "echo", "parent", "flood", "deaf", "good")
		fill(l, "deaf")
		say(l, "echo", ping)
		h.wait(t, "echo", manager.Received)
		h.wait(t, "flood", manager.Received)
		time.Sleep(50 * time.Millisecond) // until the parent has its child
		slow := false
		for _, k := range []string{"echo", "parent", "flood", "deaf"} {
			began := time.Now()
			if err := syscall.Kill(h.pid(k), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			r := h.wait(t, k, manager.Ended)
			took := r.at.Sub(began)
			t.Logf("%s: %v, %v", k, took, r.Err)
			slow = slow || took > 100*time.Millisecond
			if k != "deaf" && !errors.Is(r.Err, io.EOF) || took < 50*time.Millisecond && !strings.Contains(r.Err.Error(), "killed") {
				t.Errorf("%s: %v", k, r.Err)
			}
		}
		works(t, l, h, "good")
		if !slow {
			return
		}
		if round == 10 {
			t.Fatal("too late, each time")
		}
	}
}

// A hundred servers at once cost the time of the slowest.
func TestLinksHundred(t *testing.T) {
	if testing.Short() {
		t.Skip("many processes")
	}
	l, h := many(t)
	for i := range 100 {
		a := manager.Action{Kind: manager.ActOpen, Link: manager.Link{Server: "n", Epoch: uint64(i + 1)}, Endpoint: "echo"}
		l.Do([]manager.Action{a})
	}
	for h.count("n") < 100 {
		time.Sleep(time.Millisecond)
	}
	for i := range 100 {
		id := manager.Link{Server: "n", Epoch: uint64(i + 1)}
		l.Do([]manager.Action{{Kind: manager.ActSend, Link: id, Out: client.Outgoing{Message: jsonrpc.DecodeString(ping)}}})
	}
	for began := time.Now(); h.count("n") < 200; time.Sleep(time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			t.Fatalf("%d reports", h.count("n"))
		}
	}
	if l.Len() != 100 {
		t.Errorf("%d connections", l.Len())
	}
}
