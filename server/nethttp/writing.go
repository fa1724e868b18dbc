package nethttp

import (
	"errors"
	"net/http"
	"sync"
	"time"
)

// writing are the long writes under way, which Options.WritingBytes bounds: what is written stays in
// memory until the client has it.
type writing struct {
	mu    sync.Mutex
	bytes int
	of    map[party]*writes
}

// writes are those of one owner.
type writes struct {
	bytes int
	list  map[*write]struct{}
}

// write is one long write.
type write struct {
	rc    *http.ResponseController
	of    party
	bytes int       // 0 once it is ended
	moved time.Time // when the client last read something
}

// begin counts a write. If there is too much, it ends writes of the owner with most, first the one
// without progress for longest: their connections are closed. One write alone may be longer.
func (w *writing) begin(rc *http.ResponseController, of party, bytes, most int) *write {
	one := &write{rc, of, bytes, time.Now()}
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.bytes > 0 && w.bytes+bytes > most {
		w.cut(one)
	}
	if w.of == nil {
		w.of = map[party]*writes{}
	}
	own := w.of[one.of]
	if own == nil {
		own = &writes{list: map[*write]struct{}{}}
		w.of[one.of] = own
	}
	own.list[one] = struct{}{}
	own.bytes += bytes
	w.bytes += bytes
	return one
}

// cut ends one write of the owner with most, counting the bytes of the one that is about to begin.
func (w *writing) cut(next *write) {
	var (
		from  *writes
		worst = -1
	)
	for p, own := range w.of {
		n := own.bytes
		if p == next.of {
			n += next.bytes
		}
		if n > worst {
			from, worst = own, n
		}
	}
	var slowest *write
	for one := range from.list {
		if slowest == nil || one.moved.Before(slowest.moved) {
			slowest = one
		}
	}
	w.remove(slowest)
	_ = slowest.rc.SetWriteDeadline(time.Now()) // its exchange is not over as long as it is in here
}

// moves notes that the client read something; false if the write was ended.
func (w *writing) moves(one *write) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	one.moved = time.Now()
	return one.bytes > 0
}

// end removes a write, unless it was ended.
func (w *writing) end(one *write) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if one.bytes > 0 {
		w.remove(one)
	}
}

func (w *writing) remove(one *write) {
	own := w.of[one.of]
	own.bytes -= one.bytes
	w.bytes -= one.bytes
	one.bytes = 0
	if delete(own.list, one); len(own.list) == 0 {
		delete(w.of, one.of)
	}
}

var errSlow = errors.New("nethttp: too much was being written")
