// Package goroutine starts goroutines and talks to them.
package goroutine

type pipe chan int // want chan

func run(f func()) {
	go f() // want go
}

func talk(p pipe) { // want chan
	p <- 1        // want chan
	_ = <-p       // want chan
	for range p { // want chan
		_ = len(
			p, // want chan
		)
	}
	select {} // want select
}

func make1() any {
	return make(pipe) // want chan
}
