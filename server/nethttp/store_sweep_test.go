package nethttp_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
)

// failsOnce is a table that fails at its nth use, and does nothing then.
type failsOnce struct {
	*table
	mu   sync.Mutex
	uses int
	nth  int // 0: never
	what string
}

func (f *failsOnce) use(what string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.uses++; f.uses == f.nth {
		f.what = what
		return errOff
	}
	return nil
}

// rest says that nothing fails any more.
func (f *failsOnce) rest() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.nth = 0
}

// count returns how many uses there were.
func (f *failsOnce) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.uses
}

// failed returns which use failed.
func (f *failsOnce) failed() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.what
}

func (f *failsOnce) Get(ctx context.Context, id string) ([]byte, error) {
	if err := f.use("Get"); err != nil {
		return nil, err
	}
	return f.table.Get(ctx, id)
}

func (f *failsOnce) Put(ctx context.Context, id string, data []byte, step uint64, keep time.Duration) error {
	if err := f.use("Put"); err != nil {
		return err
	}
	return f.table.Put(ctx, id, data, step, keep)
}

func (f *failsOnce) Delete(ctx context.Context, id string) error {
	if err := f.use("Delete"); err != nil {
		return err
	}
	return f.table.Delete(ctx, id)
}

// Whichever use of the Store fails, in whatever a client does: the request is answered as one that may be made again or
// is over without it, no request hangs, and all that comes later is as if nothing had been.
func TestStoreFailsAtEachUse(t *testing.T) {
	sessionOf := func(r *response) string { return r.head.Get("Mcp-Session-Id") }
	opening := `{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	sse := func(r *http.Request) { r.Header.Set("Accept", "text/event-stream") }
	for name, tt := range map[string]struct {
		opt nethttp.Options
		// do does all that a client does, as far as it comes.
		do func(b *bubble, send func(method, session, body string, edit ...func(*http.Request)) *response)
	}{
		"a session": {do: func(_ *bubble, send func(string, string, string, ...func(*http.Request)) *response) {
			id := sessionOf(send("POST", "", opening))
			if id == "" {
				return
			}
			send("POST", id, initialized)
			stream := send("GET", id, "", sse)
			send("POST", id, list)
			send("POST", id, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
			send("POST", id, callOf("echo", `{}`))
			stream.cut()
			send("DELETE", id, "")
		}},
		"HTTP+SSE": {opt: nethttp.Options{LegacySSE: true}, do: func(b *bubble, send func(string, string, string, ...func(*http.Request)) *response) {
			stream := send("GET", "", "", sse)
			_, query, _ := strings.Cut(stream.text(), "data: /?")
			query, _, ok := strings.Cut(query, "\n")
			if !ok {
				return
			}
			at := func(r *http.Request) { r.URL.RawQuery = query }
			send("POST", "", strings.Replace(opening, "2025-06-18", "2024-11-05", 1), at)
			send("POST", "", initialized, at)
			send("POST", "", list, at)
			send("POST", "", callOf("echo", `{}`), at)
			stream.cut()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			uses := 1
			for nth := 0; nth <= uses; nth++ { // the first time nothing fails
				synctest.Test(t, func(t *testing.T) {
					tab := &failsOnce{table: newTable(), nth: nth}
					b := newWhole(t, newKit(), tab, tt.opt, 1)
					bad, said := 0, ""
					send := func(method, session, body string, edit ...func(*http.Request)) *response {
						r := b.serve(method, session, "", body, nil, edit...)
						synctest.Wait()
						for range 50 { // what is put off, or tried again
							if r.over() || method == "GET" {
								break
							}
							time.Sleep(100 * time.Millisecond)
							synctest.Wait()
						}
						if !r.over() && method != "GET" {
							t.Errorf("%s hangs: %s", method, body)
							r.cut()
						}
						if r.over() && r.status() == 0 {
							t.Errorf("use %d, %s: %s is not answered", nth, tab.failed(), method)
						}
						if s := r.status(); s >= 400 {
							bad++
							said += fmt.Sprint(method, " ", s, " ", r.text(), "\n")
							if s == http.StatusServiceUnavailable && !strings.Contains(r.text(), "retry after 1s") && !strings.Contains(r.text(), `"outcome":"unknown"`) || s == http.StatusInternalServerError {
								t.Errorf("use %d, %s: %s %d %s", nth, tab.failed(), method, s, r.text())
							}
						}
						return r
					}
					tt.do(b, send)
					time.Sleep(time.Minute) // whatever is tried again is by now
					if nth == 0 {
						uses = tab.count()
						if bad > 0 || uses < 10 {
							t.Errorf("%d uses; %s", uses, said)
						}
					}
					tab.rest() // the first time may have had a use less than when they were counted
					bad, said = 0, ""
					tt.do(b, send)
					if bad > 0 {
						t.Errorf("after use %d, %s, has failed: %s", nth, tab.failed(), said)
					}
					b.close()
					synctest.Wait()
					if n := len(tab.rows); n > 2 {
						t.Errorf("use %d: %d entries are left", nth, n)
					}
				})
			}
		})
	}
}
