// Package await waits in tests of drivers, whose goroutines and processes no test clock controls.
package await

import (
	"bytes"
	"regexp"
	"runtime"
	"testing"
	"time"
)

// Patience is how long anything may take to happen on a busy machine.
const Patience = 20 * time.Second

// Eventually waits until is returns true.
func Eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(Patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: it did not happen\n%s", what, stacks())
		}
	}
}

// Receive waits for a value.
func Receive[T any](t testing.TB, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(Patience):
		t.Fatalf("nothing came\n%s", stacks())
	}
	return v
}

// Quiet waits until no goroutine has a stack that matches ours without containing one of but.
func Quiet(t testing.TB, ours *regexp.Regexp, but ...string) {
	t.Helper()
	Eventually(t, "goroutines are left", func() bool {
		for g := range bytes.SplitSeq(stacks(), []byte("\n\n")) {
			left := ours.Match(g) && !bytes.Contains(g, []byte("await.Quiet"))
			for _, text := range but {
				left = left && !bytes.Contains(g, []byte(text))
			}
			if left {
				return false
			}
		}
		return true
	})
}

func stacks() []byte {
	buf := make([]byte, 4<<20)
	return buf[:runtime.Stack(buf, true)]
}
