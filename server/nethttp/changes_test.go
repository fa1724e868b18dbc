package nethttp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// told returns a handler in a bubble with a tool that tells of its progress, each time when it is let go on.
func told(t *testing.T, tab nethttp.Table, step <-chan string, opt nethttp.Options) *bubble {
	t.Helper()
	cfg := serverConfig
	cfg.HashKey = [16]byte{1}
	opt.Store = nethttp.NewShared(tab)
	hs := new(server.Handlers)
	hs.Tool(protocol.Tool{Name: "tell", InputSchema: object}, func(_ context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		n := 0.0
		for text := range step {
			n++
			if err := c.Progress(protocol.ProgressParams{Progress: n, Message: text}); err != nil {
				return nil, err
			}
		}
		return protocol.TextResult("told"), nil
	})
	h, err := nethttp.NewHandler(cfg, hs, opt)
	if err != nil {
		t.Fatal(err)
	}
	return &bubble{t: t, h: h, k: newKit()}
}

const tellCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tell","arguments":{},"_meta":{"progressToken":1}}}`

// A message of progress costs the store twice its length and 1 KB at most, read and written, however much is kept of those
// before it, and at each of two processes. No entry is longer than four records. A store that appends nothing has whole
// records.
func TestProgressCost(t *testing.T) {
	for _, tt := range []struct {
		name          string
		length, steps int
		whole         bool
	}{{"short ones", 40, 300, false}, {"long ones", 2000, 100, false}, {"nothing is appended", 40, 20, true}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tab := newTable()
				ja, a := journaled(tab)
				jb, b := journaled(tab)
				a.whole, b.whole = tt.whole, tt.whole
				step := make(chan string)
				one := told(t, ja, step, nethttp.Options{StreamAfter: -1})
				other := told(t, jb, nil, nethttp.Options{})
				session := one.open("2025-11-25")
				r := one.serve("POST", session, "2025-11-25", tellCall, nil)
				listens := other.serve("GET", session, "2025-11-25", "", nil) // so that it reads as well
				for range 5 {
					step <- strings.Repeat("y", tt.length)
					synctest.Wait()
				}
				moved := func(j *journal) int64 { return j.appended.Load() + j.put.Load() }
				written, readA, readB := moved(a), a.read.Load(), b.read.Load()
				bytes, appends := int64(0), a.appends.Load()
				for i := range tt.steps {
					before := len(r.text())
					step <- fmt.Sprintf("%d: %s", i, strings.Repeat("x", tt.length))
					synctest.Wait()
					bytes += int64(len(r.text()) - before)
				}
				bound := 2*bytes/int64(tt.steps) + 1<<10
				per := func(n int64) int64 { return n / int64(tt.steps) }
				t.Logf("messages of %d bytes: %d written, %d and %d read; at most %d; the entry has up to %d", per(bytes), per(moved(a)-written), per(a.read.Load()-readA), per(b.read.Load()-readB), bound, a.longest.Load())
				if tt.whole {
					if a.appends.Load() != 0 {
						t.Error("something was appended")
					}
				} else {
					for what, n := range map[string]int64{"written": moved(a) - written, "read": a.read.Load() - readA, "read elsewhere": b.read.Load() - readB} {
						if per(n) > bound {
							t.Errorf("%d bytes %s for a message, want %d at most", per(n), what, bound)
						}
					}
					if a.appends.Load() == appends {
						t.Error("nothing was appended")
					}
					if most := 4 * (bytes + 5*int64(tt.length) + 4096); a.longest.Load() > most {
						t.Errorf("an entry of %d bytes, want %d at most", a.longest.Load(), most)
					}
				}
				close(step)
				<-r.done
				if got := strings.Count(r.text(), "notifications/progress"); got != tt.steps+5 || !strings.Contains(r.text(), `"text":"told"`) {
					t.Errorf("%d messages: %s", got, r.text()[max(0, len(r.text())-300):])
				}
				listens.cut()
				<-listens.done
				one.h.Close()
				other.h.Close()
			})
		})
	}
}

// A session that was read before its functions were replaced has those of now, also where nobody had told it so.
func TestRecalledHasTheFunctionsOfNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tab := newTable()
		ja, _ := journaled(tab)
		jb, _ := journaled(tab)
		one := told(t, ja, nil, nethttp.Options{})
		store := nethttp.NewShared(jb)
		cfg := serverConfig
		cfg.HashKey = [16]byte{1}
		h, err := nethttp.NewHandler(cfg, newKit().handlers(), nethttp.Options{Store: store})
		if err != nil {
			t.Fatal(err)
		}
		other := &bubble{t: t, h: h, k: newKit()}
		session := one.open("2025-11-25")
		if _, err := store.Get(t.Context(), session); err != nil {
			t.Fatal(err)
		}
		next := new(server.Handlers)
		next.Tool(protocol.Tool{Name: "next", InputSchema: object}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("next"), nil
		})
		if err := h.Replace(t.Context(), next); err != nil {
			t.Fatal(err)
		}
		r := other.serve("POST", session, "2025-11-25", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil)
		<-r.done
		if !strings.Contains(r.text(), `"next"`) {
			t.Errorf("it offers %s", r.text())
		}
		one.h.Close()
		h.Close()
	})
}

// A process whose Table appends nothing serves sessions that others append to, so that processes may begin to one after
// another.
func TestChangesAreHidden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tab := newTable()
		ja, a := journaled(tab)
		step := make(chan string)
		one, hides := told(t, ja, step, nethttp.Options{StreamAfter: -1}), told(t, tab, nil, nethttp.Options{})
		session := one.open("2025-11-25")
		r := one.serve("POST", session, "2025-11-25", tellCall, nil)
		for range 20 {
			appends := a.appends.Load()
			step <- strings.Repeat("y", 100)
			synctest.Wait()
			if a.appends.Load() > appends { // else there is a whole record
				ping := hides.serve("POST", session, "2025-11-25", `{"jsonrpc":"2.0","id":2,"method":"ping"}`, nil)
				if <-ping.done; ping.code != 200 {
					t.Fatalf("%d: %s", ping.code, ping.text())
				}
			}
		}
		if a.appends.Load() == 0 {
			t.Error("nothing was appended")
		}
		close(step)
		<-r.done
		if !strings.Contains(r.text(), `"text":"told"`) {
			t.Error(r.text())
		}
		one.h.Close()
		hides.h.Close()
	})
}

// Where a Table gives out what follows another record than the one that was read here, all of it is read.
func TestFollowsAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tab, j := journaled(newTable())
		b := told(t, tab, nil, nethttp.Options{})
		session := b.open("2025-11-25")
		j.wrong = true
		ping := b.serve("POST", session, "2025-11-25", `{"jsonrpc":"2.0","id":2,"method":"ping"}`, nil)
		if <-ping.done; ping.code != 200 {
			t.Errorf("%d: %s", ping.code, ping.text())
		}
		b.h.Close()
	})
}
