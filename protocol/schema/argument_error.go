package schema

import (
	"slices"
	"strconv"
	"strings"
)

// ArgumentKind says what is wrong with an argument.
type ArgumentKind uint8

// The kinds. Zero is none.
const (
	ArgumentMissing    ArgumentKind = 1 + iota // it has to be there and is not
	ArgumentNull                               // it is null and must not be
	ArgumentType                               // it is of another type
	ArgumentRange                              // it is a number that does not fit
	ArgumentText                               // it is a string with an unpaired surrogate
	ArgumentUnexpected                         // nobody asked for it
	ArgumentRepeated                           // its name is there more than once
	ArgumentSyntax                             // the arguments are not one JSON value, or nest too deep
)

var argumentTexts = [...]string{
	"wrong", "missing", "null", "of another type", "out of range", "a string with an unpaired surrogate",
	"not expected", "there more than once", "not valid JSON",
}

// String returns the kind in a few words.
func (k ArgumentKind) String() string {
	if int(k) >= len(argumentTexts) {
		k = 0
	}
	return argumentTexts[k]
}

// ArgumentError says what is wrong with one argument. It holds nothing of the value but
// names, the first 64 bytes of each that the program did not ask for.
type ArgumentError struct {
	// Path is the JSON pointer (RFC 6901) to the argument; "" is all of them.
	Path string
	// Kind is what is wrong with it.
	Kind ArgumentKind
	// Want is what was asked for, as "an integer", for ArgumentType and ArgumentRange.
	Want string
}

// Error returns one short sentence with the path. It may be shown to the model.
func (e *ArgumentError) Error() string {
	what := "the value of the arguments is "
	if e.Path != "" {
		what = strconv.Quote(e.Path) + " is "
	}
	switch {
	case e.Want == "":
		return what + e.Kind.String()
	case e.Kind == ArgumentType:
		return what + "not " + e.Want
	}
	return what + e.Kind.String() + ": not " + e.Want
}

// ArgumentErrors are the faults of arguments in the order in which they were found, the
// first 16. errors.As finds each *ArgumentError in it, the first one first.
type ArgumentErrors []*ArgumentError

// maxArgumentErrors is how many faults are kept.
const maxArgumentErrors = 16

// Error returns the sentences of all, with semicolons between.
func (e ArgumentErrors) Error() string {
	texts := make([]string, 0, len(e))
	for _, one := range e {
		texts = append(texts, one.Error())
	}
	return strings.Join(texts, "; ")
}

// Unwrap returns the faults.
func (e ArgumentErrors) Unwrap() []error {
	list := make([]error, 0, len(e))
	for _, one := range e {
		list = append(list, one)
	}
	return list
}

// findings are the faults of an object and all those within.
type findings struct{ list ArgumentErrors }

func (a *Arguments) findings() *findings {
	if a.found == nil {
		a.found = &findings{}
	}
	return a.found
}

// fault notes a fault of the object itself, or of its member.
func (a *Arguments) fault(member *token, kind ArgumentKind, want string) {
	var path []token
	if member != nil {
		path = append(path, *member)
	}
	a.faultAt(path, kind, want)
}

func (a *Arguments) faultAt(path []token, kind ArgumentKind, want string) {
	f := a.findings()
	if a.mute && kind == ArgumentMissing || len(f.list) == maxArgumentErrors {
		return
	}
	if n := len(path) - 1; n >= 0 && (kind == ArgumentUnexpected || kind == ArgumentRepeated) {
		path[n].name = short(path[n].name)
	}
	var w work
	for at := &a.at; at.outer != nil; at = at.outer {
		w.path = append([]token{at.part}, w.path...)
	}
	w.path = append(w.path, path...)
	e := &ArgumentError{Path: w.pointer(), Kind: kind, Want: want}
	if slices.ContainsFunc(f.list, func(one *ArgumentError) bool { return *one == *e }) {
		return // it was asked for twice
	}
	f.list = append(f.list, e)
}

// short cuts a name that the peer chose.
func short(name string) string {
	const most = 64
	if len(name) <= most {
		return name
	}
	cut := most
	for cut > most-4 && name[cut]&0xC0 == 0x80 {
		cut--
	}
	return name[:cut] + "…"
}
