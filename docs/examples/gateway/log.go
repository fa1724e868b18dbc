package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"
)

// lossy writes lines to a writer that may block, such as the standard error of a program whose
// parent does not read it. Lines that do not fit are dropped, and no caller waits.
type lossy struct {
	lines chan []byte
	done  chan struct{}

	mu      sync.Mutex
	dropped int
	closed  bool
}

// lossyLines is how many writes may wait.
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
				line = fmt.Appendf(nil, "gateway: %d lines dropped\n%s", n, line)
			}
			if _, err := to.Write(line); err != nil { // there is nowhere to report it
				for range l.lines {
				}
				return
			}
		}
	}()
	return l
}

// Write implements io.Writer. It never fails.
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

// labelled writes the standard error of a server, with its name before each line. Several processes
// of the server may share it: the text of one Write stays together.
type labelled struct {
	to   io.Writer
	name string
}

// maxLine is how much of a line of a server is written, in bytes.
const maxLine = 4096

// Write implements io.Writer. It never fails.
func (l *labelled) Write(b []byte) (int, error) {
	var text []byte
	for line := range bytes.Lines(b) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) > maxLine {
			line = append(line[:maxLine:maxLine], "…"...)
		}
		text = fmt.Appendf(text, "%s: %s\n", visible(l.name), visible(string(line)))
	}
	if len(text) > 0 {
		_, _ = l.to.Write(text)
	}
	return len(b), nil
}

// visible removes characters that move the cursor of a terminal.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, text)
}

// Close writes lines that wait, for a short while.
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
