package main

import (
	"errors"
	"fmt"

	"github.com/sansmcp/mcp/conformance/bench"
)

// bound is what this library keeps to in one workload; a field that is zero says nothing.
type bound struct {
	workload string
	floor    float64 // most times of the floor
	peer     float64 // most times of the best released peer
	allocs   float64 // most allocations
	bytes    float64 // most bytes: of an op, or of what is measured instead of CPU
}

// bounds are what the runs in README.md reached, with about ten percent for the machine. Ratios hold on a quiet
// machine; allocations and bytes on any.
var bounds = []bound{
	{workload: "call-small", floor: 2.3, peer: 1.0 / 10, allocs: 4, bytes: 790},
	{workload: "call-stateless", peer: 1.0 / 8, allocs: 4, bytes: 1100},
	{workload: "ping", floor: 1.5, peer: 1.0 / 12, allocs: 2, bytes: 192},
	{workload: "echo-4KB", floor: 1.45, peer: 1.0 / 10, allocs: 6},
	{workload: "echo-256KB", floor: 1.35, peer: 1.0 / 10, allocs: 6, bytes: 1_130_000},
	{workload: "read-1KB", floor: 2.2, peer: 1.0 / 3, allocs: 5},
	{workload: "notification", floor: 2, peer: 1.0 / 8, allocs: 2},
	{workload: "client-call", floor: 2.3, peer: 1.0 / 4, allocs: 14, bytes: 1400},
	{workload: "both-1", floor: 2.4, peer: 1.0 / 5, allocs: 17},
	{workload: "both-64", floor: 3, peer: 1.0 / 5, allocs: 21},
	{workload: "one-more-100000", floor: 3.4, peer: 1.0 / 3, allocs: 17},
	{workload: "idle-server", bytes: 320},
	{workload: "idle-client", bytes: 320},
	{workload: "http-1", floor: 1.95, peer: 0.85, allocs: 70},
	{workload: "http-64", floor: 2.1, peer: 0.9, allocs: 70},
	{workload: "http-client-1", floor: 1.8, peer: 1, allocs: 120},
	{workload: "http-client-64", floor: 2.35, allocs: 145},
	{workload: "http-idle", bytes: 700},
}

// check returns an error for each bound that what was measured does not keep to.
func (r results) check() error {
	var errs []error
	for _, b := range bounds {
		one := r.find(b.workload, "sansmcp")
		if one == nil {
			continue
		}
		unit := one.job.workload.Unit
		v, best, bytes := one.values[unit], r.best(b.workload), one.values["B/op"]
		if unit != bench.CPU {
			bytes = v
		}
		for _, c := range []struct {
			what      string
			got, want float64
		}{
			{"times of the floor", per(v, r.main(b.workload, one.job.workload.Floor())), b.floor},
			{"times of the best peer", per(v, best), b.peer},
			{"allocations", one.values["allocs/op"], b.allocs},
			{"bytes", bytes, b.bytes},
		} {
			if c.want > 0 && c.got > c.want {
				errs = append(errs, fmt.Errorf("%s: %.3g %s; want %.3g at most", b.workload, c.got, c.what, c.want))
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

// best returns what the best released library of others was measured at, 0 if none was.
func (r results) best(workload string) (best float64) {
	for _, one := range r {
		if v := r.main(workload, one.job.library); one.job.workload.Name == workload && released(one.job.library) && (best == 0 || v < best) {
			best = v
		}
	}
	return best
}
