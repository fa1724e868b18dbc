package nethttp_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/streams"
)

// A client that takes JSON alone gets its answer, however much else is sent within the call: that is
// not kept for it.
func TestWholeAnswersAfterMuch(t *testing.T) {
	_, s := start(t, newKit(), nethttp.Options{Streams: streams.Options{MaxBytes: 30_000}})
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		p := open(t, s.URL, version)
		for range 3 {
			p.do(p.request(context.Background(), "POST", p.callText("big", `{}`), set("Accept", "application/json"))).want(200, `"result"`)
		}
	}
}

// early is a Memory: of a POST its own Get sees what the turn with the answer stores, before the Put of
// that returns.
type early struct {
	nethttp.Store
	phase               atomic.Int32 // 1: the POST is made, 2: it is stored, 3: its Get waits, 4: that goes on
	waits, stored, read chan struct{}
}

func (e *early) Get(ctx context.Context, id string) (nethttp.Record, error) {
	if e.phase.CompareAndSwap(2, 3) {
		close(e.waits)
		<-e.stored
		defer close(e.read)
	}
	return e.Store.Get(ctx, id)
}

func (e *early) Put(ctx context.Context, id string, r nethttp.Record, step uint64) error {
	err := e.Store.Put(ctx, id, r, step)
	if !e.phase.CompareAndSwap(1, 2) && e.phase.CompareAndSwap(3, 4) {
		close(e.stored)
		<-e.read
	}
	return err
}

// An answer that has left the Store, and is not yet where its POST waits for it, is not lost; nor is one
// that is there already when the session ends.
func TestWholeAnswerUnderWay(t *testing.T) {
	for _, ends := range []bool{false, true} {
		k, e := newKit(), &early{Store: nethttp.NewMemory(), waits: make(chan struct{}), stored: make(chan struct{}), read: make(chan struct{})}
		h, s := start(t, k, nethttp.Options{Store: e})
		p := open(t, s.URL, "2025-11-25")
		e.phase.Store(1)
		r := p.request(context.Background(), "POST", p.callText("gate", `{}`), set("Accept", "application/json"))
		answers, errs := make(chan answer, 1), make(chan error, 1)
		go func() {
			a, err := p.try(r)
			answers <- a
			errs <- err
		}()
		receive(t, e.waits)
		if ends {
			e.phase.Store(4)
		}
		k.free <- struct{}{}
		if ends {
			eventually(t, "the call has ended", func() bool { return h.Status().Running == 0 })
			p.do(p.request(context.Background(), "DELETE", "")).want(204)
			close(e.stored)
		}
		receive(t, answers).want(200, `"text":"free {}"`)
		if err := receive(t, errs); err != nil {
			t.Error(err)
		}
	}
}
