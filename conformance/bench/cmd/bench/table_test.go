package main

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/bench"
)

// TestTable checks ratios, the minimum of the rounds, and sizes.
func TestTable(t *testing.T) {
	call, checked := bench.Workload{Name: "call-small", Unit: bench.CPU}, bench.Workload{Name: "checked-small", Unit: bench.CPU}
	idle := bench.Workload{Name: "idle-server", Unit: "B/session"}
	http, sessions := bench.Workload{Name: "http-1", Unit: bench.CPU, HTTP: true}, bench.Workload{Name: "http-idle", Unit: bench.Bytes, HTTP: true}
	var r results
	for _, in := range []struct {
		w          bench.Workload
		lib, after string
	}{
		{call, "floor-api", "200 ns/op\t1000 cpu-ns/op\t496 B/op\t6 allocs/op"},
		{call, "sansmcp", "200 ns/op\t1900 cpu-ns/op\t700 B/op\t5 allocs/op"},
		{call, "go-sdk", "200 ns/op\t19000 cpu-ns/op\t700 B/op\t50 allocs/op"},
		{call, "mcp-go", "200 ns/op\t38000 cpu-ns/op\t700 B/op\t80 allocs/op"},
		{call, "sansmcp", "300 ns/op\t1500 cpu-ns/op\t701 B/op\t5 allocs/op"},
		{checked, "sansmcp", "300 ns/op\t2400 cpu-ns/op\t801 B/op\t7 allocs/op"},
		{idle, "sansmcp", "300 ns/op\t250.5 B/session"},
		{http, "floor-http", "20500 ns/op\t20000 cpu-ns/op\t3000 B/op\t33 allocs/op"},
		{http, "sansmcp", "30500 ns/op\t30000 cpu-ns/op\t3500 B/op\t43 allocs/op"},
		{http, "mcp-go", "61000 ns/op\t60000 cpu-ns/op\t9000 B/op\t150 allocs/op"},
		{sessions, "sansmcp", "300 ns/op\t500.5 B/session\t0 goroutines/session"},
		{sessions, "go-sdk", "300 ns/op\t5000 B/session\t1 goroutines/session"},
	} {
		text := "goos: linux\nBenchmarkWorkloads/" + in.w.Name + "/" + in.lib + "\t1000\t" + in.after + "\nPASS\n"
		if err := r.add(job{in.w, in.lib}, text); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	if err := r.write(&b); err != nil {
		t.Fatal(err)
	}
	const want = `| workload | library | CPU µs | allocations | bytes | × floor | × best peer | × base |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
| small tools/call | floor-api | 1 | 6 | 496 | 1.00 | 1/19 |  |
|  | sansmcp | 1.5 | 5 | 700 | 1.50 | 1/12.7 |  |
|  | go-sdk | 19 | 50 | 700 | 19.00 | 1.00 |  |
|  | mcp-go | 38 | 80 | 700 | 38.00 | 2.00 |  |
| checked small tools/call | sansmcp | 2.4 | 7 | 801 |  |  | 1.60 |
| idle session of a server | sansmcp | | | 250 |  |  |  |

| over HTTP | library | CPU µs | elapsed µs | allocations | bytes | × floor-http | µs beyond it | × best peer | × base |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| server, 1 in flight | floor-http | 20 | 20.5 | 33 | 3000 | 1.00 | 0 | 1/3 |  |
|  | sansmcp | 30 | 30.5 | 43 | 3500 | 1.50 | 10 | 0.50 |  |
|  | mcp-go | 60 | 61 | 150 | 9000 | 3.00 | 40 | 1.00 |  |
| idle session of a server | sansmcp | | | | 500, goroutines: 0 |  |  | 1/10 |  |
|  | go-sdk | | | | 5000, goroutines: 1 |  |  | 1.00 |  |
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// TestNoResult checks that a run that measured nothing is an error.
func TestNoResult(t *testing.T) {
	for _, text := range []string{"", "PASS\n", "BenchmarkWorkloads/ping/x\t1\t5 ns/op\n"} {
		var r results
		if err := r.add(job{bench.Workload{Name: "ping", Unit: bench.CPU}, "x"}, text); err == nil {
			t.Errorf("%q is taken for a result", text)
		}
	}
}
