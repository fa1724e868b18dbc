package host_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
)

// gates is a Work of functions that wait to be let go.
type gates struct {
	t       *testing.T
	w       *host.Work
	running atomic.Int32
	release chan struct{}
	n       int
}

func newGates(t *testing.T, opt host.WorkOptions) *gates {
	return &gates{t: t, w: host.NewWork(opt), release: make(chan struct{})}
}

func (g *gates) session(owner string) *shelf {
	return newOwnedShelf(g.t, g.w, owner, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		g.running.Add(1)
		defer g.running.Add(-1)
		<-g.release
		return protocol.TextResult("done"), nil
	})
}

func (g *gates) calls(s *shelf, n int, args string) {
	for range n {
		g.n++
		s.call(fmt.Sprint("c", g.n), args)
	}
}

// want waits for so many functions to run, of all sessions.
func (g *gates) want(running, waiting int) {
	g.t.Helper()
	eventually(g.t, fmt.Sprintf("want %d that run and %d that wait, have %d and %+v", running, waiting, g.running.Load(), g.w.Status()), func() bool {
		return int(g.running.Load()) == running && g.w.Status().Waiting == waiting && g.w.Status().Running == running
	})
}

// By default a session alone has 3/8 of the places, an owner alone 3/4, and who comes then has one at
// once, whoever else there is.
func TestSharesOfPlaces(t *testing.T) {
	for _, tt := range []struct {
		name     string
		sessions int
		owners   int
		calls    int
		running  int
	}{
		{"one session", 1, 1, 70, 24},
		{"one session alone at its share", 1, 1, 24, 24},
		{"one session of one call", 1, 1, 1, 1},
		{"four sessions of one owner", 4, 1, 70, 45},
		{"many sessions of one owner", 60, 1, 3, 48},
		{"two owners", 60, 2, 2, 55},
		{"five sessions of nobody", 5, 0, 70, 59},
	} {
		t.Run(tt.name, func(t *testing.T) {
			goroutines := runtime.NumGoroutine()
			g := newGates(t, host.WorkOptions{})
			for i := range tt.sessions {
				owner := ""
				if tt.owners > 0 {
					owner = fmt.Sprint("owner ", i%tt.owners)
				}
				g.calls(g.session(owner), tt.calls, "{}")
			}
			g.want(tt.running, tt.sessions*tt.calls-tt.running)
			g.calls(g.session("newcomer"), 1, "{}")
			g.want(tt.running+1, tt.sessions*tt.calls-tt.running)
			close(g.release)
			quiet(t, g.w, goroutines)
		})
	}
}

// The queue and the bytes of params are shared in the same way: more is refused, and a newcomer has
// room.
func TestSharesOfTheQueue(t *testing.T) {
	large := `{"a":"` + strings.Repeat("x", 9_900) + `"}`
	for _, tt := range []struct {
		name     string
		opt      host.WorkOptions
		args     string
		sessions int
		calls    int
		held     int
	}{
		{"one session", host.WorkOptions{MaxRunning: 8, MaxWaiting: 56}, "{}", 1, 100, 24},
		{"four sessions", host.WorkOptions{MaxRunning: 8, MaxWaiting: 56}, "{}", 4, 100, 45},
		{"MaxPerSession", host.WorkOptions{MaxRunning: 8, MaxWaiting: 56, MaxPerSession: 10}, "{}", 1, 100, 10},
		{"bytes of one session", host.WorkOptions{CallBytes: 160_000}, large, 1, 100, 7},
		{"bytes of four sessions", host.WorkOptions{CallBytes: 160_000}, large, 4, 100, 13},
	} {
		t.Run(tt.name, func(t *testing.T) {
			goroutines := runtime.NumGoroutine()
			g, refused := newGates(t, tt.opt), 0
			for range tt.sessions {
				s := g.session("one")
				g.calls(s, tt.calls, tt.args)
				refused += s.refused
			}
			if held := tt.sessions*tt.calls - refused; held != tt.held {
				t.Errorf("%d calls run or wait, want %d", held, tt.held)
			}
			s := g.session("other")
			g.calls(s, 1, tt.args)
			if s.refused != 0 {
				t.Error("the newcomer is refused")
			}
			close(g.release)
			quiet(t, g.w, goroutines)
		})
	}
}

// Sessions of one owner take turns, and owners do: who sends many keeps nobody waiting for more than
// one of its calls.
func TestTurnsOfOwners(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	w := host.NewWork(host.WorkOptions{MaxRunning: 1})
	order, release := make(chan string, 100), make(chan struct{})
	session := func(owner, name string) *shelf {
		return newOwnedShelf(t, w, owner, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			order <- name
			<-release
			return protocol.TextResult("done"), nil
		})
	}
	first := session("first", "0")
	first.call("x", "{}")
	got := <-order
	for _, s := range []*shelf{session("a", "a"), session("a", "A"), session("b", "b")} {
		for i := range 3 {
			s.call(fmt.Sprint(i), "{}")
		}
	}
	for range 9 {
		release <- struct{}{}
		got += <-order
	}
	close(release)
	if want := "0abAbabAaA"; got != want {
		t.Errorf("they ran in the order %s, want %s", got, want)
	}
	quiet(t, w, goroutines)
}

// A call that waits or is refused because of others is told to who can make room.
func TestPressed(t *testing.T) {
	pressed := 0
	g := newGates(t, host.WorkOptions{MaxRunning: 1, MaxWaiting: 1, Pressed: func() { pressed++ }, NoShares: true})
	s := g.session("")
	for i, want := range []int{0, 1, 2} {
		g.calls(s, 1, "{}")
		if pressed != want {
			t.Errorf("after %d calls it was told %d times, want %d", i+1, pressed, want)
		}
	}
	open, waiting := 0, 0
	g.w.Open(func(turner host.Turner, call server.Call, waits bool) {
		if turner != host.Turner(s) || call.IsZero() {
			t.Errorf("%v, %v", turner, call)
		}
		open++
		if waits {
			waiting++
		}
	})
	if open != 2 || waiting != 1 {
		t.Errorf("%d are open, %d of them wait", open, waiting)
	}
	close(g.release)
	eventually(t, "not idle", s.calls.Idle)
}

// A function that ends its goroutine, as t.FailNow does, is answered and has no place any more.
func TestGoexit(t *testing.T) {
	for _, recovers := range []func(any, []byte){nil, func(any, []byte) { t.Error("it is reported as a panic") }} {
		goroutines := runtime.NumGoroutine()
		w := host.NewWork(host.WorkOptions{MaxRunning: 1, Recover: recovers})
		s := newShelf(t, w, func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
			if string(p.Arguments) == "{}" {
				runtime.Goexit()
			}
			return protocol.TextResult("done"), nil
		})
		for i := range 3 {
			s.call(fmt.Sprint(i), "{}")
			s.said(fmt.Sprintf(`"id":"%d"`, i), "-32603", "the server failed")
		}
		s.call("good", `{"a":1}`)
		s.said(`"id":"good"`, "done")
		quiet(t, w, goroutines)
	}
}
