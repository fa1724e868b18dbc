package watch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/server/internal/watch"
)

// source is a store whose messages the test sends.
type source struct {
	mu         sync.Mutex
	hub        *watch.Hub
	steps      map[string]uint64
	subscribed []string
	log        []string
	fail       error
	mute       bool          // it confirms nothing
	slow       time.Duration // how long a read takes, after it was made
	read       int           // how many steps a read has that fails
}

func (s *source) Subscribe(_ context.Context, ids []string) error {
	s.mu.Lock()
	slices.Sort(ids)
	s.log = append(s.log, fmt.Sprint("subscribe ", ids))
	fail, mute := s.fail, s.mute
	if fail == nil {
		s.subscribed = append(s.subscribed, ids...)
	}
	s.mu.Unlock()
	if fail == nil && !mute {
		s.hub.Confirmed(ids...)
	}
	return fail
}

func (s *source) Unsubscribe(_ context.Context, ids []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, fmt.Sprint("unsubscribe ", ids))
	s.subscribed = slices.DeleteFunc(s.subscribed, func(id string) bool { return slices.Contains(ids, id) })
	return s.fail
}

func (s *source) Steps(_ context.Context, ids []string) (steps []uint64, _ error) {
	s.mu.Lock()
	s.log = append(s.log, fmt.Sprint("steps ", len(ids)))
	for _, id := range ids {
		steps = append(steps, s.steps[id])
	}
	fail, slow := s.fail, s.slow
	if fail != nil {
		steps = steps[:min(s.read, len(steps))]
	}
	s.mu.Unlock()
	time.Sleep(slow)
	return steps, fail
}

// put stores a step, and tells of it unless the message is lost.
func (s *source) put(id string, step uint64, told bool) {
	s.mu.Lock()
	s.steps[id] = step
	told = told && slices.Contains(s.subscribed, id)
	s.mu.Unlock()
	if told {
		s.hub.News(id, step)
	}
}

func (s *source) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func (s *source) took() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := s.log
	s.log = nil
	return log
}

const poll = 2 * time.Second

// base ends with what run has called.
var base context.Context

// run calls f with a Hub, in virtual time.
func run(t *testing.T, f func(s *source, h *watch.Hub)) {
	synctest.Test(t, func(t *testing.T) {
		s := &source{steps: map[string]uint64{}}
		s.hub = watch.New(s, poll)
		defer s.hub.Close()
		var end context.CancelFunc
		base, end = context.WithCancel(t.Context())
		defer end()
		f(s, s.hub)
	})
}

// wait returns how a Wait ends, once it has.
func wait(h *watch.Hub, id string, step uint64) (ended func() (time.Duration, bool), end context.CancelFunc) {
	ctx, cancel := context.WithCancel(base)
	began, done := time.Now(), make(chan time.Duration, 1)
	go func() {
		if err := h.Wait(ctx, id, step); err == nil {
			done <- time.Since(began)
		}
	}()
	return func() (time.Duration, bool) {
		synctest.Wait()
		select {
		case d := <-done:
			return d, true
		default:
			return 0, false
		}
	}, cancel
}

func expect(t *testing.T, what string, ended func() (time.Duration, bool), want time.Duration) {
	t.Helper()
	switch d, ok := ended(); {
	case ok != (want >= 0):
		t.Errorf("%s: ended %v after %v", what, ok, d)
	case ok && d != want:
		t.Errorf("%s: it took %v, want %v", what, d, want)
	}
}

// Who waits is woken by a message at once, by what was stored before it, and not by an older one.
func TestWake(t *testing.T) {
	run(t, func(s *source, h *watch.Hub) {
		s.put("A", 5, false)
		before, _ := wait(h, "A", 4)
		expect(t, "what was stored before", before, 0)
		none, _ := wait(h, "B", 1)
		expect(t, "none", none, 0)
		on, _ := wait(h, "A", 5)
		expect(t, "nothing new", on, -1)
		time.Sleep(time.Second)
		h.News("A", 4)
		expect(t, "a message that was late", on, -1)
		s.put("A", 6, true)
		expect(t, "a message", on, time.Second)
		seen, _ := wait(h, "A", 5)
		expect(t, "one that is known", seen, 0)
		own, _ := wait(h, "A", 7)
		expect(t, "its own Put, of which nobody was told yet", own, -1)
		s.put("A", 7, true)
		expect(t, "its own Put", own, -1)
		s.put("A", 0, true)
		expect(t, "the end", own, 0)
		gone, _ := wait(h, "A", 7)
		expect(t, "after the end", gone, 0)
	})
}

// A message that was lost costs time alone, and one read answers for many sessions. A store that went back is news too.
func TestPoll(t *testing.T) {
	run(t, func(s *source, h *watch.Hub) {
		var all []func() (time.Duration, bool)
		for i := range 1200 {
			s.put(fmt.Sprint(i), 3, false)
			w, _ := wait(h, fmt.Sprint(i), 3)
			all = append(all, w)
		}
		synctest.Wait()
		s.took()
		s.put("7", 4, false)
		s.put("8", 2, false)
		time.Sleep(poll)
		expect(t, "a lost message", all[7], poll)
		expect(t, "a store that went back", all[8], poll)
		expect(t, "another session", all[9], -1)
		if log := s.took(); !slices.Equal(log, []string{"steps 500", "steps 500", "steps 200"}) {
			t.Errorf("1200 sessions cost %q", log)
		}
	})
}

// A subscription that is lost and made again has everything asked for again; one that fails is made again.
func TestAgain(t *testing.T) {
	run(t, func(s *source, h *watch.Hub) {
		s.set(func() { s.fail = errors.New("away") })
		s.put("A", 1, false)
		w, _ := wait(h, "A", 1)
		expect(t, "nothing", w, -1)
		time.Sleep(600 * time.Millisecond)
		s.set(func() { s.fail = nil })
		time.Sleep(500 * time.Millisecond)
		s.put("A", 2, true)
		expect(t, "after a store that was away", w, 1100*time.Millisecond)
		w, _ = wait(h, "A", 2)
		expect(t, "nothing new", w, -1)
		s.put("A", 3, false)
		h.Confirmed()
		expect(t, "a connection that was lost", w, 0)
		w, _ = wait(h, "A", 3)
		s.set(func() { s.fail = errors.New("away") })
		h.Confirmed("A", "nobody's")
		expect(t, "a store that is away", w, -1)
		s.set(func() { s.fail = nil; s.steps["A"] = 4 })
		time.Sleep(time.Second)
		expect(t, "the store is back", w, 500*time.Millisecond)
	})
}

// What a read has brought before it failed counts: a store that answers for some sessions in the time that a read has
// answers for all in a few.
func TestPartOfARead(t *testing.T) {
	run(t, func(s *source, h *watch.Hub) {
		var all []func() (time.Duration, bool)
		for i := range 100 {
			s.put(fmt.Sprint(i), 1, false)
			w, _ := wait(h, fmt.Sprint(i), 1)
			all = append(all, w)
		}
		synctest.Wait()
		for i := range 100 {
			s.put(fmt.Sprint(i), 2, false)
		}
		s.set(func() { s.fail, s.read = errors.New("slow"), 30 })
		time.Sleep(poll + 1500*time.Millisecond) // three more reads
		for i, w := range all {
			if _, ok := w(); !ok {
				t.Errorf("session %d is not told", i)
			}
		}
	})
}

// A store that confirms nothing is asked now and then.
func TestMute(t *testing.T) {
	run(t, func(s *source, h *watch.Hub) {
		s.set(func() { s.mute = true })
		s.put("A", 1, false)
		w, _ := wait(h, "A", 1)
		expect(t, "nothing", w, -1)
		s.put("A", 2, false)
		time.Sleep(poll)
		expect(t, "asked", w, poll)
	})
}

// A message that comes while older steps are read counts.
func TestLateRead(t *testing.T) {
	run(t, func(s *source, h *watch.Hub) {
		s.put("A", 1, false)
		w, end := wait(h, "A", 1)
		expect(t, "nothing", w, -1)
		s.set(func() { s.slow = time.Second })
		other, _ := wait(h, "A", 1)
		time.Sleep(poll + poll/4) // the read has been made
		s.put("A", 2, true)
		expect(t, "a message", w, poll+poll/4)
		expect(t, "a message", other, poll+poll/4)
		time.Sleep(time.Second) // it has come back
		again, _ := wait(h, "A", 1)
		expect(t, "who has not seen it", again, 0)
		end()
	})
}

// A context ends a Wait, and a session for which nobody waits any more is unsubscribed after a while, not between two
// Waits.
func TestLinger(t *testing.T) {
	run(t, func(s *source, h *watch.Hub) {
		s.put("A", 1, false)
		for range 20 {
			w, end := wait(h, "A", 1)
			time.Sleep(time.Second)
			end()
			expect(t, "ended", w, -1)
		}
		for _, line := range s.took()[1:] {
			if line != "steps 1" {
				t.Error(line)
			}
		}
		time.Sleep(15 * time.Second)
		if log := s.took(); len(log) == 0 || log[len(log)-1] != "unsubscribe [A]" {
			t.Errorf("%q", log)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := h.Wait(ctx, "A", 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		s.put("A", 2, true)
		if err := h.Wait(ctx, "A", 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Error("the context has ended:", err)
		}
		if err := h.Wait(context.Background(), "A", 1); err != nil {
			t.Error(err)
		}
	})
}
