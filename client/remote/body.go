package remote

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/sse"
)

// watch closes the body of a response when the server is silent.
type watch struct {
	of    io.Closer
	timer *time.Timer
	armed bool
	late  bool        // the timer may have fired, or be about to
	cut   atomic.Bool // the timer has closed the body
}

// within closes the body after d.
func (w *watch) within(d time.Duration) {
	w.stop()
	if w.armed = true; w.timer != nil {
		w.timer.Reset(d)
		return
	}
	w.timer = time.AfterFunc(d, func() {
		w.cut.Store(true)
		_ = w.of.Close()
	})
}

// stop stops the timer.
func (w *watch) stop() {
	w.late = w.late || w.armed && !w.timer.Stop()
	w.armed = false
}

// why returns the reason of err from reading the body.
func (w *watch) why(err error) error {
	if w.cut.Load() {
		return errIdle
	}
	return err
}

// part is how many bytes of a body that is not a stream must arrive within
// Options.HeaderTimeout.
const part = 32 << 10

// reader reads bodies that are not streams, one after another.
type reader struct {
	watch
	text []byte
}

// free returns a reader to the pool, unless its buffer is large or its timer may close the next body. Each
// Transport has its own pool, because timers belong to the synctest bubble of their test.
func (r *reader) free(readers *sync.Pool) {
	r.stop()
	if r.late || cap(r.text) > 2*part {
		return
	}
	r.of = nil
	readers.Put(r)
}

// json reads a response that is one message, or an error.
func (k *talk) json(resp *http.Response) error {
	r, _ := k.s.t.readers.Get().(*reader)
	if r == nil {
		r = new(reader)
	}
	defer r.free(&k.s.t.readers)
	r.of = resp.Body
	body, limit := decoded(resp), k.x.MaxBody()
	// Some servers send the header, and perhaps white space, long before the response, so that proxies keep
	// the connection: the timeout of the State applies until then. A body that arrives at once needs no timer.
	begun, until := !k.p.request(), 0
	text := r.text[:0]
	for ended := false; !ended && len(text) < limit; {
		if begun && len(text) >= until {
			until = len(text) + part
			r.within(k.s.t.opt.HeaderTimeout)
		}
		if len(text) == cap(text) {
			text = slices.Grow(text, max(len(text), minRead))
		}
		n, err := body.Read(text[len(text):min(cap(text), limit)])
		for i := len(text); i < len(text)+n && !begun; i++ {
			begun = !white(text[:cap(text)][i])
		}
		text = text[:len(text)+n]
		if ended = errors.Is(err, io.EOF); err != nil && !ended {
			return r.why(err)
		}
	}
	r.stop()
	r.text = text
	var m jsonrpc.Message
	var ok bool
	if k.x, m, ok = k.x.Body(time.Now(), text); ok { // Body copies what it keeps
		k.deliver(m)
	}
	return nil
}

// minRead is the smallest buffer for a body, in bytes.
const minRead = 512

// white reports whether a byte is white space between the parts of a JSON text.
func white(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// stream reads a response that is a stream, until it ends or the exchange is done.
func (k *talk) stream(resp *http.Response) error {
	w := watch{of: resp.Body}
	defer w.stop()
	body := decoded(resp)
	d := sse.NewDecoder(k.s.t.opt.Exchange.MaxBytes)
	buf := make([]byte, 8<<10)
	for done := false; ; {
		switch idle := k.s.t.opt.Idle; {
		case done:
		case k.x.Phase() == exchange.Done:
			done = true
			w.within(linger)
		case idle > 0 && k.x.Closed(time.Now()).Phase() == exchange.Waiting:
			w.within(idle) // another connection can resume
		default:
			w.stop()
		}
		n, err := body.Read(buf)
		if !done {
			w.stop()
		}
		d.Push(buf[:n])
		for e, ok := d.Next(); ok; e, ok = d.Next() {
			var m jsonrpc.Message
			var has bool
			if k.x, m, has = k.x.Event(time.Now(), e); has {
				k.deliver(m)
			}
		}
		switch {
		case k.x.Phase() == exchange.Lost, err != nil && done:
			return nil
		case err != nil:
			return w.why(err)
		}
	}
}

// deliver passes a message to Receive.
func (k *talk) deliver(m jsonrpc.Message) {
	if k.p != nil && k.p.single {
		m = k.s.t.learn(k.p.o.Message, m)
	}
	k.s.t.deliver(k.ctx, arrival{of: k.s, a: links.Arrival{Message: m}})
	if m.Kind == jsonrpc.KindResult || m.Kind == jsonrpc.KindError {
		k.s.answered(m.ID, k.p)
	}
}
