package exec

import (
	"math"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Restore returns the Executor of a snapshot, with all times counted from now. It goes on as the
// original did: handles stay valid, and Attempts tells which attempts it waits for. cfg may
// differ from that of the original. If it allows less, what runs may end; if it allows more, the
// next Tick is due at once.
//
// Whatever data holds, the value is one that an Executor can come to, or the error wraps
// lifecycle.ErrSnapshot; it is that of New for a Config that New refuses. It takes time
// and memory in proportion to data, of at most lifecycle.MaxSnapshot bytes.
func Restore(cfg Config, data []byte, now time.Time) (Executor, error) {
	x, err := New(cfg, now)
	if err != nil {
		return Executor{}, err
	}
	r := restorer{work: work{Executor: x}, f: engine.ReadFields(data), live: map[BatchID]int{}, tickets: map[uint64]bool{}}
	f := r.f
	if f.Number("exec") != snapshotVersion {
		f.Fail("another version")
	}
	r.lastCall, r.lastBatch, r.ticket = f.Number("call"), f.Number("batch"), f.Number("ticket")
	if r.lastCall >= table.Never || r.lastBatch >= table.Never || r.ticket >= table.Never {
		f.Fail("impossible counters")
	}
	r.random = backoff.Random(f.Number("random"))
	r.begun, r.settled, r.late = f.Number("begun"), f.Number("settled"), f.Number("late")
	f.Items("lanes", len(data), r.bucket)
	f.Items("batches", len(data), r.batch)
	f.Items("calls", len(data), r.call)
	for leaf := range r.batches.All() {
		if b := &leaf.V; b.size != b.results.Len()+r.live[BatchID(leaf.Key)] {
			f.Fail("a batch with calls that are not there")
		}
	}
	if err := f.Err(); err != nil {
		return Executor{}, err
	}
	for leaf := range r.work.lanes.All() {
		l := leaf.V
		r.over = r.over || l.opt.Running > 0 && l.running > l.opt.Running
		r.keep(leaf.Key, l)
	}
	r.over = r.over || r.cfg.Running > 0 && r.running > r.cfg.Running
	r.restored = true
	if err := r.Check(); err != nil {
		f.Fail(err.Error())
		return Executor{}, f.Err()
	}
	return r.Executor, nil
}

// restorer reads a snapshot, which may be damaged or forged.
type restorer struct {
	work
	f       *engine.Fields  // all of it; it keeps the first fault
	live    map[BatchID]int // how many calls of each batch are live
	tickets map[uint64]bool
}

// object reads an object within the snapshot.
func (r *restorer) object(raw string) *engine.Fields {
	g := engine.ReadFields([]byte(raw))
	r.note(g)
	return g
}

// note makes a fault of a part one of the whole.
func (r *restorer) note(g *engine.Fields) {
	if g.Err() != nil {
		r.f.Fail("a part that cannot be read")
	}
}

// signed returns an integer.
func (r *restorer) signed(g *engine.Fields, name string) int64 {
	raw := g.Raw(name)
	if raw == "" {
		return 0
	}
	n, ok := rawjson.Int(raw)
	if !ok {
		r.f.Fail(name + " is no number")
	}
	return n
}

// count returns a number that is small enough to count something.
func (r *restorer) count(g *engine.Fields, name string) int {
	n := g.Number(name)
	if n > math.MaxInt32 {
		r.f.Fail(name + " is too large")
		return 0
	}
	return int(n)
}

// float returns a number.
func (r *restorer) float(g *engine.Fields, name string) float64 {
	raw := g.Raw(name)
	if raw == "" {
		return 0
	}
	v, ok := rawjson.Float(raw)
	if !ok {
		r.f.Fail(name + " is no number")
	}
	return v
}

// bucket reads what is left in the bucket of a lane.
func (r *restorer) bucket(raw string) {
	g := r.object(raw)
	s := newSpec(g.Text("name"))
	l := r.lane(s)
	l.bucket.credit = int64(min(g.Number("credit"), uint64(l.bucket.credit)))
	r.lanes = r.lanes.Put(s.lane, table.Never, l)
	r.note(g)
}

// batch reads a batch with its results.
func (r *restorer) batch(raw string) {
	g := r.object(raw)
	id := g.Number("id")
	s := &batchSpec{
		first: CallID(g.Number("first")), size: r.count(g, "size"), width: r.count(g, "width"),
		failFast: g.Flag("failFast"), mode: CancelMode(g.Number("mode")), grace: time.Duration(r.signed(g, "grace")),
	}
	b := batch{batchSpec: s, next: r.count(g, "next"), stopping: g.Flag("stopping"), reason: clip(g.Text("reason")), failed: -1}
	b.swept = b.stopping
	due := g.Instant("due")
	if id == 0 || id > r.lastBatch || r.batches.Get(id) != nil || s.width < 1 || g.Number("mode") > uint64(Immediate) || s.grace < -1 ||
		s.first == 0 || uint64(s.first) > r.lastCall || uint64(s.size) > r.lastCall-uint64(s.first)+1 {
		r.f.Fail("a batch twice, or impossible numbers")
		return
	}
	g.Items("results", len(raw), func(raw string) {
		if res, ok := r.result(raw, BatchID(id), s); ok {
			b.results = b.results.Put(uint64(res.Index), table.Never, res)
			if res.Outcome.Err != nil && (b.failed < 0 || res.Index < b.failed) {
				b.failed = res.Index
			}
		}
	})
	r.note(g)
	r.batches = r.batches.Put(id, due, b)
}

// result reads the result of a call that has settled in a batch that is not done.
func (r *restorer) result(raw string, id BatchID, s *batchSpec) (res Result, ok bool) {
	g := r.object(raw)
	index := r.count(g, "index")
	res = Result{Call: s.first + CallID(index), Tool: g.Text("tool"), Batch: id, Index: index}
	o := &res.Outcome
	o.Attempts, o.Elapsed = r.count(g, "attempts"), time.Duration(r.signed(g, "elapsed"))
	if raw := g.Raw("result"); raw != "" {
		v, err := protocol.Decode[protocol.CallToolResult](protocol.Raw(strings.Clone(raw)))
		if err != nil {
			r.f.Fail("a result that is none")
		}
		o.Result = &v
	}
	o.Err = r.fault(g, "error")
	r.note(g)
	if index >= s.size || o.Elapsed < 0 || o.Result == nil && o.Err == nil {
		r.f.Fail("a result of no call, or without an outcome")
		return res, false
	}
	return res, r.f.Err() == nil
}

// call reads a live call.
func (r *restorer) call(raw string) {
	g := r.object(raw)
	id := g.Number("id")
	s := newSpec(g.Text("lane"))
	s.tool, s.batch, s.index = g.Text("tool"), BatchID(g.Number("batch")), r.count(g, "index")
	s.hints = Hints{Local: g.Flag("local"), ReadOnly: g.Flag("readOnly"), Idempotent: g.Flag("idempotent")}
	s.policy, s.fault = r.policyOf(g), r.fault(g, "fault")
	c := call{
		spec: s, state: state(min(g.Number("state"), 255)), attempt: r.count(g, "attempt"), ticket: g.Number("ticket"),
		args: protocol.Raw(strings.Clone(g.Raw("args"))), turn: g.Instant("turn"), total: g.Instant("total"), last: r.fault(g, "last"),
	}
	due := g.Instant("due")
	r.note(g)
	if r.f.Err() != nil {
		return
	}
	if r.calls.Get(id) != nil || c.turn > 0 || c.args != "" && rawjson.Type(string(c.args)) != "object" {
		r.f.Fail("a call twice, or one that began later than now")
		return
	}
	l := r.lane(s)
	switch {
	case c.state == running:
		l.running++
		r.running++
	case c.ticket != 0:
		if r.tickets[c.ticket] || c.state != queued {
			r.f.Fail("a ticket twice, or of a call that is not queued")
			return
		}
		r.tickets[c.ticket] = true
		l.queue = l.queue.Put(c.ticket, table.Never, CallID(id))
		fallthrough
	default:
		l.waiting++
	}
	r.lanes = r.lanes.Put(s.lane, table.Never, l)
	if leaf := r.batches.Get(uint64(s.batch)); leaf != nil {
		b := leaf.V
		if c.state != held {
			b.active++
		}
		r.live[s.batch]++
		r.batches = r.batches.Put(leaf.Key, leaf.Deadline, b)
	}
	r.calls = r.calls.Put(id, due, c)
}

// policyOf reads the policy of a call.
func (r *restorer) policyOf(g *engine.Fields) *Policy {
	h := r.object(g.Raw("policy"))
	p := &Policy{
		Attempt: time.Duration(r.signed(h, "attempt")), Total: time.Duration(r.signed(h, "total")),
		Retry: backoff.Policy{
			Base: time.Duration(r.signed(h, "base")), Cap: time.Duration(r.signed(h, "cap")), Factor: r.float(h, "factor"),
			Attempts: int(min(h.Number("attempts"), math.MaxInt)), Jitter: r.float(h, "jitter"),
		},
		Kinds: Kinds(min(h.Number("kinds"), math.MaxUint32)), Unsafe: h.Flag("unsafe"),
	}
	r.note(h)
	if err := p.Check(); err != nil {
		r.f.Fail("a policy that is none")
	}
	return p
}

// fault reads an error, nil if there is none.
func (r *restorer) fault(g *engine.Fields, name string) *toolerror.Error {
	raw := g.Raw(name)
	if raw == "" {
		return nil
	}
	h := r.object(raw)
	e, ok := toolerror.ParsePayload(protocol.Raw(h.Raw("payload")))
	if !ok {
		r.f.Fail("an error that is none")
		return nil
	}
	e.Remote, e.After, e.Code = h.Flag("remote"), time.Duration(r.signed(h, "after")), r.signed(h, "code")
	e.Data = protocol.Raw(strings.Clone(h.Raw("data")))
	r.note(h)
	return e
}
