package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"sync"
	"time"
)

// quiet is the log of a proxy whose processes are killed.
var quiet = log.New(io.Discard, "", 0)

func reader(b []byte) io.Reader { return bytes.NewReader(b) }

// The fates of a call. The caller learns of each except the last two.
const (
	answered   = "answered"
	failed     = "answered with an error"
	refused    = "HTTP error"
	unreadable = "its connection was cut, with nothing to resume by"
	cancelled  = "cancelled, and its stream ended"
	silent     = "200 with an empty stream"
	hung       = "hung"
)

// book is the record of all callers.
type book struct {
	mu      sync.Mutex
	history []entry
	fates   map[string]int
	details map[string]int // of errors
	kinds   map[string]int
	events  int
	resumes int
	cut     []time.Duration // from a cut until the caller learned of it
	lost    []span          // when the store lost writes
	leases  int             // checked deeds
	wrong   []string
}

func newBook() *book {
	return &book{fates: map[string]int{}, details: map[string]int{}, kinds: map[string]int{}}
}

// end records what the caller of a call has seen, with details, and since when it waited after a cut.
func (b *book) end(e entry, detail string, since time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.history = append(b.history, e)
	b.kinds[e.Kind]++
	b.fates[e.Fate]++
	if detail != "" {
		b.details[e.Fate+": "+detail]++
	}
	if !since.IsZero() {
		b.cut = append(b.cut, e.Ended.Sub(since))
	}
}

func (b *book) count(events, resumes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events += events
	b.resumes += resumes
}

// loses records when the store lost writes.
func (b *book) loses(from, to time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lost = append(b.lost, span{from, to})
}

func (b *book) calls() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.history)
}

// check compares the history with the file of marks, and leases with their rules, unless the store has lost some.
func (b *book) check(path string) error {
	marks, err := readMarks(path)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wrong = append(b.wrong, check(b.history, marks, b.lost)...)
	list, err := readDeeds(path + leasesOf)
	if err == nil && len(b.lost) == 0 {
		b.leases = len(list)
		b.wrong = append(b.wrong, checkLeases(list)...)
	}
	if errors.Is(err, os.ErrNotExist) { // the store is the memory of one process
		return nil
	}
	return err
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

// report prints the result. The error is errWrong for any violation.
func (b *book) report(marks string) error {
	if err := b.check(marks); err != nil {
		return err
	}
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
	fmt.Printf("%d events, %d streams resumed, %d deeds of leases\n", b.events, b.resumes, b.leases)
	for _, w := range b.wrong[:min(20, len(b.wrong))] {
		fmt.Println("WRONG:", w)
	}
	bad := len(b.wrong) + b.fates[silent] + b.fates[hung]
	fmt.Printf("%d violations, %d callers hung, %d answered with nothing\n", len(b.wrong), b.fates[hung], b.fates[silent])
	if bad > 0 {
		return errWrong
	}
	return nil
}
