package uritemplate

import (
	"cmp"
	"strings"
)

// Template is a parsed URI template. The zero Template is the empty one. A
// Template does not change and may be shared.
type Template struct{ c *compiled }

// compiled is the result of Parse.
type compiled struct {
	text  string
	parts []part
	vars  []variable
	prog  []inst
	lits  []token // what the program compares the URI with

	literal int  // tokens outside of expressions
	open    int  // variables that can span several segments: + # *
	repeats bool // some name occurs more than once

	prefixes int    // variables with a prefix
	query    *query // nil if the order of its parameters matters
}

var zero = compiled{prog: []inst{{op: opAccept}}}

func (t Template) get() *compiled {
	if t.c == nil {
		return &zero
	}
	return t.c
}

// part is a literal or, if op is not nil, an expression.
type part struct {
	literal  string
	op       *operator
	from, to int // variables of the expression
}

// Var is one variable of an expression.
type Var struct {
	// Name is the name as the template spells it; triplets in it are not decoded.
	Name string
	// Operator is the operator of its expression, 0 for none.
	Operator byte
	// Prefix is the number of characters that the prefix modifier allows, 0 for
	// all of them.
	Prefix int
	// Explode reports whether the variable has the explode modifier.
	Explode bool
}

type variable struct {
	Var
	op     *operator
	offset int // in the template
	first  int // the first variable with that name
}

// String returns the text that was given to Parse.
func (t Template) String() string { return t.get().text }

// MarshalText returns the text that was given to Parse. It never fails.
func (t Template) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Vars returns the variables in order of occurrence, once for each occurrence.
// The caller owns the slice.
func (t Template) Vars() []Var {
	c := t.get()
	vars := make([]Var, 0, len(c.vars))
	for i := range c.vars {
		vars = append(vars, c.vars[i].Var)
	}
	return vars
}

// Compare orders templates by how specific they are; negative means that a is
// more specific than b. The template with more literal text, counted
// in characters of the URI, comes first; then the one with fewer variables that are exploded
// or expanded with + or #, since these can span several segments; then the one
// with fewer variables, with more of them limited by a prefix, and last the one
// whose text is less. It returns 0 only for templates with the same text.
func Compare(a, b Template) int {
	x, y := a.get(), b.get()
	return cmp.Or(
		cmp.Compare(y.literal, x.literal),
		cmp.Compare(x.open, y.open),
		cmp.Compare(len(x.vars), len(y.vars)),
		cmp.Compare(y.prefixes, x.prefixes),
		strings.Compare(x.text, y.text),
	)
}

// operator is a row of the table in RFC 6570, appendix A.
type operator struct {
	symbol  byte
	first   string
	sep     string
	sepKind kinds
	// firstKind is the kind of first, if that cannot occur in an ordinary part before the
	// expression.
	firstKind kinds
	named     bool
	bare      bool // named: an empty value is written without =
	reserved  bool // reserved characters and triplets stay as they are
	query     bool // is in the query of a URI
}

var operators = [...]operator{
	{sep: ",", sepKind: comma},
	{symbol: '+', sep: ",", sepKind: comma, reserved: true},
	{symbol: '#', first: "#", firstKind: hash, sep: ",", sepKind: comma, reserved: true},
	{symbol: '.', first: ".", sep: ".", sepKind: dot},
	{symbol: '/', first: "/", sep: "/", sepKind: slash},
	{symbol: ';', first: ";", firstKind: semicolon, sep: ";", sepKind: semicolon, named: true, bare: true},
	{symbol: '?', first: "?", firstKind: question, sep: "&", sepKind: ampersand, named: true, query: true},
	{symbol: '&', first: "&", firstKind: ampersand, sep: "&", sepKind: ampersand, named: true, query: true},
}

// A template is compiled to a program that says how its expansions are spelled.
// Instructions that consume nothing lead only to later ones, so that one pass from
// the last to the first finds out of each whether it can succeed (match.go).

type opcode uint8

const (
	opAccept opcode = iota // the end of the URI
	opLit                  // tokens of lits
	opRun                  // tokens of a set, as many as possible; they are an item
	opSplit                // next if that succeeds, else alt
	opEmpty                // the empty string is an item
	opDone                 // the items are the value of a variable
	opOpen                 // an expression begins that may be empty
	opClose                // it ends; if it was empty, its variables are undefined
)

// inst is small, since a match looks at all of them for every character.
type inst struct {
	op        opcode
	reserved  bool // opRun: see decode
	pairs     bool // opDone: items are names and values
	next, alt int32
	set       [modes]kinds // opRun
	max       int16        // opRun: most characters, 0 for any number
	stop      kinds        // opRun: ends at the first of these after which the rest can be read
	from, to  int32        // opLit: tokens from..to of lits; opDone: variable from; opClose: variables from..to
}

// A URI is read as expansion writes it. If that fails, it is read again,
// and characters that RFC 3986 allows there count as encoded.
const (
	exact = iota
	loose
	modes
)

// query says which parameters a template has, if all its parameter expressions are
// adjacent. Then their order in the URI does not matter: servers treat parameters as
// unordered.
type query struct {
	from  kinds            // what the first parameter begins with
	slots map[string][]int // the places of each name in the template
	again []bool           // of a place: exploded, so that it accepts any number
	rest  int              // the place of the first exploded variable, or -1
}
