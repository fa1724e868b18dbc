package remote

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/sse"
)

// watch closes the body of an answer when the server is silent.
type watch struct {
	of    io.Closer
	timer *time.Timer
	armed bool
	late  bool        // it may have run, or be about to
	cut   atomic.Bool // it has closed the body
}

// within gives the server until d from now.
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

// stop gives the server all time.
func (w *watch) stop() {
	w.late = w.late || w.armed && !w.timer.Stop()
	w.armed = false
}

// why returns why reading has failed with err.
func (w *watch) why(err error) error {
	if w.cut.Load() {
		return errIdle
	}
	return err
}

// part is how much of a body that is not a stream comes within Options.HeaderTimeout.
const part = 32 << 10

// reader reads bodies that are not streams, one after the other.
type reader struct {
	watch
	text bytes.Buffer
	part io.LimitedReader
}

// free gives a reader back, unless it keeps much, or its watch may close what is read next. Those of a Transport are its
// own, as their timers are of the bubble that it is tested in.
func (r *reader) free(readers *sync.Pool) {
	r.stop()
	if r.late || r.text.Cap() > 2*part {
		return
	}
	r.text.Reset()
	r.of, r.part = nil, io.LimitedReader{}
	readers.Put(r)
}

// json reads an answer that is one message, or an error.
func (k *talk) json(resp *http.Response) error {
	r, _ := k.s.t.readers.Get().(*reader)
	if r == nil {
		r = new(reader)
	}
	defer r.free(&k.s.t.readers)
	r.of, r.part.R = resp.Body, decoded(resp)
	// Some write the head of an answer, and perhaps white space, long before they have the answer, so that nobody on the way
	// gives the connection up: the State knows how long it waits.
	begun := !k.p.request()
	for left := k.x.MaxBody(); left > 0 && r.part.N == 0; {
		if r.part.N = 1; begun {
			r.part.N = int64(min(left, part))
			r.within(k.s.t.opt.HeaderTimeout)
		}
		n, err := r.text.ReadFrom(&r.part)
		if err != nil {
			return r.why(err)
		}
		left -= int(n)
		begun = begun || n > 0 && !white(r.text.Bytes()[r.text.Len()-1])
	}
	r.stop()
	var m jsonrpc.Message
	var ok bool
	if k.x, m, ok = k.x.Body(time.Now(), r.text.Bytes()); ok { // which copies what it takes
		k.deliver(m)
	}
	return nil
}

// white reports whether a byte is white space between the parts of a JSON text.
func white(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// stream reads an answer that is a stream, until it ends or the exchange is done with it.
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
			w.within(idle) // another connection can go on
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

// deliver hands a message on.
func (k *talk) deliver(m jsonrpc.Message) {
	if k.p != nil && k.p.single {
		m = k.s.t.learn(k.p.o.Message, m)
	}
	k.s.t.deliver(k.ctx, arrival{of: k.s, a: links.Arrival{Message: m}})
	if m.Kind == jsonrpc.KindResult || m.Kind == jsonrpc.KindError {
		k.s.answered(m.ID, k.p)
	}
}
