package uritemplate

import (
	"cmp"
	"strings"
)

// Template is a parsed URI template. The zero Template is the empty one. A
// Template does not change and may be shared.
type Template struct{ c *compiled }

// compiled is what Parse finds out.
type compiled struct {
	text  string
	parts []part
	vars  []variable
	prog  []inst
	lits  []token // what the program compares the uri with

	literal int  // tokens outside of expressions
	open    int  // variables that can span what other variables cannot: + # *
	repeats bool // some name occurs more than once

	prefixes int    // variables with a prefix
	query    *query // nil: its parameters have an order
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
	// Explode says whether the variable has the explode modifier.
	Explode bool
}

type variable struct {
	Var
	op     *operator
	offset int // in the template
	first  int // the first variable of that name
}

// String returns the template as it was given to Parse.
func (t Template) String() string { return t.get().text }

// MarshalText returns the template as it was given to Parse. It never fails.
func (t Template) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Vars returns the variables in the order in which they occur. A name that occurs
// several times is there as often. The caller owns the slice.
func (t Template) Vars() []Var {
	c := t.get()
	vars := make([]Var, 0, len(c.vars))
	for i := range c.vars {
		vars = append(vars, c.vars[i].Var)
	}
	return vars
}

// Compare orders templates by how specific they are; negative means that a is
// more specific than b. First comes the template with more literal text, counted
// in characters of the uri; then the one with fewer variables that are exploded
// or expanded with + or #, since these can span several segments; then the one
// with fewer variables, with more of them limited by a prefix, and at last the one
// whose text is less. It is 0 only for templates with the same text.
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
	// firstKind is the kind of first, if that cannot be an ordinary part of what comes
	// before the expression.
	firstKind kinds
	named     bool
	bare      bool // named: an empty value is written without =
	reserved  bool // reserved characters and triplets are left alone
	query     bool // stands in the query of a uri
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
// Instructions that consume nothing lead to later ones only, so that one pass from
// the last to the first knows of each whether it can succeed (match.go).

type opcode uint8

const (
	opAccept opcode = iota // the end of the uri
	opLit                  // tokens of lits
	opRun                  // tokens of a set, as many as possible; they are an item
	opSplit                // next if that succeeds, else alt
	opEmpty                // the empty string is an item
	opDone                 // the items are the value of a variable
	opOpen                 // an expression begins that may be nothing
	opClose                // it ends; if it was nothing, its variables are undefined
)

// inst is small, since a match looks at all of them for every character.
type inst struct {
	op        opcode
	reserved  bool // opRun: see decode
	pairs     bool // opDone: items are names and values
	next, alt int32
	set       [modes]kinds // opRun
	max       int16        // opRun: most characters, 0 for any number
	stop      kinds        // opRun: ends at the first of these behind which the rest can be read
	from, to  int32        // opLit: tokens from..to of lits; opDone: variable from; opClose: variables from..to
}

// A uri is read as what expansion writes. If that fails, it is read once more,
// and characters that RFC 3986 allows in the place count as encoded.
const (
	exact = iota
	loose
	modes
)

// query says which parameters a template has, if all its expressions for parameters
// follow each other. Then their order in the uri does not matter: nobody who serves
// parameters gives them one.
type query struct {
	from  kinds            // what the first parameter begins with
	slots map[string][]int // for each name its places in the template
	again []bool           // of a place: exploded, so that it takes any number
	rest  int              // the place of the first exploded variable, -1 if there is none
}
