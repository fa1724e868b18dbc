package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// maxHints is the number of names in a hint, maxName the bytes of each, and maxLooked the number
// of names that it is chosen from.
const (
	maxHints  = 20
	maxName   = 64
	maxLooked = 1000
)

// ArgumentKind says what is wrong with an argument.
type ArgumentKind uint8

// The kinds. The zero ArgumentKind names none of them.
const (
	ArgumentMissing    ArgumentKind = 1 + iota // it is required and absent
	ArgumentNull                               // it is null and must not be
	ArgumentType                               // it is of another type
	ArgumentRange                              // it is a number that does not fit
	ArgumentText                               // it is a string that is not valid Unicode: an unpaired surrogate
	ArgumentUnexpected                         // it is not an expected argument
	ArgumentRepeated                           // its name occurs more than once
	ArgumentSyntax                             // the arguments are not one JSON value, or nest too deep
	ArgumentNesting                            // something in it was asked for, but it is not an object
	ArgumentEnum                               // it is not an allowed value
	ArgumentPattern                            // it is a string that does not match
	ArgumentSchema                             // it fails another keyword of the schema
)

var argumentTexts = [...]string{
	"wrong", "missing", "null", "of another type", "out of range", "a string with an unpaired surrogate",
	"not expected", "given more than once", "not valid JSON",
	"not an object", "not an allowed value", "not of the required form", "not what the schema allows",
}

var argumentCodes = [...]string{
	"", "missing_parameter", "null_parameter", "type_mismatch", "out_of_range", "unpaired_surrogate",
	"unexpected_parameter", "repeated_parameter", "invalid_json",
	"invalid_nesting", "enum_mismatch", "pattern_mismatch", "schema_mismatch",
}

// Code returns the name of the kind in payloads for models, such as "type_mismatch"; "" for zero
// and unknown kinds. It never changes.
func (k ArgumentKind) Code() string { return argumentCodes[k.known()] }

// known returns k, or zero if it is not one of the kinds.
func (k ArgumentKind) known() ArgumentKind {
	if int(k) >= len(argumentCodes) {
		return 0
	}
	return k
}

// ArgumentKindOf returns the kind with that code, or zero for an unknown code.
func ArgumentKindOf(code string) ArgumentKind {
	return ArgumentKind(max(0, slices.Index(argumentCodes[:], code)))
}

// String returns the kind in a few words.
func (k ArgumentKind) String() string { return argumentTexts[k.known()] }

// ArgumentError says what is wrong with one argument. Of the value it holds only names, and
// at most 64 bytes of a name that the program did not ask for.
type ArgumentError struct {
	// Path is the JSON pointer (RFC 6901) to the argument; "" means all arguments.
	Path string
	// Kind is what is wrong with it.
	Kind ArgumentKind
	// Want is what was asked for, such as "an integer"; "" if unknown.
	Want string
	// Got is the JSON type of the value, such as "string", for ArgumentType, ArgumentRange and
	// ArgumentNesting; "" if unknown.
	Got string
	// Names are a hint: for ArgumentMissing the present names, for
	// ArgumentUnexpected the allowed ones, and for ArgumentNull of all arguments the
	// required ones. They are sorted, at most 20, each cut after 64 bytes.
	Names []string
}

// Error returns one short sentence with the path. It is meant for the model, and tells it
// what to correct.
func (e *ArgumentError) Error() string {
	if e == nil {
		e = &ArgumentError{}
	}
	what := "the value of the arguments is "
	if e.Path != "" {
		what = strconv.Quote(e.Path) + " is "
	}
	switch {
	case e.Want == "" && e.Kind == ArgumentType && e.Got != "":
		return what + article(e.Got) + "; want another type"
	case e.Want == "":
		what += e.Kind.String()
	case e.Kind == ArgumentType:
		what += "not " + e.Want
	case e.Kind == ArgumentSchema && e.Want == "uniqueItems":
		what += "equal to another item: want each once"
	case e.Kind == ArgumentEnum, e.Kind == ArgumentPattern, e.Kind == ArgumentSchema:
		what += e.Kind.String() + ": " + e.Want
	case e.Kind == ArgumentNesting && e.Got != "":
		what += article(e.Got) + ": want " + e.Want
	default:
		what += e.Kind.String() + ": want " + e.Want
	}
	if e.Got != "" && e.Kind == ArgumentType {
		what += " but " + article(e.Got)
	}
	if len(e.Names) == 0 {
		return what
	}
	names := make([]string, 0, len(e.Names))
	for _, name := range e.Names {
		names = append(names, strconv.Quote(name))
	}
	list := strings.Join(names, ", ")
	switch e.Kind {
	case ArgumentMissing:
		return what + " (present: " + list + ")"
	case ArgumentUnexpected:
		return what + " (allowed: " + list + ")"
	}
	return what + " (required: " + list + ")"
}

func article(typ string) string {
	switch typ {
	case "null":
		return typ
	case "object", "array", "integer":
		return "an " + typ
	}
	return "a " + typ
}

// Hints returns names for a message: sorted, without duplicates, at most 20, each cut after 64 bytes.
// It copies them, so that a short hint keeps no long text alive.
func Hints(names []string) []string {
	var list []string
	for _, name := range names {
		name = rawjson.Clip(name, maxName)
		i, there := slices.BinarySearch(list, name)
		if there || i == maxHints {
			continue
		}
		if list = slices.Insert(list, i, strings.Clone(name)); len(list) > maxHints {
			list = list[:maxHints]
		}
	}
	return list
}

// ArgumentErrors are the faults of arguments in the order in which they were found, at most
// 16. errors.As finds each *ArgumentError in it, the first one first.
type ArgumentErrors []*ArgumentError

// maxArgumentErrors is how many faults are kept.
const maxArgumentErrors = 16

// Error returns the sentences of all, separated by semicolons.
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
		if one != nil {
			list = append(list, one)
		}
	}
	return list
}

// has reports whether the list has an equal fault.
func (e ArgumentErrors) has(f *ArgumentError) bool {
	return slices.ContainsFunc(e, func(one *ArgumentError) bool {
		return one.Path == f.Path && one.Kind == f.Kind && one.Want == f.Want
	})
}

// findings are the faults of an object and of everything in it.
type findings struct{ list ArgumentErrors }

func (a *Arguments) findings() *findings {
	if a.found == nil {
		a.found = &findings{}
	}
	return a.found
}

// fault notes a fault of the value at the path within a.
func (a *Arguments) fault(path []token, kind ArgumentKind, want string) {
	a.note(path, &ArgumentError{Kind: kind, Want: want})
}

// mistyped notes that val has another type than was asked for.
func (a *Arguments) mistyped(path []token, kind ArgumentKind, want, val string) {
	a.note(path, &ArgumentError{Kind: kind, Want: want, Got: rawjson.Type(val)})
}

// note adds a fault of the value at the path within a.
func (a *Arguments) note(path []token, e *ArgumentError) {
	f := a.findings()
	if a.mute && e.Kind == ArgumentMissing || len(f.list) == maxArgumentErrors {
		return
	}
	if n := len(path) - 1; n >= 0 && (e.Kind == ArgumentUnexpected || e.Kind == ArgumentRepeated) {
		path[n].name = rawjson.Clip(path[n].name, maxName)
	}
	var w work
	for at := &a.at; at.outer != nil; at = at.outer {
		w.path = append([]token{at.part}, w.path...)
	}
	w.path = append(w.path, path...)
	e.Path = w.pointer()
	if f.list.has(e) {
		return // asked for twice
	}
	if len(path) == 1 {
		switch e.Kind {
		case ArgumentMissing:
			e.Names = a.present()
		case ArgumentUnexpected:
			e.Names = a.allowed()
		}
	}
	f.list = append(f.list, e)
}

// present returns a hint of the present members: one of them may be the missing one under
// another name. It looks only at the first maxLooked.
func (a *Arguments) present() []string {
	list := a.list[:min(len(a.list), maxLooked)]
	names := make([]string, 0, len(list))
	for i := range list {
		names = append(names, a.list[i].name)
	}
	return Hints(names)
}

// allowed returns a hint of the members that were asked for.
func (a *Arguments) allowed() []string {
	names := slices.Clone(a.missed)
	for i := range a.list[:min(len(a.list), maxLooked)] {
		if a.list[i].asked {
			names = append(names, a.list[i].name)
		}
	}
	return Hints(names)
}
