package main

import (
	"errors"
	"fmt"

	"github.com/sansmcp/mcp/conformance/bench"
)

// check returns an error for each bound that the results exceed.
func (r results) check() error {
	var errs []error
	for _, b := range bench.Bounds {
		one := r.find(b.Workload, "sansmcp")
		if one == nil {
			continue
		}
		unit := one.job.workload.Unit
		v, best, bytes := one.values[unit], r.best(b.Workload), one.values["B/op"]
		if unit != bench.CPU {
			bytes = v
		}
		for _, c := range []struct {
			what      string
			got, want float64
		}{
			{"times of the floor", per(v, r.main(b.Workload, one.job.workload.Floor())), b.Floor},
			{"times of the best peer", per(v, best), b.Peer},
			{"allocations", one.values["allocs/op"], b.Allocations},
			{"bytes", bytes, b.Bytes},
		} {
			if c.want > 0 && c.got > c.want {
				errs = append(errs, fmt.Errorf("%s: %.3g %s; want %.3g at most", b.Workload, c.got, c.what, c.want))
			}
		}
	}
	return errors.Join(errs...)
}

// per returns a/b, 0 if b was not measured.
func per(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// best returns the result of the best released library of others, or 0.
func (r results) best(workload string) (best float64) {
	for _, one := range r {
		if v := r.main(workload, one.job.library); one.job.workload.Name == workload && released(one.job.library) && (best == 0 || v < best) {
			best = v
		}
	}
	return best
}
