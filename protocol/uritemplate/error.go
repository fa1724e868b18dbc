package uritemplate

import "strconv"

// Reason says what is wrong with a template, or with a value for it. The zero Reason means
// nothing is wrong.
type Reason uint8

// The reasons.
const (
	ReasonLength    Reason = 1 + iota // the template is longer than MaxTemplate
	ReasonLiteral                     // a character that must be percent-encoded outside of expressions, or a % that begins no triplet
	ReasonClose                       // a } without a {
	ReasonOpen                        // a { without a }
	ReasonEmpty                       // an expression without variables
	ReasonOperator                    // an operator that RFC 6570 reserves: = , ! @ |
	ReasonName                        // a variable name that is empty or has a character that names do not have
	ReasonPrefix                      // a prefix that is not a number from 1 to 9999
	ReasonModifiers                   // a variable with both a prefix and an explode modifier
	ReasonComposite                   // expansion: a list or pairs for a variable with a prefix
)

var reasonTexts = [...]string{
	"unknown reason", "the template is too long", "a character has to be percent-encoded", "} without {", "{ without }",
	"no variable", "the operator is reserved", "not a variable name", "the prefix is not from 1 to 9999",
	"prefix and explode together", "a list or pairs for a prefix",
}

// String returns the reason in a few words.
func (r Reason) String() string {
	if int(r) < len(reasonTexts) {
		return reasonTexts[r]
	}
	return reasonTexts[0]
}

// Error is the only error type of this package. It contains no text of the template and
// no value, so it may be sent to a peer or logged.
type Error struct {
	// Offset is the byte offset of the fault in the template. For ReasonComposite
	// it is where the variable begins.
	Offset int
	// Reason is what is wrong there.
	Reason Reason
}

// Error returns the reason and the offset on one line.
func (e *Error) Error() string {
	return "uritemplate: " + e.Reason.String() + " at " + strconv.Itoa(e.Offset)
}
