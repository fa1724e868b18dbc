//go:build unix

package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle/backoff"
)

// Real servers that die all the time, in the middle of calls: each call ends, with an
// error that says that the connection was lost, or with the answer of its own server; each
// server comes back, and no process is left.
func TestChaos(t *testing.T) {
	cfg := settings()
	cfg.Backoff = backoff.Policy{Base: 10 * time.Millisecond, Cap: 50 * time.Millisecond}
	f := start(t, cfg, fleet.Options{})
	const servers = 6
	var list []fleet.Definition
	for i := range servers {
		list = append(list, fleet.Definition{Name: fmt.Sprint(i), Options: manager.Options{Endpoint: command("good"), Supervise: true}})
	}
	if err := f.Set(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithTimeout(t.Context(), 2*time.Second)
	defer end()
	var processes sync.Map
	var good, lost atomic.Int64
	var all sync.WaitGroup
	for i := range servers {
		name := fmt.Sprint(i)
		for range 3 {
			all.Go(func() {
				for ctx.Err() == nil {
					if ready(ctx, f, name) != nil {
						return
					}
					tool := []string{"echo", "echo", "pid", "sleep", "die"}[rand.IntN(5)]
					within, stop := context.WithTimeout(ctx, rand.N(300*time.Millisecond))
					text, err := call(within, f, name, tool)
					stop()
					switch {
					case err == nil && tool == "pid":
						n, _ := strconv.Atoi(text)
						processes.Store(n, true)
						good.Add(1)
					case err == nil && text != `{"of":"`+name+`"}`:
						t.Errorf("%s says %s", name, text)
					case err == nil:
						good.Add(1)
					case errors.Is(err, context.DeadlineExceeded):
					case errors.Is(err, class(manager.ClassLost)), errors.Is(err, class(manager.ClassUnavailable)), errors.Is(err, class(manager.ClassTransport)):
						lost.Add(1)
					default:
						t.Errorf("%s: %v", name, err)
					}
				}
			})
		}
	}
	all.Wait()
	for i := range servers {
		if err := ready(t.Context(), f, fmt.Sprint(i)); err != nil {
			t.Error(err)
		}
	}
	_ = f.Close(t.Context())
	n := 0
	for p := range processes.Range {
		if n++; alive(p.(int)) {
			t.Errorf("%d is alive", p)
		}
	}
	t.Logf("%d answers, %d lost, %d processes", good.Load(), lost.Load(), n)
	if good.Load() == 0 || lost.Load() == 0 {
		t.Error("it is no chaos")
	}
}
