package many

import (
	"errors"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
)

// op is a begun operation, which must end once, by its time.
type op struct {
	id       manager.Op
	server   string // "" for all
	number   int    // of the operations with this server
	method   string
	e        errand
	began    time.Time
	early    time.Time     // before then it does not time out
	bound    time.Time     // its latest end, unless the server asks people meanwhile
	wait     time.Duration // its timeout, which restarts after a question to people; 0: it does not
	latest   time.Time     // its latest end in any case
	progress float64       // the last one
	gaveUp   bool          // by the application
}

// of returns the operation with its subject.
func (o op) of(server, method string, e errand) op {
	o.server, o.method, o.e = server, method, e
	return o
}

// book is the list of open operations.
type book struct {
	r       *run
	open    map[manager.Op]*op
	byMark  map[mark]*op
	numbers map[string]int
	ended   map[manager.Op]bool
	people  people
	holding people // in sessions, where they delay all requests to the server; others delay only their own
}

func newBook(r *run) *book {
	return &book{r, map[manager.Op]*op{}, map[mark]*op{}, map[string]int{}, map[manager.Op]bool{}, people{}, people{}}
}

// due returns the time at which o expires, as far as is known now.
func (b *book) due(o *op, at time.Time) time.Time { return b.with(b.people, o, at) }

// with returns when an operation expires if these questions delay it.
func (b *book) with(p people, o *op, at time.Time) time.Time {
	if o.wait == 0 {
		return at
	}
	return p.due(o.server, b.r.clock.now, at, o.wait, o.latest)
}

// told records that the question under key has ended.
func (b *book) told(key asked) {
	b.people.told(key, b.r.clock.now)
	b.holding.told(key, b.r.clock.now)
}

// begin enters an operation.
func (b *book) begin(id manager.Op, o op) *op {
	if id.IsZero() || b.open[id] != nil || b.ended[id] {
		b.r.fail("%s of %s has the handle %v", o.method, o.server, id)
		return &o
	}
	b.numbers[o.server]++
	o.id, o.number, o.began = id, b.numbers[o.server], b.r.clock.now
	b.open[id] = &o
	if o.e.Mark != "" {
		b.byMark[o.e.Mark] = &o
	}
	b.r.count("begun " + o.method)
	b.r.note(o.server, "%d %s %s %s", o.number, o.method, o.e.Do, o.e.Mark)
	b.watch(&o)
	return &o
}

// watch checks an operation again at its latest end.
func (b *book) watch(o *op) {
	b.r.clock.at(o.bound.Add(time.Millisecond), func() {
		if b.open[o.id] != o {
			return
		}
		if due := b.due(o, o.bound); due.After(o.bound) {
			o.bound = due
			b.watch(o)
		} else {
			b.r.fail("%s %s of %s began at %v and has not ended at %v", o.method, o.e.Mark, o.server, o.began.Sub(Origin), o.bound.Sub(Origin))
		}
	})
}

// end handles the end of an operation, and judges it.
func (b *book) end(ev manager.Event) {
	o := b.open[ev.Op]
	if o == nil {
		b.r.fail("%v (%s of %v) ended, and is not open (ended before: %v)", ev.Op, ev.Method, ev.Link, b.ended[ev.Op])
		return
	}
	delete(b.open, ev.Op)
	delete(b.byMark, o.e.Mark)
	b.ended[ev.Op] = true
	outcome := "ok"
	var e *manager.Error
	switch {
	case ev.Err == nil:
	case !errors.As(ev.Err, &e):
		b.r.fail("%s of %s ended with %T: %v", o.method, o.server, ev.Err, ev.Err)
	default:
		outcome = e.Class.String()
	}
	b.r.count("ended " + o.method + ": " + outcome)
	b.r.note(o.server, "%d %s ended: %s", o.number, o.method, outcome)
	if o.method != ev.Method {
		b.r.fail("%s of %s ended as %s", o.method, o.server, ev.Method)
	}
	if o.server != "" && ev.Link.Server != o.server {
		b.r.fail("%s of %s ended for %v", o.method, o.server, ev.Link)
	}
	if o.e.Mark != "" {
		b.judge(o, ev, e)
	}
}

// judge checks the outcome of a request with a mark.
func (b *book) judge(o *op, ev manager.Event, e *manager.Error) {
	session, ok := ev.Outcome()
	text := string(session.Body)
	if session.Err != nil {
		text += session.Err.Message
	}
	b.r.marked(o.e.Mark, "ended", text)
	answered := ok && session.Kind == lifecycle.ResponseReceived
	switch {
	case answered && session.Err != nil:
		if o.e.Do != "refuse" || session.Err.Code != -32050 || !strings.Contains(text, string(o.e.Mark)) {
			b.r.fail("%s, which is to %s, was refused: %v", o.e.Mark, o.e.Do, session.Err)
		}
		if e == nil || e.Class != manager.ClassProtocol || e.Code != session.Err.Code || e.Data != session.Err.Data {
			b.r.fail("%s was refused with %v, and ended with %v", o.e.Mark, session.Err, ev.Err)
		}
	case answered:
		if e != nil || !strings.Contains(text, string(o.e.Mark)) {
			b.r.fail("%s was answered %.200s, and ended with %v", o.e.Mark, text, ev.Err)
		}
		if want := map[string]string{"fail": "failed", "mute": "\x00", "die": "\x00", "refuse": "\x00", "wrong": "\x00"}[o.e.Do]; want != "" && !strings.Contains(text, want) {
			b.r.fail("%s, which is to %s, was answered %.200s", o.e.Mark, o.e.Do, text)
		}
	case e == nil:
		b.r.fail("%s has neither an answer nor an error", o.e.Mark)
	default:
		b.judgeFailure(o, e)
	}
}

// judgeFailure checks why a request has no answer: there must be a reason.
func (b *book) judgeFailure(o *op, e *manager.Error) {
	t := b.r.kinds[o.server]
	switch e.Class {
	case manager.ClassCancelled:
		if !o.gaveUp {
			b.r.fail("%s is cancelled, and nobody gave it up", o.e.Mark)
		}
	case manager.ClassTimeout:
		if due := b.with(b.holding, o, o.early); b.r.clock.now.Before(due) {
			b.r.fail("%s timed out %v before its time", o.e.Mark, due.Sub(b.r.clock.now))
		}
	case manager.ClassLost:
	case manager.ClassTransport:
		if t.loss == 0 {
			b.r.fail("%s was not sent, and nothing was lost: %v", o.e.Mark, e)
		}
	case manager.ClassProtocol:
		if o.e.Do != "wrong" {
			b.r.fail("%s, which is to %s, ended with %v", o.e.Mark, o.e.Do, e)
		}
	default:
		b.r.fail("%s ended with %v", o.e.Mark, e)
	}
	if t.name == "good" && e.Class == manager.ClassTimeout && o.e.Do == "answer" && o.early.Sub(o.began) > o.e.Wait+20*time.Millisecond {
		b.r.fail("%s timed out, and its server does nothing wrong", o.e.Mark)
	}
}

// progressed handles progress of an operation.
func (b *book) progressed(ev manager.Event) {
	if o := b.open[ev.Op]; o != nil {
		b.r.progress("", o.server, o.number, o.e.Mark, &o.progress, ev.Session.Body)
	} else {
		b.r.progress("", "", 0, "", nil, ev.Session.Body)
	}
}
