package nethttp

import (
	"context"
	"time"
)

// Shutdown ends the Handler when its work is done, as http.Server.Shutdown does; call it before
// that, which waits for streams. From now on new sessions and requests get 503; answers for running
// functions are still accepted, and functions may finish until ctx ends. Then it is Close. The
// error is that of ctx if functions were left.
//
// Sessions stay in a shared Store: clients continue at another process, including those whose home is this one, as
// soon as they have no open call.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.draining.Store(true)
	defer h.Close()
	tick := time.Tick(drainCheck)
	for next := time.Now(); ; {
		if began := time.Now(); !began.Before(next) { // it reads each session that is at home here
			h.handOver(ctx)
			next = time.Now().Add(4 * time.Since(began))
		}
		if s := h.work.Status(); s.Running == 0 && s.Waiting == 0 && !h.sidesBusy(ctx) {
			h.handOver(ctx) // that of a call that has ended since
			return nil
		}
		select {
		case <-tick:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-h.ctx.Done():
			return nil
		}
	}
}

// drainCheck is how often Shutdown looks whether functions still run.
const drainCheck = 5 * time.Millisecond

// Close ends the Handler at once: calls that run are answered -32603, the contexts of their functions
// end, its streams are closed and requests are answered 503. It waits for the Handler's own
// goroutines, and at most a second for the Store, but not for functions that ignore their context. It
// may be called more than once.
func (h *Handler) Close() {
	h.draining.Store(true)
	if h.ctx.Err() == nil {
		h.stop()
	}
	h.cancel()
	h.each(func(st *stripe) {
		for _, l := range st.live {
			l.calls.Close(errShutdown)
			l.signal()
			l.tidy(st)
		}
	})
	h.wg.Wait()
	h.work.Close()
}

// heed is how long functions may take to answer when they are told to end.
const heed = 100 * time.Millisecond

// stop tells functions to end, and answers the calls that they, or Companions, do not answer then.
func (h *Handler) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	h.work.Stop(errShutdown, nil)
	for end := time.Now().Add(heed); h.work.Status().Running > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	h.each(func(st *stripe) {
		for len(st.early) > 0 {
			st.early[0].enter(st)
		}
	})
	list := h.openCalls()
	h.each(func(st *stripe) {
		for id := range st.sides {
			if r, err := h.opt.Store.Get(ctx, id); err == nil && st.sides[id].busy(r.State) {
				for info := range r.State.Inbound() {
					list = append(list, openCall{id: id, call: info.Call})
				}
			}
		}
	})
	for _, c := range list {
		if ctx.Err() != nil {
			return
		}
		h.fail(ctx, c, stopped)
	}
	if h.modern {
		h.endListens(ctx)
	}
}

// sidesBusy reports whether there are calls that Companions may answer.
func (h *Handler) sidesBusy(ctx context.Context) bool {
	if h.opt.Companion == nil {
		return false
	}
	for _, id := range h.due.ids() {
		if h.leaves(id) {
			continue
		}
		if r, err := h.opt.Store.Get(ctx, id); err == nil && !r.over && calls(r.State) > 0 {
			return true
		}
	}
	return false
}

// leaves reports whether a session has no Companion here, or one that leaves calls to functions.
func (h *Handler) leaves(id string) bool {
	st := h.lock(id)
	defer h.unlock(id, st)
	sd := st.sides[id]
	return sd == nil || sd.c == nil || sd.handlers() != nil
}
