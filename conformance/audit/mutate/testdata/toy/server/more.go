package server

import (
	"slices"
	"strings"
	"time"

	"toy/lifecycle"
)

// Level says how loud.
type Level uint8

// The levels.
const (
	Quiet Level = iota
	Low
	Loud
)

const (
	open  = "["
	close = "]"
	depth = 5
)

// Note has a Level.
type Note struct {
	Level Level
	Text  string
	tags  []string
}

// Clone is a copy.
func (n Note) Clone() Note {
	n.tags = slices.Clone(n.tags)
	return n
}

// Divide divides, and says how.
func Divide(a, b int, loud bool) (int, string) { return a / b, wrap(open, "/", loud) }

func wrap(a, b string, loud bool) string {
	if loud {
		return strings.ToUpper(a + b + close)
	}
	return a + b
}

// Noted returns a Note of the text, which may be part of a long one.
func Noted(text string) Note {
	return Note{Level: Low, Text: strings.Clone(text), tags: []string{"a", "b"}}
}

// Deep compares.
func Deep(n int) bool { return n == depth || wrap("", "", true) == "x" }

// Bound bounds.
func Bound(n, most int) int { return min(max(n, 0), most) }

// Due reports whether it is time.
func Due(now, deadline time.Time) bool { return !now.Before(deadline) || now.After(deadline.Add(9)) }

// Tell emits twice.
func Tell(o *lifecycle.Output, loud bool) {
	o.Send = append(o.Send, "a", "b")
	refuse(o, "c")
	o.Closed = loud
}

// Louder returns the Note at the next Level.
func (n Note) Louder() (Note, bool) {
	if n.Level == Loud {
		return n, false
	}
	n.Level++
	return n, true
}

// Split cuts a text in two and counts the parts in n.
func Split(s string, n *int) (a string, b string) {
	a, b, _ = strings.Cut(s, " ")
	if *n = len(a); b == "" {
		return a, b
	}
	return a, b
}

// Twice gives the Note and a copy of it.
func (n Note) Twice() []Note { return []Note{n, n.Clone()} }

var names = [...]string{Quiet: "quiet", Low: "low", Loud: ""}

// String names the Level.
func (l Level) String() string { return names[l] }

// Count counts what is asked for, up to 2.
func (n *Note) Count() int {
	n.Level++
	return min(2, int(n.Clone().Level))
}

// Most is not more than 1 or what Count gives.
func (n *Note) Most() int { return max(1, n.Count()) }

// A size and a time in one declaration are no neighbours.
const (
	room = 3
	stop = 2 * time.Second
)

type notes []*Note

func (n notes) Error() string { return n[0].Text }

// Full gives an error of a type of its own, or the room that is left.
func Full(n int) (int, time.Duration, error) {
	if n > room {
		return 0, stop, notes{{Text: "full"}}
	}
	return room, 0, nil
}

// Fair is a condition with a type of its own.
type Fair bool

// And reports whether both are.
func (f Fair) And(other Fair) Fair {
	if f && other {
		return f
	}
	return false
}

// Hidden shows a Level under a name that is that of its type.
func Hidden(n Note) string {
	level := n.Level
	Level := [...]string{"x", "y", "z"}
	if level == Loud {
		return Level[level]
	}
	return Level[0]
}

// Mask has the lowest bits.
func Mask(bits int) uint8 { return 1<<bits - 1 }
