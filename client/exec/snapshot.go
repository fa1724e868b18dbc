package exec

import (
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// snapshotVersion is the version of the format.
const snapshotVersion = 1

// Snapshot returns the executor as JSON, for Restore. Times are written as what is left of them.
// The Config is not in it, but the policies of live calls are. Of an error the Cause is left out,
// and its texts are cut as package toolerror cuts them in a payload. It holds the arguments of calls
// and the results of batches that are not done: treat it as confidential.
func (x Executor) Snapshot() []byte {
	w := writer{dst: []byte{'{'}, now: x.now}
	w.number("exec", snapshotVersion)
	w.number("call", x.lastCall)
	w.number("batch", x.lastBatch)
	w.number("ticket", x.ticket)
	w.number("random", uint64(x.random))
	w.number("begun", x.begun)
	w.number("settled", x.settled)
	w.number("late", x.late)
	w.list("lanes", func() {
		for leaf := range x.lanes.All() {
			b := leaf.V.bucket.at(x.at(x.now))
			if b.filling(x.at(x.now)) > 0 {
				w.open()
				w.text("name", leaf.V.name)
				w.number("credit", uint64(b.credit))
				w.close()
			}
		}
	})
	w.list("batches", func() {
		for leaf := range x.batches.All() {
			w.batch(leaf)
		}
	})
	w.list("calls", func() {
		for leaf := range x.calls.All() {
			w.call(leaf)
		}
	})
	return append(w.dst, '}')
}

// writer appends members of a JSON object in a fixed order and leaves out what has its zero
// value.
type writer struct {
	dst []byte
	now int64
}

func (w *writer) separate() {
	if last := w.dst[len(w.dst)-1]; last != '{' && last != '[' {
		w.dst = append(w.dst, ',')
	}
}

func (w *writer) open() {
	w.separate()
	w.dst = append(w.dst, '{')
}

func (w *writer) close() { w.dst = append(w.dst, '}') }

func (w *writer) name(name string) {
	w.separate()
	w.dst = append(rawjson.AppendQuote(w.dst, name), ':')
}

func (w *writer) number(name string, n uint64) {
	if n != 0 {
		w.name(name)
		w.dst = strconv.AppendUint(w.dst, n, 10)
	}
}

func (w *writer) signed(name string, n int64) {
	if n != 0 {
		w.name(name)
		w.dst = strconv.AppendInt(w.dst, n, 10)
	}
}

func (w *writer) float(name string, f float64) {
	if f != 0 {
		w.name(name)
		w.dst = strconv.AppendFloat(w.dst, f, 'g', -1, 64)
	}
}

func (w *writer) flag(name string, on bool) {
	if on {
		w.name(name)
		w.dst = append(w.dst, "true"...)
	}
}

func (w *writer) text(name, s string) {
	if s != "" {
		w.name(name)
		w.dst = rawjson.AppendQuote(w.dst, s)
	}
}

func (w *writer) raw(name, json string) {
	if json != "" {
		w.name(name)
		w.dst = append(w.dst, json...)
	}
}

// maxPast is how far back an instant is written: 146 years.
const maxPast = 1 << 62

// instant writes how far away t is.
func (w *writer) instant(name string, t int64) {
	if t != table.Never {
		w.name(name)
		w.dst = strconv.AppendInt(w.dst, max(t-w.now, -maxPast), 10)
	}
}

func (w *writer) list(name string, do func()) {
	w.name(name)
	w.dst = append(w.dst, '[')
	do()
	w.dst = append(w.dst, ']')
}

func (w *writer) batch(leaf *table.Leaf[batch]) {
	b := &leaf.V
	w.open()
	w.number("id", leaf.Key)
	w.number("first", uint64(b.first))
	w.number("size", uint64(b.size))
	w.number("width", uint64(b.width))
	w.flag("failFast", b.failFast)
	w.number("mode", uint64(b.mode))
	w.signed("grace", int64(b.grace))
	w.number("next", uint64(b.next))
	w.flag("stopping", b.stopping)
	w.text("reason", b.reason)
	w.instant("due", leaf.Deadline)
	w.list("results", func() {
		for leaf := range b.results.All() {
			o := &leaf.V.Outcome
			w.open()
			w.number("index", leaf.Key)
			w.text("tool", leaf.V.Tool)
			w.number("attempts", uint64(o.Attempts))
			w.signed("elapsed", int64(o.Elapsed))
			if o.Result != nil {
				w.name("result")
				w.dst = o.Result.AppendJSON(w.dst)
			}
			w.fault("error", o.Err)
			w.close()
		}
	})
	w.close()
}

func (w *writer) call(leaf *table.Leaf[call]) {
	c := &leaf.V
	w.open()
	w.number("id", leaf.Key)
	w.number("state", uint64(c.state))
	w.number("attempt", uint64(c.attempt))
	w.number("ticket", c.ticket)
	w.text("tool", c.tool)
	w.text("lane", c.name)
	w.raw("args", string(c.args))
	w.flag("local", c.hints.Local)
	w.flag("readOnly", c.hints.ReadOnly)
	w.flag("idempotent", c.hints.Idempotent)
	w.number("batch", uint64(c.batch))
	w.number("index", uint64(c.index))
	w.instant("turn", c.turn)
	w.instant("total", c.total)
	w.instant("due", leaf.Deadline)
	w.fault("last", c.last)
	w.fault("fault", c.fault)
	w.name("policy")
	w.dst = append(w.dst, '{')
	w.signed("attempt", int64(c.policy.Attempt))
	w.signed("total", int64(c.policy.Total))
	w.signed("base", int64(c.policy.Retry.Base))
	w.signed("cap", int64(c.policy.Retry.Cap))
	w.float("factor", c.policy.Retry.Factor)
	w.number("attempts", uint64(c.policy.Retry.Attempts))
	w.float("jitter", c.policy.Retry.Jitter)
	w.number("kinds", uint64(c.policy.Kinds))
	w.flag("unsafe", c.policy.Unsafe)
	w.close()
	w.close()
}

// fault writes an error: its payload, and what a payload has not.
func (w *writer) fault(name string, e *toolerror.Error) {
	if e == nil {
		return
	}
	w.name(name)
	w.dst = append(w.dst, '{')
	w.name("payload")
	w.dst = e.AppendPayload(w.dst, toolerror.Options{Text: true})
	w.flag("remote", e.Remote)
	w.signed("after", int64(e.After))
	w.signed("code", e.Code)
	if rawjson.Valid(string(e.Data)) {
		w.raw("data", string(e.Data))
	}
	w.close()
}
