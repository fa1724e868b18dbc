package attempt_test

import (
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// naive does what an Executor does with lists and loops, and without a thought for cost.
type naive struct {
	cfg     attempt.Config // Queue is set
	now     time.Time
	calls   []*naiveCall // that have not settled, by id
	batches []*naiveBatch
	lanes   map[string]*naiveLane
	random  backoff.Random
	ids     attempt.CallID
	bids    attempt.BatchID
	tickets int
	late    uint64

	out     attempt.Output
	touched []*naiveBatch
	fresh   map[attempt.CallID]bool // begun in this step
}

type naiveCall struct {
	id      attempt.CallID
	req     attempt.Request
	policy  attempt.Policy
	batch   *naiveBatch
	index   int
	doing   string // held, queued, running, waiting
	attempt int
	turn    time.Time
	total   time.Time // zero: never
	due     time.Time // zero: never
	ticket  int
	fault   *toolerror.Error
}

type naiveBatch struct {
	id       attempt.BatchID
	opt      attempt.BatchOptions
	width    int
	calls    []*naiveCall
	next     int
	active   int
	results  map[int]attempt.Result
	stopping bool
	swept    bool
	reason   string
	grace    time.Time
}

type naiveLane struct {
	opt    attempt.Lane
	credit int64 // tokens times nanoseconds of Per
	at     time.Time
}

// clone returns a copy that can be thrown away.
func (m *naive) clone() *naive {
	n := *m
	calls, batches := map[*naiveCall]*naiveCall{}, map[*naiveBatch]*naiveBatch{}
	copyCall := func(c *naiveCall) *naiveCall {
		if calls[c] == nil {
			d := *c
			calls[c] = &d
		}
		return calls[c]
	}
	n.calls, n.batches = nil, nil
	for _, b := range m.batches {
		d := *b
		d.calls, d.results = nil, map[int]attempt.Result{}
		for i, r := range b.results {
			d.results[i] = r
		}
		batches[b] = &d
		n.batches = append(n.batches, &d)
	}
	for _, b := range m.batches {
		for _, c := range b.calls {
			d := copyCall(c)
			d.batch = batches[b]
			batches[b].calls = append(batches[b].calls, d)
		}
	}
	for _, c := range m.calls {
		n.calls = append(n.calls, copyCall(c))
	}
	n.lanes = map[string]*naiveLane{}
	for name, l := range m.lanes {
		d := *l
		n.lanes[name] = &d
	}
	return &n
}

func (m *naive) begin(now time.Time) {
	if now.After(m.now) {
		m.now = now
	}
	m.out, m.touched, m.fresh = attempt.Output{}, nil, map[attempt.CallID]bool{}
}

func (m *naive) lane(name string) *naiveLane {
	l := m.lanes[name]
	if l == nil {
		l = &naiveLane{opt: m.cfg.Lane, at: m.now}
		for _, o := range m.cfg.Lanes {
			if o.Name == name {
				l.opt = o
			}
		}
		l.credit = int64(l.opt.Rate.Burst) * int64(l.opt.Rate.Per)
		m.lanes[name] = l
	}
	r := l.opt.Rate
	l.credit = min(int64(r.Burst)*int64(r.Per), l.credit+int64(m.now.Sub(l.at))*int64(r.Tokens))
	l.at = m.now
	return l
}

// wait returns how long the lane waits for a token.
func (l *naiveLane) wait() (d time.Duration) {
	r := l.opt.Rate
	if r == (attempt.Rate{}) {
		return 0
	}
	for l.credit+int64(d)*int64(r.Tokens) < int64(r.Per) {
		d += max(1, time.Duration((int64(r.Per)-l.credit-int64(d)*int64(r.Tokens))/int64(r.Tokens)))
	}
	return d
}

func (m *naive) count(doing string, lane *string) (n int) {
	for _, c := range m.calls {
		if (doing == "" || c.doing == doing) && (lane == nil || c.req.Lane == *lane) {
			n++
		}
	}
	return n
}

func (m *naive) find(id attempt.CallID) *naiveCall {
	for _, c := range m.calls {
		if c.id == id {
			return c
		}
	}
	return nil
}
