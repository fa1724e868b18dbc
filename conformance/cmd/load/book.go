package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// kind is the kind of a call.
type kind uint8

const (
	quick   kind = iota // answered at once
	noted               // with progress and log messages on the way
	asking              // asks the client something on the way
	slow                // takes long enough to outlive a connection
	bulk                // has a large answer
	stopped             // cancelled by the client; its function waits for that
	polled              // the server closes the connection during the call, and the client reconnects
	told                // a message is sent outside of the call, on a GET stream
	ended               // the server forgets the session
	kinds
)

var kindNames = [kinds]string{"quick", "noted", "asking", "slow", "bulk", "stopped", "polled", "told", "ended"}

func (k kind) String() string { return kindNames[k] }

// number is the number of a call, unique over all sessions: arguments, notes, questions and
// results contain it, so that misdirected ones are noticed.
type number int

// perSession is the range of numbers of a session.
const perSession = 1_000_000

func newNumber(session, call int) number { return number(session*perSession + call) }

func (n number) session() int { return int(n) / perSession }

// entry is the record of one call.
type entry struct {
	kind              kind
	began             time.Time
	starts, ends      int // of its function
	results, failures int // at the client
	notes             [maxNotes]int
	asked             int // how often the client got the question
	progress          float64
	cancelled         bool // the context of its function had ended
}

// maxNotes is the most notes that a call may send.
const maxNotes = 8

// notes is how many notes a call of the kind sends.
func (k kind) notes() int {
	switch k {
	case noted:
		return maxNotes
	case slow, polled:
		return 2
	case told:
		return 1
	}
	return 0
}

// book is the oracle: it records what both ends see of every call, and knows the
// faults.
type book struct {
	sure bool // only cancelled calls may fail

	mu       sync.Mutex
	calls    map[number]*entry
	gone     map[int]time.Time // until when calls may be lost with a forgotten session
	failures map[string]int    // by the client's error
	faults   map[string]int
	details  []string
}

func newBook(sure bool) *book {
	return &book{sure: sure, calls: map[number]*entry{}, gone: map[int]time.Time{}, failures: map[string]int{}, faults: map[string]int{}}
}

// maxDetails is the number of faults that are described.
const maxDetails = 20

// fault records a fault. mu is held.
func (b *book) fault(what, format string, args ...any) {
	b.faults[what]++
	if len(b.details) < maxDetails {
		b.details = append(b.details, what+": "+fmt.Sprintf(format, args...))
	}
}

// report is fault for callers that do not hold mu.
func (b *book) report(what, format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fault(what, format, args...)
}

// with runs f on the entry of a call, which must be known.
func (b *book) with(n number, where string, f func(*entry)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.calls[n]; e != nil {
		f(e)
	} else {
		b.fault("unknown call", "%d, %s", n, where)
	}
}

// begin records a call that the client makes.
func (b *book) begin(n number, k kind) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls[n] = &entry{kind: k, began: time.Now()}
}

// start records that the function of a call has begun.
func (b *book) start(n number, k kind) {
	b.with(n, "a function began", func(e *entry) {
		if e.starts++; e.starts > 1 {
			b.fault("started twice", "call %d, %v", n, e.kind)
		}
		if e.kind != k {
			b.fault("of another kind", "call %d, %v, came as %v", n, e.kind, k)
		}
	})
}

// end records that its function has returned; heard says that its context had ended.
func (b *book) end(n number, heard bool) {
	b.with(n, "a function ended", func(e *entry) {
		e.ends++
		e.cancelled = heard
	})
}

// note records a note, a log message within the call, at the client.
func (b *book) note(n number, i int) {
	b.with(n, "a note", func(e *entry) {
		switch {
		case i < 0 || i >= e.kind.notes():
			b.fault("unknown note", "%d of call %d, %v", i, n, e.kind)
		default:
			if e.notes[i]++; e.notes[i] > 1 {
				b.fault("note repeated", "%d of call %d, %v", i, n, e.kind)
			}
		}
	})
}

// step records progress of call n that arrived as the progress of call of.
func (b *book) step(n, of number, value float64) {
	b.with(n, "progress", func(e *entry) {
		if of != n {
			b.fault("progress of another call", "call %d got that of %d", n, of)
		}
		if value <= e.progress {
			b.fault("progress repeated", "call %d, %v after %v", n, value, e.progress)
		}
		e.progress = value
		if e.results+e.failures > 0 {
			b.fault("progress after the end", "call %d", n)
		}
	})
}

// ask records a question at the client.
func (b *book) ask(n number) {
	b.with(n, "a question", func(e *entry) {
		if e.asked++; e.asked > 1 || e.kind != asking {
			b.fault("asked twice", "call %d, %v", n, e.kind)
		}
	})
}

// result records the result of a call.
func (b *book) result(n number, text string) {
	b.with(n, "a result", func(e *entry) {
		if e.results++; e.results+e.failures > 1 {
			b.fault("ended twice", "call %d, %v", n, e.kind)
		}
		if want := answer(e.kind, n); text != want {
			b.fault("result of another call", "call %d, %v, has %.60q, want %.60q", n, e.kind, text, want)
		}
	})
}

// answerLost is the error of calls whose session the server forgets while they run.
const answerLost = "error -32603: the answer to the call was lost: the call may have had effects"

// failed records that a call failed. lost says that its answer, or the call itself, can
// have been lost on the way; stop that the client cancelled it.
func (b *book) failed(n number, why string, err error, lost, stop bool) {
	b.with(n, "a failure", func(e *entry) {
		gone := (lost || why == answerLost) && b.gone[n.session()].After(e.began)
		if e.failures++; e.results+e.failures > 1 {
			b.fault("ended twice", "call %d, %v", n, e.kind)
		}
		b.failures[why]++
		if (!lost || b.sure) && !gone && (!stop || e.kind != stopped) {
			b.fault("failed", "call %d, %v: %s, %v", n, e.kind, why, err)
		}
	})
}

// describe describes the record of a call.
func (b *book) describe(n number) (text string) {
	b.with(n, "a call that hangs", func(e *entry) {
		text = fmt.Sprintf("call %d, %v: %d starts, %d ends, progress %v, notes %v, asked %d", n, e.kind, e.starts, e.ends, e.progress, e.notes, e.asked)
	})
	return text
}

// forget records that the server will now forget a session. Until its client learns
// of it, calls are lost with it.
func (b *book) forget(session int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone[session] = time.Now().Add(24 * time.Hour)
}

// renew records that the client has begun another session.
func (b *book) renew(session int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.gone[session].IsZero() {
		b.gone[session] = time.Now()
	}
}

// outstanding reports whether a message to a session outside of its calls that must not be lost
// has not arrived.
func (b *book) outstanding(session, calls int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range calls {
		e := b.calls[newNumber(session, i+1)]
		if b.sure && e != nil && e.kind == told && e.results > 0 && e.notes[0] == 0 && b.gone[session].Before(e.began) {
			return true
		}
	}
	return false
}

// close checks what is left at the end.
func (b *book) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range slices.Sorted(maps.Keys(b.calls)) {
		e := b.calls[n]
		if e.results+e.failures != 1 {
			b.fault("no end at the client", "call %d, %v: %d results, %d failures", n, e.kind, e.results, e.failures)
		}
		if e.starts != e.ends {
			b.fault("no end at the server", "call %d, %v: %d starts, %d ends", n, e.kind, e.starts, e.ends)
		}
		if e.starts == 0 && (e.results > 0 || b.sure && e.kind != stopped && b.gone[n.session()].Before(e.began)) {
			b.fault("never started", "call %d, %v: %d results, %d failures", n, e.kind, e.results, e.failures)
		}
		if e.results == 0 {
			continue
		}
		for i := range e.kind.notes() {
			if e.notes[i] == 0 && (e.kind != told || b.sure && b.gone[n.session()].Before(e.began)) {
				b.fault("note lost", "%d of call %d, %v", i, n, e.kind)
			}
		}
		if e.kind == asking && e.asked == 0 {
			b.fault("never asked", "call %d has a result", n)
		}
		if e.cancelled {
			b.fault("given up", "the function of call %d, %v, heard that its call had ended", n, e.kind)
		}
	}
}

// answer is the text of the result of a call.
func answer(k kind, n number) string {
	text := fmt.Sprint(int(n))
	if k == bulk {
		text = strings.Repeat(text+" ", bulkBytes/(len(text)+1))
	}
	return text
}

// bulkBytes is the approximate size of the answer of a bulk call.
const bulkBytes = 64 << 10

// tally counts calls, results and failures.
func (b *book) tally() (calls, results, failures int, byKind [kinds]int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.calls {
		calls, results, failures = calls+1, results+e.results, failures+e.failures
		byKind[e.kind]++
	}
	return calls, results, failures, byKind
}

// err describes the faults; nil for none.
func (b *book) err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.faults) == 0 {
		return nil
	}
	var s strings.Builder
	for i, what := range slices.Sorted(maps.Keys(b.faults)) {
		if i > 0 {
			s.WriteString(", ")
		}
		fmt.Fprintf(&s, "%s: %d", what, b.faults[what])
	}
	return fmt.Errorf("%s\n\t%s", s.String(), strings.Join(b.details, "\n\t"))
}
