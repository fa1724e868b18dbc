package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/protocol"
)

// A server that fails is told of the first time, then whenever it failed four times as often; one
// that was ready for a minute begins anew. Each server counts by itself.
func TestFailure(t *testing.T) {
	g := &Gateway{failing: map[string]*failing{}}
	now := time.Now()
	change := func(name string, from, to manager.Condition, err error) string {
		times, tell := g.failure(manager.Event{Link: manager.Link{Server: name}, From: from, To: to, Err: err}, now)
		return fmt.Sprint(times, tell)
	}
	bad := errors.New("x")
	var told []int
	for i := 1; i <= 70; i++ {
		if change("a", manager.Handshaking, manager.Waiting, bad) == fmt.Sprint(i, true) {
			told = append(told, i)
		}
		change("a", manager.Waiting, manager.Connecting, nil)
		change("a", manager.Handshaking, manager.Ready, nil)
		now = now.Add(stable - 1)
	}
	if fmt.Sprint(told) != "[1 4 16 64]" {
		t.Error(told)
	}
	if got := change("b", manager.Connecting, manager.Failed, bad); got != "1 true" {
		t.Error(got)
	}
	if got := change("b", manager.Ready, manager.Closed, bad); got != "0 false" {
		t.Error(got)
	}
	change("a", manager.Handshaking, manager.Ready, nil)
	now = now.Add(stable)
	if got := change("a", manager.Ready, manager.Waiting, bad); got != "1 true" {
		t.Error(got)
	}
}

// What is known of the failures of a server goes with it, and not with others; notes are copied.
func TestForgottenServers(t *testing.T) {
	g, err := New(Options{Relay: relay.Config{Info: protocol.Implementation{Name: "g", Version: "1"}}})
	if err != nil {
		t.Fatal(err)
	}
	g.failing = map[string]*failing{"stays": {}, "goes": {}}
	if err := g.SetServers([]relay.Server{{Name: "stays"}}); err != nil {
		t.Fatal(err)
	}
	if names := slices.Collect(maps.Keys(g.failing)); !slices.Equal(names, []string{"stays"}) {
		t.Errorf("%q", names)
	}
	lines := []string{"a note"}
	g.SetNotes(lines)
	lines[0] = "changed"
	if got := g.Status().Notes; !slices.Equal(got, []string{"a note"}) {
		t.Errorf("%q", got)
	}
}

// A server that does not answer pings is told of: whose it is, and how often it did not, but not each time.
func TestPingsAreLogged(t *testing.T) {
	var b bytes.Buffer
	log := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	x := &session{g: &Gateway{opt: Options{Log: log}}, number: 7}
	x.log(manager.Event{Kind: manager.PingsMissed, Link: manager.Link{Server: "files"}, Misses: 2})
	x.log(manager.Event{Kind: manager.PingsMissed, Link: manager.Link{Server: "files"}, Misses: 3})
	if got := b.String(); got != "level=INFO msg=\"gateway: server does not answer pings\" session=7 server=files misses=2\n" {
		t.Error(got)
	}
}
