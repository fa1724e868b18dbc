package nethttp

import (
	"slices"
	"sync"
	"time"
)

// writing are the long writes under way, which Options.WritingBytes bounds: what is written stays in
// memory until the client has it.
type writing struct {
	mu    sync.Mutex
	bytes int
	of    map[party][]*write
}

// write is one of them.
type write struct {
	x     *exchange
	bytes int
	moved time.Time // when the client last took something
}

// begin counts a write. If there is too much, those end that have moved for longest without, of the
// owner of most: their connections are closed. One alone may be longer.
func (w *writing) begin(x *exchange, bytes, most int) *write {
	p := x.party()
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.bytes > 0 && w.bytes+bytes > most {
		w.cut(p, bytes)
	}
	if w.of == nil {
		w.of = map[party][]*write{}
	}
	one := &write{x, bytes, time.Now()}
	w.of[p] = append(w.of[p], one)
	w.bytes += bytes
	return one
}

// cut ends one write: of the owner of most, with the bytes that p is about to have.
func (w *writing) cut(p party, more int) {
	var (
		from  party
		worst = -1
	)
	for q, list := range w.of {
		n := 0
		for _, one := range list {
			n += one.bytes
		}
		if q == p {
			n += more
		}
		if n > worst {
			from, worst = q, n
		}
	}
	one := slices.MinFunc(w.of[from], func(a, b *write) int { return a.moved.Compare(b.moved) })
	w.remove(from, one)
	_ = one.x.rc.SetWriteDeadline(time.Now()) // its exchange is not over as long as it is in here
}

// moves notes that the client took something; false if the write was ended.
func (w *writing) moves(one *write) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	one.moved = time.Now()
	return one.bytes > 0
}

// end takes a write out.
func (w *writing) end(one *write) {
	p := one.x.party()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.remove(p, one)
}

func (w *writing) remove(p party, one *write) {
	w.bytes -= one.bytes
	one.bytes = 0
	list := slices.DeleteFunc(w.of[p], func(o *write) bool { return o == one })
	if w.of[p] = list; len(list) == 0 {
		delete(w.of, p)
	}
}

// writeAll writes to the connection, under the deadline that is set. What it holds in memory beside b
// counts as well.
func (x *exchange) writeAll(b []byte, beside int) error {
	if len(b)+beside <= WriteBytes {
		_, err := x.w.Write(b)
		return err
	}
	w := &x.h.writing
	one := w.begin(x, len(b)+beside, x.h.opt.WritingBytes)
	defer w.end(one)
	for len(b) > 0 {
		n := min(len(b), WriteBytes)
		if _, err := x.w.Write(b[:n]); err != nil {
			return err
		}
		if b = b[n:]; !w.moves(one) {
			return errSlow
		}
	}
	return nil
}
