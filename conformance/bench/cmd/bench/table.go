package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/conformance/bench"
)

// results are the minimum of the runs of each benchmark, in the order in which
// they first ran.
type results []*result

// result is the result of one benchmark, by unit.
type result struct {
	job    job
	values map[string]float64
}

// find returns the result of a benchmark, or nil if it did not run.
func (r results) find(workload, library string) *result {
	for _, one := range r {
		if one.job.workload.Name == workload && one.job.library == library {
			return one
		}
	}
	return nil
}

// add adds the output of one benchmark.
func (r *results) add(j job, text string) error {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		one := r.find(j.workload.Name, j.library)
		if one == nil {
			one = &result{j, map[string]float64{}}
			*r = append(*r, one)
		}
		for i := 2; i+1 < len(f); i += 2 {
			v, err := strconv.ParseFloat(f[i], 64)
			if err != nil {
				return err
			}
			if old, ok := one.values[f[i+1]]; !ok || v < old {
				one.values[f[i+1]] = v
			}
		}
		if _, ok := one.values[j.workload.Unit]; !ok {
			return errors.New("no " + j.workload.Unit)
		}
		return nil
	}
	return errors.New("no result")
}

// main returns the main figure of a benchmark, or 0 if it did not run.
func (r results) main(workload, library string) float64 {
	if one := r.find(workload, library); one != nil {
		return one.values[one.job.workload.Unit]
	}
	return 0
}

// released reports whether a library is a released one of another project.
func released(library string) bool {
	return !strings.HasPrefix(library, "sansmcp") && !strings.HasPrefix(library, "floor-")
}

// write writes the tables: in memory, and over HTTP.
func (r results) write(w io.Writer) error {
	var b strings.Builder
	for _, http := range []bool{false, true} {
		head := "| workload | library | CPU µs | allocations | bytes | × floor | × best peer | × base |\n" +
			"| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
		if http {
			head = "| over HTTP | library | CPU µs | elapsed µs | allocations | bytes | × floor-http | µs beyond it | × best peer | × base |\n" +
				"| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
			if b.Len() > 0 {
				head = "\n" + head
			}
		}
		for _, load := range bench.Workloads {
			if rows := r.of(load); load.HTTP == http && len(rows) > 0 {
				b.WriteString(head)
				head = ""
				r.rows(&b, load, rows)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// rows writes the rows of one workload.
func (r results) rows(b *strings.Builder, load bench.Workload, rows []*result) {
	best := r.best(load.Name)
	for i, one := range rows {
		title := ""
		if i == 0 {
			title = load.Title
		}
		v, floor := one.values[load.Unit], r.main(load.Name, load.Floor())
		beyond := ""
		if load.HTTP {
			beyond = " |"
			if load.Unit == bench.CPU && floor > 0 {
				beyond = number(max(v-floor, 0)/1000) + " |"
			}
			beyond = " " + beyond
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |%s %s | %s |\n", title, one.job.library, one.figures(),
			ratio(v, floor), beyond, ratio(v, best), ratio(v, r.main(load.Base, one.job.library)))
	}
}

// of returns the results of a workload, in the order in which the libraries ran.
func (r results) of(w bench.Workload) []*result {
	var rows []*result
	for _, one := range r {
		if one.job.workload.Name == w.Name {
			rows = append(rows, one)
		}
	}
	return rows
}

// figures returns the cells for time, allocations and bytes.
func (r *result) figures() string {
	elapsed := ""
	if r.job.workload.HTTP {
		elapsed = number(r.values["ns/op"]/1000) + " | "
	}
	switch unit := r.job.workload.Unit; {
	case unit == bench.CPU:
		return number(r.values[bench.CPU]/1000) + " | " + elapsed + number(r.values["allocs/op"]) + " | " + number(r.values["B/op"])
	case r.job.workload.HTTP:
		return "| | | " + number(r.values[unit]) + ", goroutines: " + number(r.values[bench.Goroutines])
	default:
		return "| | " + number(r.values[unit])
	}
}

// number formats a figure with three digits, or all those before the decimal point.
func number(v float64) string {
	switch {
	case v >= 100 || v == float64(int64(v)):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v < 0.01:
		return "0.00"
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// ratio formats a/b; one far below one as its inverse, 1/12.
func ratio(a, b float64) string {
	switch {
	case a <= 0 || b <= 0:
		return ""
	case a/b < 0.5:
		return "1/" + strings.TrimSuffix(strconv.FormatFloat(b/a, 'f', 1, 64), ".0")
	}
	return strconv.FormatFloat(a/b, 'f', 2, 64)
}
