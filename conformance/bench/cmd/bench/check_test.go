package main

import (
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
	for _, c := range []struct {
		call, idle string
		want       []string
	}{
		{"2300 cpu-ns/op 720 B/op 4 allocs/op", "800 B/session", nil},
		{"2301 cpu-ns/op 721 B/op 5 allocs/op", "991 B/session", []string{
			"call-small: 2.3 times of the floor; want 2.3", "call-small: 5 allocations; want 4", "call-small: 721 bytes; want 720", "http-idle: 991 bytes; want 990",
		}},
		{"2600 cpu-ns/op 1 B/op 1 allocs/op", "1 B/session", []string{"call-small: 2.6 times of the floor; want 2.3", "call-small: 0.113 times of the best peer; want 0.1"}},
	} {
		var r results
		for _, in := range []struct {
			w         bench.Workload
			lib, text string
		}{
			{call, "floor-api", "1000 cpu-ns/op"}, {call, "sansmcp", c.call}, {call, "go-sdk", "29000 cpu-ns/op"}, {call, "mcp-go", "23011 cpu-ns/op"}, {idle, "sansmcp", c.idle},
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
