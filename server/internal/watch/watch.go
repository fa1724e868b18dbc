// Package watch is what the Tables of package nethttp over a network share: who waits for which session, what is
// subscribed for them, and what is asked again because a message may have been lost.
package watch

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// Source is a store that tells of steps. Its methods are called by one goroutine.
type Source interface {
	// Subscribe has Hub.News called for sessions from now on, and Hub.Confirmed once the store knows of it.
	Subscribe(ctx context.Context, ids []string) error
	// Unsubscribe ends that.
	Unsubscribe(ctx context.Context, ids []string) error
	// Steps returns the steps of sessions as they are stored, 0 for none. With an error it returns those that it has
	// read, from the first one on.
	Steps(ctx context.Context, ids []string) ([]uint64, error)
}

const (
	linger = 10 * time.Second       // how long a session stays subscribed for which nobody waits
	retry  = 500 * time.Millisecond // after an error of the Source
	bound  = 5 * time.Second        // on a method of the Source
	batch  = 500                    // how many sessions a method of the Source is called with
)

// Hub has the callers that wait, by session. It is ready after New.
type Hub struct {
	source Source
	poll   time.Duration
	poke   chan struct{}
	cancel context.CancelFunc
	done   chan struct{}

	mu  sync.Mutex
	ids map[string]*watched
}

// watched is a session that is waited for, or was a moment ago.
type watched struct {
	waiters    map[*waiter]struct{}
	left       time.Time // when the last one left
	subscribed bool
	confirmed  bool
	known      bool   // step is one that was told or read since the subscription was confirmed
	step       uint64 // the newest one, 0 for none
	check      bool   // step may be old
	told       bool   // a message has come since the last check began
}

type waiter struct {
	step uint64
	over chan struct{}
}

// New returns a Hub that asks for the steps of sessions again every poll, for messages that were lost. It runs a
// goroutine until Close.
func New(source Source, poll time.Duration) *Hub {
	ctx, cancel := context.WithCancel(context.Background())
	h := &Hub{source: source, poll: poll, poke: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{}), ids: map[string]*watched{}}
	go h.run(ctx)
	return h
}

// Close ends the goroutine. Those who wait go on until their contexts end.
func (h *Hub) Close() {
	h.cancel()
	<-h.done
}

// Wait implements nethttp.Table.
func (h *Hub) Wait(ctx context.Context, id string, step uint64) error {
	w := &waiter{step: step, over: make(chan struct{})}
	h.mu.Lock()
	s := h.ids[id]
	if s == nil {
		s = &watched{waiters: map[*waiter]struct{}{}}
		h.ids[id] = s
	}
	if s.known && s.news(step) {
		h.mu.Unlock()
		return ctx.Err()
	}
	s.waiters[w] = struct{}{}
	s.check = s.check || s.confirmed && !s.known
	if !s.subscribed || s.check {
		h.wake()
	}
	h.mu.Unlock()
	select {
	case <-w.over:
		return nil
	case <-ctx.Done():
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	s.leave(w)
	return ctx.Err()
}

// news reports whether somebody who has seen a step is to look again. Messages may come late, so that a smaller one
// is none.
func (s *watched) news(step uint64) bool { return s.step > step || s.step == 0 }

func (s *watched) leave(w *waiter) {
	if delete(s.waiters, w); len(s.waiters) == 0 {
		s.left = time.Now()
	}
}

// take takes in a step that is stored, and wakes those who have not seen it. One that was read is what there is,
// and a smaller one too is news: the store has lost the others.
func (s *watched) take(step uint64, read bool) {
	switch {
	case read && s.told && step < s.step: // it was read before the message
		s.check = true
		return
	case read, step == 0, step > s.step:
		s.step = step
	}
	s.known = s.confirmed
	for w := range s.waiters {
		if read && step != w.step || s.news(w.step) {
			close(w.over)
			s.leave(w)
		}
	}
}

// News says that a step of a session was stored, 0 that it was removed.
func (h *Hub) News(id string, step uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.ids[id]; s != nil {
		s.told = true
		s.take(step, false)
	}
}

// Confirmed says that the store tells of sessions from now on; without ids, of all that are subscribed. What was
// stored before may be missing.
func (h *Hub) Confirmed(ids ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(ids) == 0 {
		ids = slices.Collect(maps.Keys(h.ids))
	}
	for _, id := range ids {
		if s := h.ids[id]; s != nil && s.subscribed {
			s.confirmed, s.known, s.check = true, false, len(s.waiters) > 0
		}
	}
	h.wake()
}

func (h *Hub) wake() {
	select {
	case h.poke <- struct{}{}:
	default:
	}
}

func (h *Hub) run(ctx context.Context) {
	defer close(h.done)
	tick, again := time.Tick(h.poll), time.NewTimer(h.poll)
	for {
		select {
		case <-h.poke:
		case <-again.C:
		case <-tick:
			h.mu.Lock()
			for _, s := range h.ids {
				s.check = s.check || len(s.waiters) > 0
			}
			h.mu.Unlock()
		case <-ctx.Done():
			return
		}
		if !h.turn(ctx) {
			again.Reset(retry)
		}
	}
}

// turn does what is to be done, and reports whether all of it was.
func (h *Hub) turn(ctx context.Context) bool {
	ok := true
	add := h.pick(func(s *watched) bool {
		add := !s.subscribed && len(s.waiters) > 0
		s.subscribed = s.subscribed || add
		return add
	})
	each(add, func(ids []string) {
		if h.do(ctx, h.source.Subscribe, ids) != nil {
			ok = false
			h.each(ids, func(s *watched) { s.subscribed = false })
		}
	})
	now := time.Now()
	each(h.pick(func(s *watched) bool {
		check := s.check
		if check {
			s.check, s.told = false, false
		}
		return check
	}), func(ids []string) {
		ok = h.read(ctx, ids) && ok
	})
	drop := h.pick(func(s *watched) bool { return len(s.waiters) == 0 && now.Sub(s.left) >= linger })
	h.mu.Lock()
	kept := drop[:0]
	for _, id := range drop {
		if s := h.ids[id]; len(s.waiters) == 0 { // nobody came meanwhile
			delete(h.ids, id)
			kept = append(kept, id)
		}
	}
	h.mu.Unlock()
	each(kept, func(ids []string) { _ = h.do(ctx, h.source.Unsubscribe, ids) }) // a message more wakes nobody
	return ok
}

func (h *Hub) do(ctx context.Context, f func(context.Context, []string) error, ids []string) error {
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	return f(ctx, ids)
}

// read asks for the steps of sessions.
func (h *Hub) read(ctx context.Context, ids []string) bool {
	var steps []uint64
	err := h.do(ctx, func(ctx context.Context, ids []string) (err error) {
		steps, err = h.source.Steps(ctx, ids)
		return err
	}, ids)
	n := min(len(steps), len(ids))
	i := 0
	h.each(ids[:n], func(s *watched) {
		s.take(steps[i], true)
		i++
	})
	h.each(ids[n:], func(s *watched) { s.check = true })
	return err == nil && n == len(ids)
}

func (h *Hub) pick(which func(*watched) bool) (ids []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, s := range h.ids {
		if which(s) {
			ids = append(ids, id)
		}
	}
	return ids
}

// each calls f for sessions, none of which is removed but by the caller's goroutine.
func (h *Hub) each(ids []string, f func(*watched)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		f(h.ids[id])
	}
}

// each calls f for a part of ids after the other.
func each(ids []string, f func([]string)) {
	for len(ids) > 0 {
		n := min(batch, len(ids))
		f(ids[:n])
		ids = ids[n:]
	}
}
