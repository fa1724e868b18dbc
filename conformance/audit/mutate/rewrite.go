package main

import (
	"cmp"
	_ "embed"
	"slices"
	"strconv"
	"strings"
)

// edit inserts text before and after a span of a file; # stands for the number of the
// mutant. With opTo set, a comma replaces the operator in the span.
type edit struct {
	from, to      int
	before, after string
	opFrom, opTo  int
}

// The package that the rewritten source asks which mutant is on.
const (
	switchPath = "internal/mutant"
	switchName = "mutant"
	switchEnv  = "MUTANT"
)

//go:embed switch.txt
var switchSource string

// piece is an insertion of an edit.
type piece struct {
	at, until int // the text between is replaced
	closing   bool
	span      int // of the edit: outer ones open first and close last
	order     int
	text      string
}

// rewrite returns text with all edits of the mutants in it. Lines keep their numbers.
func rewrite(text string, nameEnd int, module string, list []*mutant) string {
	var pieces []piece
	add := func(m *mutant, e edit) {
		n, span, order := strconv.Itoa(m.n), e.to-e.from, len(pieces)
		if m.kind == kindReturn {
			order -= 1 << 30 // outermost: its result can have another type, such as error
		}
		if e.opTo > 0 {
			order += 1 << 30 // innermost: the operands are next to the comma
		}
		pieces = append(pieces,
			piece{at: e.from, until: e.from, span: span, order: order, text: strings.ReplaceAll(e.before, "#", n)},
			piece{at: e.to, until: e.to, closing: true, span: span, order: order, text: strings.ReplaceAll(e.after, "#", n)})
		if e.opTo > 0 {
			pieces = append(pieces, piece{at: e.opFrom, until: e.opTo, text: ","})
		}
	}
	for _, m := range list {
		for _, e := range m.edits {
			add(m, e)
		}
	}
	pieces = append(pieces, piece{at: nameEnd, until: nameEnd, text: "; import " + switchName + " " + strconv.Quote(module+"/"+switchPath)})
	slices.SortFunc(pieces, func(a, b piece) int {
		switch {
		case a.at != b.at:
			return cmp.Compare(a.at, b.at)
		case a.closing != b.closing:
			if a.closing {
				return -1
			}
			return 1
		case a.closing:
			return cmp.Or(cmp.Compare(a.span, b.span), cmp.Compare(b.order, a.order))
		}
		return cmp.Or(cmp.Compare(b.span, a.span), cmp.Compare(a.order, b.order))
	})
	var b strings.Builder
	at := 0
	for _, p := range pieces {
		b.WriteString(text[at:p.at])
		b.WriteString(p.text)
		at = p.until
	}
	b.WriteString(text[at:])
	return b.String()
}
