package protocol

import (
	"errors"
	"strconv"
	"strings"
)

// Reason says what is wrong with a member.
type Reason uint8

// The reasons. Zero says that nothing is wrong.
const (
	ReasonMissing   Reason = 1 + iota // a required member is absent
	ReasonType                        // the JSON type is wrong
	ReasonInteger                     // a number has to be integral and is not
	ReasonRange                       // a number is out of range
	ReasonValue                       // the value is not an allowed one
	ReasonSurrogate                   // a string that is compared has an unpaired surrogate
	ReasonSyntax                      // the text is no valid JSON
	ReasonConflict                    // two members, or two parts of one, do not go together
	ReasonUTF8                        // a text that names something is not UTF-8
	ReasonRevision                    // the revision has no form for the value
)

var reasonTexts = [...]string{
	"unknown reason", "is missing", "has the wrong type", "is not integral", "is out of range",
	"has no allowed value", "has an unpaired surrogate", "is not valid JSON", "conflicts with another member",
	"is not UTF-8", "has no form in this revision",
}

// String returns the end of a sentence that starts with the name of the member.
func (r Reason) String() string {
	if int(r) < len(reasonTexts) {
		return reasonTexts[r]
	}
	return reasonTexts[0]
}

// DecodeError says why a value does not fit its type. DecodeJSON and Validate
// return no other error. It holds names of the schema and positions, and nothing
// that the peer sent, so it may be sent back or logged.
type DecodeError struct {
	// Type is the name of the type that was decoded or validated.
	Type string
	// Path leads to the member at fault, as content[2].text; "" is the value
	// itself. A field of a form, whose name is data, has the place in which it
	// stands, as properties[0].type.
	Path string
	// Reason is what is wrong with it.
	Reason Reason
}

// Error returns the type, the path and the reason as one line, and what is wanted where few know.
func (e *DecodeError) Error() string {
	s := "protocol: " + e.Type
	if e.Path != "" {
		s += "." + e.Path
	}
	s += " " + e.Reason.String()
	if e.Reason != ReasonValue {
		return s
	}
	_, in, form := strings.Cut(e.Path, "properties[")
	if !form {
		in = e.Path
	}
	switch in[strings.LastIndexByte(in, '.')+1:] {
	case "inputSchema", "outputSchema":
		s += `; want the schema of an object, as {"type":"object"}`
	case "uri":
		s += "; want a URI with a scheme, as notes://1"
	case "type":
		if form {
			s += "; want a string, a number, an integer, a boolean, or an array of strings with an enum"
		}
	}
	return s
}

// fault returns the error of a member, nil if nothing is wrong with it.
func fault(typ, member string, r Reason) error {
	if r == 0 {
		return nil
	}
	return &DecodeError{Type: typ, Path: member, Reason: r}
}

// within makes the error of a part, if there is one, that of the whole. An empty member is a part
// that shares its object with the whole.
func within(typ, member string, err error) error {
	if err == nil {
		return nil // before what errors.As needs is allocated
	}
	var e *DecodeError
	if !errors.As(err, &e) {
		return err
	}
	if member != "" && e.Path != "" {
		member += "."
	}
	member += e.Path
	return &DecodeError{Type: typ, Path: member, Reason: e.Reason}
}

func item(member string, i int) string { return member + "[" + strconv.Itoa(i) + "]" }

// Is makes a DecodeError with ReasonRevision an ErrNotInRevision.
func (e *DecodeError) Is(target error) bool {
	return target == ErrNotInRevision && e.Reason == ReasonRevision
}
