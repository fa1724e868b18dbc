package dial_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/protocol"
)

// A server that asks without end and reads no answer is not listened to any more, costs no
// more memory than its queues hold, and is given up. The one beside it does not notice.
func TestPingsWithoutEnd(t *testing.T) {
	d := dial.Dialer{Stdio: child.Options{QueueBytes: 64 << 10, Stall: time.Second, Term: 200 * time.Millisecond, Kill: 200 * time.Millisecond}}
	f, err := fleet.New(calls.Config{Manager: manager.Config{Client: config}}, fleet.Options{Dial: d.Dial, QueueBytes: 64 << 10, SendTimeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close(t.Context())
	if err := f.Set(t.Context(), []fleet.Definition{{Name: "good", Options: manager.Options{Endpoint: command("good")}}}); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	failed := make(chan error, 1)
	go func() {
		_, err := f.Server("pings").Manage(t.Context(), func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
			return m.Connect(now, "pings", manager.Options{Endpoint: command("pings")})
		})
		failed <- err
	}()
	began := time.Now()
	for n := 0; ; n++ {
		at := time.Now()
		if _, err := f.Server("good").Request(t.Context(), protocol.PingParams{}, fleet.RequestOptions{}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(at); took > 10*time.Second {
			t.Errorf("a ping took %v", took)
		}
		select {
		case err := <-failed:
			t.Logf("%d pings; after %v: %v", n, time.Since(began), err)
			if err == nil || time.Since(began) > 30*time.Second {
				t.Errorf("%v after %v", err, time.Since(began))
			}
			return
		default:
		}
		time.Sleep(10 * time.Millisecond)
		if n == 50 {
			runtime.GC()
			runtime.ReadMemStats(&after)
			if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
				t.Errorf("grown by %d", grown)
			}
		}
	}
}
