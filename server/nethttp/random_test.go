package nethttp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
)

// Whatever a client does at which of two processes in whatever order: every call has one
// answer, with all that belongs to it, each message once and in order.
func TestTwoProcessesAtRandom(t *testing.T) {
	rounds := 12
	if testing.Short() || raceEnabled {
		rounds = 3
	}
	for seed := range rounds {
		random(t, uint64(seed))
	}
}

func random(t *testing.T, seed uint64) {
	k := newKit()
	tab := newTable()
	var shared nethttp.Table = tab
	if seed%2 == 1 {
		shared, _ = journaled(tab)
	}
	_, _, urlA, urlB := two(t, k, shared, nethttp.Options{StreamAfter: []time.Duration{-1, time.Millisecond, time.Second}[seed%3]})
	pa := open(t, urlA, "2025-11-25")
	pb := pa.at(urlB)
	var wg sync.WaitGroup
	for worker := range 6 {
		rnd := rand.New(rand.NewPCG(seed, uint64(worker)))
		wg.Go(func() {
			for i := range 6 {
				p := []*peer{pa, pb}[rnd.IntN(2)]
				id := fmt.Sprintf("%d-%d", worker, i)
				if err := one(rnd, k, p, []*peer{pa, pb}, id); err != nil {
					t.Errorf("seed %d, call %s: %v", seed, id, err)
				}
			}
		})
	}
	wg.Wait()
	quiet(t) // what was cancelled has ended
	listens, holds := pb.listen(), pa.follow("POST", pa.callText("hold", `{}`))
	holds.next("progress")
	pb.do(pb.request(context.Background(), "DELETE", "")).want(204)
	listens.end()
	holds.end()
	quiet(t)
	tab.mu.Lock()
	defer tab.mu.Unlock()
	t.Logf("seed %d: %d turns, %d made again", seed, tab.puts, tab.refused)
}

// one makes a call that reports three steps, asks the client or is cancelled, with cuts, and
// checks what comes.
func one(rnd *rand.Rand, k *kit, p *peer, all []*peer, id string) error {
	tool := []string{"steps", "ask", "hold"}[rnd.IntN(3)]
	text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":%q,"arguments":{},"_meta":{"progressToken":%q}}}`, id, tool, id)
	if tool == "steps" {
		for range 3 {
			k.free <- struct{}{}
		}
	}
	x, err := p.tryFollow("POST", text)
	if err != nil {
		return err
	}
	var got []string
	last := ""
	take := func(data string) error {
		switch {
		case strings.Contains(data, "sampling/createMessage"):
			if tool != "ask" {
				return fmt.Errorf("got %s", data)
			}
			_, rest, _ := strings.Cut(data, `"id":`)
			n, _, _ := strings.Cut(rest, ",")
			q := all[rnd.IntN(2)]
			a, err := q.try(q.request(context.Background(), "POST", `{"jsonrpc":"2.0","id":`+n+`,"result":`+sampled+`}`))
			if err != nil {
				return err
			}
			if a.status != 202 {
				return fmt.Errorf("the answer: %d %s", a.status, a.body)
			}
			got = append(got, "asked")
		case strings.Contains(data, "notifications/progress"):
			_, rest, _ := strings.Cut(data, `"progress":`)
			if !strings.Contains(data, `"progressToken":"`+id+`"`) {
				return fmt.Errorf("got %s", data)
			}
			if got = append(got, rest[:1]); tool == "hold" {
				q := all[rnd.IntN(2)]
				a, err := q.try(q.request(context.Background(), "POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"`+id+`"}}`))
				if err != nil || a.status != 202 {
					return fmt.Errorf("the cancellation: %d %w", a.status, err)
				}
			}
		case strings.Contains(data, `"id":"`+id+`","result"`):
			got = append(got, "done")
		default:
			return fmt.Errorf("got %s", data)
		}
		return nil
	}
	if x.resp.Header.Get("Content-Type") == "application/json" {
		a, err := readAll(x)
		if err != nil {
			return err
		}
		if err := take(a); err != nil {
			return err
		}
		return compare(tool, got)
	}
	for tries := 0; ; tries++ {
		go x.read()
		cut := rnd.IntN(4)
		for n := 0; ; n++ {
			if n == cut && tries < 5 && last != "" {
				x.cancel()
			}
			var e event
			var ok bool
			select {
			case e, ok = <-x.events:
			case <-time.After(patience):
				return fmt.Errorf("nothing came after %s", got)
			}
			if !ok {
				break
			}
			if e.comment {
				continue
			}
			if e.id != "" {
				last = e.id
			}
			if e.data != "" {
				if err := take(e.data); err != nil {
					return err
				}
			}
		}
		if slices.Contains(got, "done") || tool == "hold" && len(got) > 0 {
			return compare(tool, got)
		}
		q := all[rnd.IntN(2)]
		if x, err = q.tryFollow("GET", "", lastEvent(last)); err != nil {
			return err
		}
		if x.resp.StatusCode != http.StatusOK {
			return fmt.Errorf("resume after %s and %q: %d", got, last, x.resp.StatusCode)
		}
	}
}

func compare(tool string, got []string) error {
	want := map[string]string{"steps": "1 2 3 done", "ask": "asked done", "hold": "1"}[tool]
	if g := strings.Join(got, " "); g != want {
		return fmt.Errorf("%s: got %s, want %s", tool, g, want)
	}
	return nil
}
