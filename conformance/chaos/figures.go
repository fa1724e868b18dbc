package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// load lets clients make sequential quick calls, and prints how many they make.
func (s *settings) load(f *fleet) error {
	ctx, stop := context.WithTimeout(context.Background(), s.length)
	defer stop()
	b := newBook()
	var mu sync.Mutex
	var all []time.Duration
	var wg sync.WaitGroup
	for i := range s.clients {
		wg.Go(func() {
			x, err := begin(ctx, f.proxy.url, client())
			if err != nil {
				return
			}
			for n := 0; ctx.Err() == nil; n++ {
				began := time.Now()
				s.one(x, b, fmt.Sprintf("l%d-%d", i, n), markArgs{})
				mu.Lock()
				all = append(all, time.Since(began))
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	slices.Sort(all)
	fmt.Printf("%d clients: %.0f calls a second, median %v, 99 %% %v\n", s.clients, float64(len(all))/s.length.Seconds(), all[len(all)/2], all[len(all)*99/100])
	return b.report(f.marks())
}

func (s *settings) one(x *session, b *book, name string, args markArgs) {
	args.ID = name
	c := &call{plan: plan{kind: "quick", args: args, over: s.patience}, s: x, b: b, id: x.ids.Add(1), name: name}
	c.make(context.Background())
}

// figures prints how many operations of the store calls, progress and idle sessions need.
func (s *settings) figures(f *fleet) error {
	b := newBook()
	x, err := begin(context.Background(), f.proxy.url, client())
	if err != nil {
		return err
	}
	show := func(what string, n int, do func()) {
		before := f.stats()
		do()
		time.Sleep(100 * time.Millisecond) // for operations after the last answer
		d := f.stats().minus(before)
		per := func(n64 int64) float64 { return float64(n64) / float64(n) }
		fmt.Printf("%-24s %6.2f gets %6.2f puts (%.2f refused) %8.0f bytes read %8.0f bytes written %5.2f waits %5.2f of owners\n",
			what, per(d.Gets), per(d.Puts), per(d.Refused), per(d.In), per(d.Out), per(d.Waits), per(d.Cluster))
	}
	s.one(x, b, "warm", markArgs{})
	const calls, steps = 50, 100
	show("a quick call", calls, func() {
		for i := range calls {
			s.one(x, b, fmt.Sprint("q", i), markArgs{})
		}
	})
	show("a call of 300 ms", 10, func() {
		for i := range 10 {
			s.one(x, b, fmt.Sprint("s", i), markArgs{MS: 300})
		}
	})
	show("a question in a call", 10, func() {
		for i := range 10 {
			s.one(x, b, fmt.Sprint("a", i), markArgs{Ask: true})
		}
	})
	show("a progress message", steps, func() { s.one(x, b, "p", markArgs{MS: 1000, Steps: steps}) })
	const idle = 10
	show("a second of nothing", idle, func() { time.Sleep(idle * time.Second) })
	return b.report(f.marks())
}
