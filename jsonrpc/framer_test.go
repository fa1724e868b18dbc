package jsonrpc_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/cases"
	"github.com/sansmcp/mcp/conformance/memory"
	"github.com/sansmcp/mcp/jsonrpc"
)

// drain gives the messages that f has.
func drain(f *jsonrpc.Framer) (all []string) {
	for m, ok := f.Next(); ok; m, ok = f.Next() {
		all = append(all, show(m))
	}
	return all
}

func finish(f *jsonrpc.Framer) (all []string) {
	for m, ok := f.Close(); ok; m, ok = f.Close() {
		all = append(all, show(m))
	}
	return all
}

func note(name string) string { return `{"jsonrpc":"2.0","method":"` + name + `"}` }

func shown(names ...string) (all []string) {
	for _, n := range names {
		if strings.HasPrefix(n, "!") {
			all = append(all, "invalid/"+n[1:]+"/invalid id=absent")
			continue
		}
		all = append(all, fmt.Sprintf("notification/none/invalid id=absent method=%q", n))
	}
	return all
}

// whole is a notification that is whole, though its line has a fault.
func whole(f jsonrpc.Fault, name string) []string {
	return []string{fmt.Sprintf("invalid/%v/notification id=absent method=%q", f, name)}
}

// A stream is cut into messages, in chunks of any size.
//
// rows: JRPC-046 STDIO-002 STDIO-003 STDIO-005 STDIO-014 TRANS-001
func TestFramer(t *testing.T) {
	big := note(strings.Repeat("x", 100))
	var found cases.Findings
	for _, c := range []struct {
		rows, name, stream string
		lines, rest        []string
	}{
		{"", "nothing", "", nil, nil},
		{"STDIO-003", "two lines", note("a") + "\n" + note("b") + "\n", shown("a", "b"), nil},
		{"STDIO-003", "an unfinished line", note("a") + "\n" + note("b"), shown("a"), shown("b")},
		{"STDIO-003", "a cut line", note("a") + "\n" + note("b")[:9], shown("a"), shown("!not JSON")},
		{"STDIO-005", "carriage returns", note("a") + "\r\n" + note("b") + "\r\n" + note("c") + "\r", shown("a", "b"), shown("c")},
		{"STDIO-005", "blank lines", "\n\r\n \t \n" + note("a") + "\n\n\n  \r\n", shown("a"), nil},
		{"STDIO-005", "blank rest", note("a") + "\n \r", shown("a"), nil},
		{"STDIO-014", "a byte order mark", "\ufeff" + note("a") + "\n", shown("a"), nil},
		{"STDIO-014", "a byte order mark and nothing", "\ufeff", nil, nil},
		{"STDIO-014", "a byte order mark on a line", "\ufeff\r\n" + note("a") + "\n", shown("a"), nil},
		{"STDIO-014", "two byte order marks", "\ufeff\ufeff" + note("a") + "\n", shown("a"), nil},
		{"STDIO-014", "a late byte order mark", note("a") + "\n\ufeff" + note("b") + "\n", shown("a", "b"), nil},
		{"STDIO-014", "a byte order mark after a blank line", "\n\ufeff" + note("b") + "\n", shown("b"), nil},
		{"STDIO-014", "a byte order mark within a line", note("a") + "\n \ufeff" + note("b") + "\n", shown("a", "!not JSON"), nil},
		{"STDIO-014", "a byte order mark and a blank rest", note("a") + "\n\ufeff \r", shown("a"), nil},
		{"TRANS-001", "half a byte order mark", "\xef\xbb\n" + note("a") + "\n", shown("!not JSON", "a"), nil},
		{"TRANS-001", "half a byte order mark at the end", "\xef\xbb", nil, shown("!not JSON")},
		{"STDIO-002", "two objects on a line", note("a") + note("b") + "\n" + note("c") + "\n", append(whole(jsonrpc.FaultTrailing, "a"), shown("c")...), nil},
		{"STDIO-002", "an array", "[" + note("a") + "]\n", []string{"batch/none/invalid id=absent\n  " + shown("a")[0]}, nil},
		{"STDIO-002", "an empty array", "[]\n", shown("!empty or too long array"), nil},
		{"TRANS-001", "invalid UTF-8", "\"\xff\"\n" + note("a") + "\n", shown("!invalid UTF-8", "a"), nil},
		{"JRPC-046", "an oversize line", note("a") + "\n" + big + "\n" + note("b") + "\n", shown("a", "!too long", "b"), nil},
		{"JRPC-046", "an oversize line of blanks", strings.Repeat(" ", 200) + "\n" + note("b") + "\n", shown("!too long", "b"), nil},
		{"JRPC-046", "an oversize rest", note("a") + "\n" + big, shown("a", "!too long"), nil},
		{"JRPC-046", "oversize lines", big + "\n" + big + big + big + "\n\n" + big + "\r\n", shown("!too long", "!too long", "!too long"), nil},
		{"JRPC-046", "a line of just the limit", pad64("a") + "\n" + pad64("b") + "\r\n" + pad64("c"), shown("a", "b"), shown("c")},
		{"JRPC-046", "a line beyond the limit by one", pad64("a") + " \n" + pad64("b") + " \r\n" + pad64("c") + "\r", append(whole(jsonrpc.FaultSize, "a"), whole(jsonrpc.FaultSize, "b")...), shown("c")},
		{"JRPC-046", "a rest beyond the limit by one", pad64("c") + " ", nil, whole(jsonrpc.FaultSize, "c")},
		{"JRPC-046 STDIO-014", "the limit after a byte order mark", "\ufeff" + pad64("a") + "\r\n", shown("a"), nil},
	} {
		for size := 1; size <= len(c.stream)+1; size++ {
			f := jsonrpc.Framer{Decoder: jsonrpc.Decoder{MaxBytes: 64}}
			// The second round shows that Close leaves nothing behind.
			for round := range 2 {
				var lines []string
				for i := 0; i < len(c.stream); i += size {
					chunk := []byte(c.stream[i:min(i+size, len(c.stream))])
					f.Push(chunk)
					clear(chunk)
					lines = append(lines, drain(&f)...)
				}
				rest := finish(&f)
				if !reflect.DeepEqual(lines, c.lines) || !reflect.DeepEqual(rest, c.rest) {
					found.Add(c.rows, "%s, chunks of %d, round %d:\n%q, %q, want\n%q, %q", c.name, size, round, lines, rest, c.lines, c.rest)
				}
			}
		}
		// Fetched only at the end, by Close alone.
		f := jsonrpc.Framer{Decoder: jsonrpc.Decoder{MaxBytes: 64}}
		f.Push([]byte(c.stream))
		if got, want := finish(&f), append(append([]string(nil), c.lines...), c.rest...); !reflect.DeepEqual(got, want) {
			found.Add(c.rows, "%s, by Close: %q, want %q", c.name, got, want)
		}
	}
	found.Report(t, "STDIO-003", "STDIO-005", "STDIO-014")
}

// pad64 is a notification of 64 bytes.
func pad64(name string) string {
	s := note(name)
	return s[:1] + strings.Repeat(" ", 64-len(s)) + s[1:]
}

// However a stream is cut, and whenever the lines are fetched, they are the same.
func TestFramerChunking(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		note("a"), note("b"), note(strings.Repeat("x", 60)), pad64("c"), "\n", "\n", "\n", "\r\n", "\r", " ", "[]", "{", "\ufeff", "\xef", strings.Repeat("z", 70), strings.Repeat(" ", 64),
	})
	rapid.Check(t, func(t *rapid.T) {
		stream := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
		limits := jsonrpc.Decoder{MaxBytes: rapid.SampledFrom([]int{64, 20, 1}).Draw(t, "limit")}
		whole := jsonrpc.Framer{Decoder: limits}
		whole.Push([]byte(stream))
		want := append(drain(&whole), finish(&whole)...)

		cut := jsonrpc.Framer{Decoder: limits}
		var got []string
		for rest := stream; rest != ""; {
			n := rapid.IntRange(0, len(rest)).Draw(t, "n")
			cut.Push([]byte(rest[:n]))
			rest = rest[n:]
			for range rapid.IntRange(0, 3).Draw(t, "fetch") {
				if m, ok := cut.Next(); ok {
					got = append(got, show(m))
				}
			}
			if n == 0 && rapid.Bool().Draw(t, "stop") {
				cut.Push([]byte(rest))
				rest = ""
			}
		}
		got = append(got, finish(&cut)...)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q under %d: %q, want %q", stream, limits.MaxBytes, got, want)
		}
	})
}

func TestFramerLines(t *testing.T) {
	f := jsonrpc.Framer{Decoder: jsonrpc.Decoder{MaxBytes: 8}}
	f.Push([]byte("\ufeffone\r\n\n two \n0123456789\n12345678\r\n0123456789ab"))
	var got []string
	for line, ok := f.NextLine(); ok; line, ok = f.NextLine() {
		got = append(got, string(line))
	}
	f.Push([]byte("cdef\nrest\r"))
	if line, ok := f.NextLine(); ok {
		t.Errorf("the end of an oversize line came as %q", line)
	}
	for line, ok := f.CloseLine(); ok; line, ok = f.CloseLine() {
		got = append(got, string(line))
	}
	// Of an oversize line there is one byte more than the limit.
	want := []string{"one", " two ", "012345678", "12345678", "012345678", "rest"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A peer that never ends its line costs the limit and no more.
func TestFramerMemory(t *testing.T) {
	f := jsonrpc.Framer{Decoder: jsonrpc.Decoder{MaxBytes: 1 << 16}}
	chunk := bytes.Repeat([]byte("x"), 4096)
	oversize := 0
	push := func() {
		f.Push(chunk)
		for m, ok := f.Next(); ok; m, ok = f.Next() {
			if m.Fault != jsonrpc.FaultSize {
				t.Fatal(show(m))
			}
			oversize++
		}
	}
	for range 64 {
		push()
	}
	if allocs := testing.AllocsPerRun(1000, push); allocs != 0 || oversize != 1 {
		t.Errorf("%v allocations for a chunk that is thrown away; %d messages", allocs, oversize)
	}
	// A line goes through a buffer that is kept.
	line := append([]byte(note("a")), '\n')
	small := testing.AllocsPerRun(1000, func() {
		f.Push(line)
		f.NextLine()
		f.NextLine()
	})
	if small != 0 {
		t.Errorf("%v allocations for a line", small)
	}
}

// A Framer that has given out a large line keeps no buffer of its size, and a small one is kept:
// however the line was cut, and whether it was too long or not.
func TestFramerKeepsNoLargeBuffer(t *testing.T) {
	for _, max := range []int{0, 1 << 20} {
		for _, n := range []int{1 << 10, 1 << 19, 1 << 21} {
			line := []byte(note(strings.Repeat("x", n)) + "\n")
			got := memory.Retained(func() any {
				f := &jsonrpc.Framer{Decoder: jsonrpc.Decoder{MaxBytes: max}}
				for rest := line; len(rest) > 0; {
					cut := min(len(rest), 1<<18+1)
					f.Push(rest[:cut])
					rest = rest[cut:]
					for ok := true; ok; {
						_, ok = f.NextLine()
					}
				}
				return f
			})
			if got > 100<<10 {
				t.Errorf("%d bytes are kept after a line of %d, at most %d", got, n, max)
			}
		}
	}
}

// A stream whose buffer is never empty does not grow it.
func TestFramerCompacts(t *testing.T) {
	half := note(strings.Repeat("x", 100))
	lines := 0
	got := memory.Retained(func() any {
		f := new(jsonrpc.Framer)
		f.Push([]byte(half[:50]))
		for range 1 << 14 { // two MiB
			f.Push([]byte(half[50:] + "\n" + half[:50]))
			for _, ok := f.NextLine(); ok; _, ok = f.NextLine() {
				lines++
			}
		}
		return f
	})
	if got > 1<<14 || lines != 1<<14 {
		t.Errorf("%d bytes are kept after %d lines", got, lines)
	}
}
