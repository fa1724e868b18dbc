package exec

import (
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
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
	w := writer{Writer: rawjson.Writer{Dst: []byte{'{'}}, now: x.now}
	w.Number("exec", snapshotVersion)
	w.Number("call", x.lastCall)
	w.Number("batch", x.lastBatch)
	w.Number("ticket", x.ticket)
	w.Number("random", uint64(x.random))
	w.Number("begun", x.begun)
	w.Number("settled", x.settled)
	w.Number("late", x.late)
	w.list("lanes", func() {
		for leaf := range x.lanes.All() {
			b := leaf.V.bucket.at(x.at(x.now))
			if b.filling(x.at(x.now)) > 0 {
				w.open()
				w.Text("name", leaf.V.name)
				w.Number("credit", uint64(b.credit))
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
	return append(w.Dst, '}')
}

// writer adds times and what the package has to the members of a rawjson.Writer.
type writer struct {
	rawjson.Writer
	now int64
}

func (w *writer) open() {
	w.Separate()
	w.Dst = append(w.Dst, '{')
}

func (w *writer) close() { w.Dst = append(w.Dst, '}') }

func (w *writer) signed(name string, n int64) {
	if n != 0 {
		w.Name(name)
		w.Dst = strconv.AppendInt(w.Dst, n, 10)
	}
}

func (w *writer) float(name string, f float64) {
	if f != 0 {
		w.Name(name)
		w.Dst = strconv.AppendFloat(w.Dst, f, 'g', -1, 64)
	}
}

// maxPast is how far back an instant is written: 146 years.
const maxPast = 1 << 62

// instant writes how far away t is.
func (w *writer) instant(name string, t int64) {
	if t != table.Never {
		w.Name(name)
		w.Dst = strconv.AppendInt(w.Dst, max(t-w.now, -maxPast), 10)
	}
}

func (w *writer) list(name string, do func()) {
	w.Name(name)
	w.Dst = append(w.Dst, '[')
	do()
	w.Dst = append(w.Dst, ']')
}

func (w *writer) batch(leaf *table.Leaf[batch]) {
	b := &leaf.V
	w.open()
	w.Number("id", leaf.Key)
	w.Number("first", uint64(b.first))
	w.Number("size", uint64(b.size))
	w.Number("width", uint64(b.width))
	w.Flag("failFast", b.failFast)
	w.Number("mode", uint64(b.mode))
	w.signed("grace", int64(b.grace))
	w.Number("next", uint64(b.next))
	w.Flag("stopping", b.stopping)
	w.Text("reason", b.reason)
	w.instant("due", leaf.Deadline)
	w.list("results", func() {
		for leaf := range b.results.All() {
			o := &leaf.V.Outcome
			w.open()
			w.Number("index", leaf.Key)
			w.Text("tool", leaf.V.Tool)
			w.Number("attempts", uint64(o.Attempts))
			w.signed("elapsed", int64(o.Elapsed))
			if o.Result != nil {
				w.Name("result")
				w.Dst = o.Result.AppendJSON(w.Dst)
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
	w.Number("id", leaf.Key)
	w.Number("state", uint64(c.state))
	w.Number("attempt", uint64(c.attempt))
	w.Number("ticket", c.ticket)
	w.Text("tool", c.tool)
	w.Text("lane", c.name)
	w.Raw("args", string(c.args))
	w.Flag("local", c.hints.Local)
	w.Flag("readOnly", c.hints.ReadOnly)
	w.Flag("idempotent", c.hints.Idempotent)
	w.Number("batch", uint64(c.batch))
	w.Number("index", uint64(c.index))
	w.instant("turn", c.turn)
	w.instant("total", c.total)
	w.instant("due", leaf.Deadline)
	w.fault("last", c.last)
	w.fault("fault", c.fault)
	w.Name("policy")
	w.Dst = append(w.Dst, '{')
	w.signed("attempt", int64(c.policy.Attempt))
	w.signed("total", int64(c.policy.Total))
	w.signed("base", int64(c.policy.Retry.Base))
	w.signed("cap", int64(c.policy.Retry.Cap))
	w.float("factor", c.policy.Retry.Factor)
	w.Number("attempts", uint64(c.policy.Retry.Attempts))
	w.float("jitter", c.policy.Retry.Jitter)
	w.Number("kinds", uint64(c.policy.Kinds))
	w.Flag("unsafe", c.policy.Unsafe)
	w.close()
	w.close()
}

// fault writes an error: its payload, and what a payload has not.
func (w *writer) fault(name string, e *toolerror.Error) {
	if e == nil {
		return
	}
	w.Name(name)
	w.Dst = append(w.Dst, '{')
	w.Name("payload")
	w.Dst = e.AppendPayload(w.Dst, toolerror.Options{Text: true})
	w.Flag("remote", e.Remote)
	w.signed("after", int64(e.After))
	w.signed("code", e.Code)
	if rawjson.Valid(string(e.Data)) {
		w.Raw("data", string(e.Data))
	}
	w.close()
}

// MarshalJSON always fails with lifecycle.ErrMarshal: use Snapshot.
func (Executor) MarshalJSON() ([]byte, error) { return nil, lifecycle.ErrMarshal }
