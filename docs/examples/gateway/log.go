package main

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// lossy writes lines to a writer that may not take them, as the standard error of a program whose
// parent does not read it: what does not fit is dropped, and nobody waits.
type lossy struct {
	lines chan []byte
	done  chan struct{}

	mu      sync.Mutex
	dropped int
	closed  bool
}

// lossyLines is how many writes wait.
const lossyLines = 256

func newLossy(to io.Writer) *lossy {
	l := &lossy{lines: make(chan []byte, lossyLines), done: make(chan struct{})}
	go func() {
		defer close(l.done)
		for line := range l.lines {
			l.mu.Lock()
			n := l.dropped
			l.dropped = 0
			l.mu.Unlock()
			if n > 0 {
				line = fmt.Appendf(nil, "gateway: %d lines are left out\n%s", n, line)
			}
			if _, err := to.Write(line); err != nil { // nobody can be told
				for range l.lines {
				}
				return
			}
		}
	}()
	return l
}

// Write implements io.Writer. It takes everything.
func (l *lossy) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return len(b), nil
	}
	select {
	case l.lines <- bytes.Clone(b):
	default:
		l.dropped++
	}
	return len(b), nil
}

// Close writes what waits, for a short while.
func (l *lossy) Close() {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.lines)
	}
	l.mu.Unlock()
	select {
	case <-l.done:
	case <-time.After(200 * time.Millisecond):
	}
}
