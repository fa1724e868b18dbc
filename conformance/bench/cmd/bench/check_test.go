package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/bench"
)

// TestCheck tests each kind of bound at the limit and beyond.
func TestCheck(t *testing.T) {
	for _, b := range bench.Bounds {
		if !slices.ContainsFunc(bench.Workloads, func(w bench.Workload) bool { return w.Name == b.Workload }) {
			t.Errorf("%s is no workload", b.Workload)
		}
	}
	call := bench.Workload{Name: "call-small", Unit: bench.CPU}
	idle := bench.Workload{Name: "http-idle", Unit: bench.Bytes, HTTP: true}
	of := func(workload string) bench.Bound {
		return bench.Bounds[slices.IndexFunc(bench.Bounds, func(b bench.Bound) bool { return b.Workload == workload })]
	}
	c, i := of(call.Name), of(idle.Name)
	const floor = 1000
	most := floor * c.Floor
	peer := fmt.Sprintf("%f cpu-ns/op", (most+1)/c.Peer+1)
	figures := func(ns, bytes, allocations float64) string {
		return fmt.Sprintf("%f cpu-ns/op %f B/op %f allocs/op", ns, bytes, allocations)
	}
	times := func(ns float64) string {
		return fmt.Sprintf("call-small: %.3g times of the floor; want %.3g", ns/floor, c.Floor)
	}
	for _, c := range []struct {
		call string
		idle float64
		want []string
	}{
		{figures(most, c.Bytes, c.Allocations), i.Bytes, nil},
		{figures(most+1, c.Bytes+1, c.Allocations+1), i.Bytes + 1, []string{
			times(most + 1), fmt.Sprintf("call-small: %.3g allocations; want %.3g", c.Allocations+1, c.Allocations),
			fmt.Sprintf("call-small: %.3g bytes; want %.3g", c.Bytes+1, c.Bytes), fmt.Sprintf("http-idle: %.3g bytes; want %.3g", i.Bytes+1, i.Bytes),
		}},
		{figures(most+300, 1, 1), 1, []string{times(most + 300), fmt.Sprintf("call-small: %.3g times of the best peer; want %.3g", (most+300)/((most+1)/c.Peer+1), c.Peer)}},
	} {
		var r results
		for _, in := range []struct {
			w         bench.Workload
			lib, text string
		}{
			{call, "floor-api", fmt.Sprint(floor, " cpu-ns/op")}, {call, "sansmcp", c.call}, {call, "go-sdk", "1e6 cpu-ns/op"}, {call, "mcp-go", peer}, {idle, "sansmcp", fmt.Sprintf("%f B/session", c.idle)},
		} {
			if err := r.add(job{in.w, in.lib}, "BenchmarkX\t1\t"+in.text); err != nil {
				t.Fatal(err)
			}
		}
		text := ""
		if err := r.check(); err != nil {
			text = err.Error()
		}
		lines := strings.FieldsFunc(text, func(c rune) bool { return c == '\n' })
		if len(lines) != len(c.want) {
			t.Fatalf("%q, want %q", lines, c.want)
		}
		for i, want := range c.want {
			if !strings.HasPrefix(lines[i], want) {
				t.Errorf("%q, want %q", lines[i], want)
			}
		}
	}
}
