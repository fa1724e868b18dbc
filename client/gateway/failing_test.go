package gateway

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
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
