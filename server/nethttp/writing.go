package nethttp

import (
	"cmp"
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
	list  map[*write]struct{}
}

// write is one of them.
type write struct {
	rc    *http.ResponseController
	of    party
	bytes int       // 0 once it is ended
	moved time.Time // when the client last took something
}

// begin counts a write. If there is too much, those end that have moved for longest without, of the
// owner of most: their connections are closed. One alone may be longer.
func (w *writing) begin(rc *http.ResponseController, of party, bytes, most int) *write {
	one := &write{rc, of, bytes, time.Now()}
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.bytes > 0 && w.bytes+bytes > most {
		w.cut(one)
	}
	if w.list == nil {
		w.list = map[*write]struct{}{}
	}
	w.list[one] = struct{}{}
	w.bytes += bytes
	return one
}

// cut ends one write: of the owner of most, with the bytes of the one that is about to begin.
func (w *writing) cut(next *write) {
	sum := map[party]int{next.of: next.bytes}
	for one := range w.list {
		sum[one.of] += one.bytes
	}
	var first *write
	for one := range w.list {
		if first == nil || cmp.Or(cmp.Compare(sum[first.of], sum[one.of]), one.moved.Compare(first.moved)) < 0 {
			first = one
		}
	}
	w.remove(first)
	_ = first.rc.SetWriteDeadline(time.Now()) // its exchange is not over as long as it is in here
}

// moves notes that the client took something; false if the write was ended.
func (w *writing) moves(one *write) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	one.moved = time.Now()
	return one.bytes > 0
}

// end takes a write out, unless it was ended.
func (w *writing) end(one *write) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if one.bytes > 0 {
		w.remove(one)
	}
}

func (w *writing) remove(one *write) {
	delete(w.list, one)
	w.bytes -= one.bytes
	one.bytes = 0
}

var errSlow = errors.New("nethttp: too much was being written")
