package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// quiet is the log of a proxy whose processes are killed.
var quiet = log.New(io.Discard, "", 0)

func reader(b []byte) io.Reader { return bytes.NewReader(b) }

// The fates of a call. The caller is told of each but the last two.
const (
	answered   = "answered"
	failed     = "answered with an error"
	refused    = "HTTP error"
	unreadable = "its connection was cut, with nothing to resume by"
	cancelled  = "cancelled, and its stream ended"
	silent     = "200 with an empty stream"
	hung       = "hung"
)

// book is what all callers saw.
type book struct {
	mu      sync.Mutex
	fates   map[string]int
	details map[string]int // of errors
	kinds   map[string]int
	events  int
	resumes int
	cut     []time.Duration // from a cut until the caller was told
	wrong   []string
	wrongs  int
	started map[string]bool // names of calls that were made
}

func newBook() *book {
	return &book{fates: map[string]int{}, details: map[string]int{}, kinds: map[string]int{}, started: map[string]bool{}}
}

// violation notes that something does not hold.
func (b *book) violation(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wrongs++
	if len(b.wrong) < 20 {
		b.wrong = append(b.wrong, fmt.Sprintf(format, args...))
	}
}

func (b *book) begin(kind, name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kinds[kind]++
	b.started[name] = true
}

// end notes the fate of a call: what more there is to say of it, and how long its caller waited since a cut.
func (b *book) end(fate, detail string, since time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fates[fate]++
	if detail != "" {
		b.details[fate+": "+detail]++
	}
	if !since.IsZero() {
		b.cut = append(b.cut, time.Since(since))
	}
}

func (b *book) count(events, resumes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events += events
	b.resumes += resumes
}

func (b *book) calls() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.fates {
		n += m
	}
	return n
}

// marked holds the file of marks against the calls: each was started at most once, and none that nobody made.
func (b *book) marked(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	times := map[string]int{}
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(line, " ")
		times[name]++
	}
	for name, n := range times {
		switch {
		case n > 1:
			b.violation("the function of %s was started %d times", name, n)
		case !b.started[name]:
			b.violation("the function of %s was started, and nobody called it", name)
		}
	}
	return nil
}

func table(counts map[string]int) {
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return counts[b] - counts[a] })
	for _, name := range names {
		fmt.Printf("  %8d %s\n", counts[name], name)
	}
}

// report says what was seen, and whether it holds.
func (b *book) report() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	fmt.Println("calls:")
	table(b.kinds)
	fmt.Println("callers:")
	table(b.fates)
	if len(b.details) > 0 {
		fmt.Println("of these:")
		table(b.details)
	}
	slices.Sort(b.cut)
	if n := len(b.cut); n > 0 {
		fmt.Printf("from a cut to the answer or error: median %v, 99 %% %v, longest %v of %d\n",
			b.cut[n/2].Round(time.Millisecond), b.cut[n*99/100].Round(time.Millisecond), b.cut[n-1].Round(time.Millisecond), n)
	}
	fmt.Printf("%d events, %d streams resumed\n", b.events, b.resumes)
	for _, w := range b.wrong {
		fmt.Println("WRONG:", w)
	}
	bad := b.wrongs + b.fates[silent] + b.fates[hung]
	fmt.Printf("%d violations, %d callers hung, %d answered with nothing\n", b.wrongs, b.fates[hung], b.fates[silent])
	return bad == 0
}
