// Command growth measures how the cost of one act grows with the number of things, and prints it as a Markdown table:
//
//	go run ./cmd/growth                      # in the folder of the module
//	go run ./cmd/growth -svg growth.svg      # and draws it
//
// A time is CPU time of the process, the minimum of several batches, which other load disturbs least. If cost grows at most with the logarithm
// of the number, n acts take n log n.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/sansmcp/mcp/conformance/cputime"
)

func main() {
	svg := flag.String("svg", "", "the file to draw the curves to")
	batches := flag.Int("batches", 7, "how often each act is measured")
	flag.Parse()
	if flag.NArg() > 0 || *batches < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*svg, *batches); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

// point is the cost of one act among n things.
type point struct {
	n                 int
	ns, allocs, bytes float64
}

// line is a curve: what grows, and the act.
type line struct {
	of, act string
	points  []point
}

func run(svg string, batches int) error {
	var lines []line
	for _, c := range curves {
		l := line{of: c.of, act: c.act}
		for _, n := range c.sizes {
			act, end, err := c.make(n)
			if err != nil {
				return fmt.Errorf("%s, %d: %w", c.of, n, err)
			}
			p, err := measure(batches, act)
			if err != nil {
				return fmt.Errorf("%s, %d: %w", c.of, n, err)
			}
			end()
			p.n = n
			l.points = append(l.points, p)
			fmt.Fprintln(os.Stderr, c.of, n)
		}
		lines = append(lines, l)
	}
	fmt.Println("| of | act | how many | µs | allocations | bytes |\n| --- | --- | ---: | ---: | ---: | ---: |")
	for _, l := range lines {
		for i, p := range l.points {
			of, act := "", ""
			if i == 0 {
				of, act = l.of, l.act
			}
			fmt.Printf("| %s | %s | %d | %.2f | %.0f | %.0f |\n", of, act, p.n, p.ns/1000, p.allocs, p.bytes)
		}
	}
	if svg == "" {
		return nil
	}
	return os.WriteFile(svg, draw(lines), 0o644)
}

// measure returns the minimum cost of an act, over batches.
func measure(batches int, act func() error) (point, error) {
	const each = 2000
	var all []point
	for range batches {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begin := cputime.Now()
		for range each {
			if err := act(); err != nil {
				return point{}, err
			}
		}
		took := cputime.Now() - begin
		runtime.ReadMemStats(&after)
		all = append(all, point{
			ns: float64(took) / each, allocs: float64(after.Mallocs-before.Mallocs) / each, bytes: float64(after.TotalAlloc-before.TotalAlloc) / each,
		})
	}
	return slices.MinFunc(all, func(a, b point) int { return cmp.Compare(a.ns, b.ns) }), nil
}
