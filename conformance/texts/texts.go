// Package texts tries a function with many texts, as a table that nobody writes by hand: what
// it makes of all of them is told by a number.
package texts

import (
	"fmt"
	"hash/fnv"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Every yields all texts of up to n of the pieces.
func Every(n int, pieces ...string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var more func(text string, n int) bool
		more = func(text string, n int) bool {
			if !yield(text) {
				return false
			}
			for _, p := range pieces {
				if n > 0 && !more(text+p, n-1) {
					return false
				}
			}
			return true
		}
		more("", n)
	}
}

// Near yields the examples, and all that is made of them by leaving out a byte, by putting each
// byte in the place of one, and by writing one twice.
func Near(examples ...string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, s := range examples {
			if !yield(s) {
				return
			}
			for i := range len(s) {
				if !yield(s[:i]+s[i+1:]) || !yield(s[:i+1]+s[i:]) {
					return
				}
				for c := range 256 {
					if !yield(s[:i] + string([]byte{byte(c)}) + s[i+1:]) {
						return
					}
				}
			}
		}
	}
}

// Same fails the test unless f makes of the texts what it made of them when want was written:
// how many it takes, which, and what comes of each. f returns "" for a text that it refuses.
//
// Where another result is right, want becomes what the failure says. Which results are others,
// a diff tells: with the environment variable TEXTS set to a folder, all of them are written
// there, before a change and after it.
func Same(t *testing.T, want string, list iter.Seq[string], f func(text string) string) {
	t.Helper()
	taken, all, sum := 0, 0, fnv.New32a()
	file := create(t)
	for text := range list {
		all++
		if out := f(text); out != "" {
			taken++
			_, _ = fmt.Fprintf(sum, "%s\x00%s\x00", text, out) // a sum takes all
			if file != nil {
				_, _ = fmt.Fprintf(file, "%q\n\t%q\n", text, out) // it is for people, who see what is missing
			}
		}
	}
	if file != nil {
		_ = file.Close()
	}
	if got := fmt.Sprintf("%d of %d, %08x", taken, all, sum.Sum32()); got != want {
		t.Errorf("taken are %s, want %s; see package texts", got, want)
	}
}

// create makes a file for all results, named after the place of the call of Same, if TEXTS says where.
func create(t *testing.T) *os.File {
	dir := os.Getenv("TEXTS")
	if dir == "" {
		return nil
	}
	_, name, line, _ := runtime.Caller(2)
	file, err := os.Create(filepath.Join(dir, fmt.Sprintf("%s-%s-%d", filepath.Base(filepath.Dir(name)), t.Name(), line)))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// If returns a text where ok is true, and "" for a refusal.
func If(ok bool) string {
	if ok {
		return "taken"
	}
	return ""
}

// Members yields the objects of up to n members, each given with a comma behind it.
func Members(n int, members ...string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text := range Every(n, members...) {
			if !yield("{" + strings.TrimSuffix(text, ",") + "}") {
				return
			}
		}
	}
}
