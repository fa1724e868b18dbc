package backoff

import (
	"strconv"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// AppendJSON appends the breaker as a JSON object, without its options. The remaining time is
// counted from now.
func (b Breaker) AppendJSON(dst []byte, now time.Time) []byte {
	b = b.at(now)
	w := rawjson.Writer{Dst: append(dst, '{')}
	w.Number("failures", uint64(b.failures))
	if b.tripped { // probes and until are there also if they are 0
		w.Raw("probes", strconv.Itoa(b.probes))
		if !b.until.IsZero() {
			w.Raw("until", strconv.FormatInt(min(max(int64(b.until.Sub(b.now)), 0), table.Never-1), 10))
		}
	}
	return append(w.Dst, '}')
}

// RestoreBreaker returns the Breaker that AppendJSON has written, with its time counted from now. The
// options may differ from before: values outside them are cut. The error is lifecycle.ErrConfig for
// options that NewBreaker refuses and lifecycle.ErrSnapshot for invalid text.
func RestoreBreaker(opt BreakerOptions, raw string, now time.Time) (Breaker, error) {
	b, err := NewBreaker(opt)
	if err != nil {
		return b, err
	}
	b.now = now
	f := engine.ReadFields([]byte(raw))
	failures, probes := f.Number("failures"), f.Number("probes")
	tripped, until := f.Raw("probes") != "", f.Instant("until")
	if failures > 0 && tripped || !tripped && until != table.Never {
		f.Fail("a breaker that is closed and open")
	}
	if err := f.Err(); err != nil {
		return Breaker{}, err
	}
	if opt.Threshold == 0 {
		return b, nil
	}
	b.failures = int(min(failures, uint64(opt.Threshold-1)))
	if !tripped {
		return b, nil
	}
	b.tripped, b.probes = true, int(min(probes, uint64(b.opt.Probes)))
	if until == table.Never && b.probes == b.opt.Probes {
		until = int64(b.opt.Cooldown)
	}
	if until != table.Never {
		b.until = now.Add(min(time.Duration(until), b.opt.Cooldown))
	}
	return b, nil
}

// MarshalJSON always fails with lifecycle.ErrMarshal: use AppendJSON.
func (Breaker) MarshalJSON() ([]byte, error) { return nil, lifecycle.ErrMarshal }
