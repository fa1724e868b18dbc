package schema

import (
	"strings"

	"strconv"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Values of Fault.Keyword that are not keywords of JSON Schema.
const (
	KeywordFalse  = "false"  // the schema that applies is false
	KeywordLimit  = "limit"  // the check exceeds the limit of work or depth
	KeywordSchema = "schema" // the schema is not usable; Path leads to a place in it
	KeywordSyntax = "syntax" // the value is not one JSON value

	// KeywordUnchecked is for reports that the keyword at Path is ignored, as Ignored returns.
	// No error of this package has it.
	KeywordUnchecked = "unchecked"
)

// Validator checks values against schemas.
type Validator interface {
	// Validate returns nil if the value satisfies the schema, and otherwise an
	// error whose text may be sent to the peer. An empty value counts as {}, since
	// arguments may be absent.
	Validate(schema, value jsonrpc.Raw) error
}

// Fault is the error of Basic and of Check. It contains names from the schema,
// positions and a keyword, and nothing else of the value.
type Fault struct {
	// Path is the JSON pointer (RFC 6901) to the faulty value; "" is the whole
	// value. For the keyword required it leads to the missing member. A
	// member that the schema does not name is written as *. For KeywordSchema it
	// leads to the place in the schema; for KeywordLimit and KeywordSyntax it is "".
	Path string
	// Keyword is the keyword that the value fails, or one of the constants above.
	Keyword string
	// SchemaPath is the JSON pointer to the keyword that the value fails, within the whole
	// schema: to the keyword itself, not along references. It is "" unless
	// Keyword is one of JSON Schema's, and leads to the schema itself for KeywordFalse.
	SchemaPath string
	// Dialect is set with KeywordSchema: the unknown dialect, if Path leads
	// to $schema, or the dialect that lacks what Path leads to. It is cut
	// after 64 bytes, and otherwise "".
	Dialect string
}

// Error returns one short sentence with the path and the keyword.
func (f Fault) Error() string {
	switch f.Keyword {
	case KeywordLimit:
		return "schema: the check exceeds its limit"
	case KeywordSyntax:
		return "schema: the value is not valid JSON"
	case KeywordUnchecked:
		return "schema: the keyword" + at(f.Path) + " is not checked"
	case KeywordSchema:
		text := "schema: the schema is not usable" + at(f.Path)
		switch {
		case f.Dialect == "":
			return text
		case strings.HasSuffix(f.Path, "/$schema"):
			return text + ": the dialect " + strconv.Quote(f.Dialect) + " is not known"
		}
		return text + ": the dialect " + strconv.Quote(f.Dialect) + " does not have it"
	}
	return "schema: the value" + at(f.Path) + " fails " + f.Keyword
}

func at(path string) string {
	if path == "" {
		return ""
	}
	return " at " + strconv.Quote(path)
}

// Basic is the Validator of this package. It checks the keywords that the
// package documentation lists, as JSON Schema 2020-12 defines them, and
// ignores all others. It has no state: the zero value is ready, and checks no formats.
type Basic struct {
	// Formats are the formats to check; zero checks none.
	Formats Formats
}

// Validate returns nil or a Fault. It follows JSON Schema 2020-12, Core and
// Validation, to the extent that the package documentation says.
func (b Basic) Validate(schema, value jsonrpc.Raw) error {
	c := compiler{work: newWork(allowed(len(schema) + len(value))), formats: b.Formats}
	r := c.compile(string(schema))
	if c.dead {
		return *c.fault
	}
	return validate(c.steps, r, value)
}

// Check reports whether schema can be the inputSchema or outputSchema of a tool:
// an object with type "object", in which every checked keyword has a
// valid value and every $ref leads to a schema. It returns nil or a Fault
// with KeywordSchema or KeywordLimit. It follows Tools, data types.
func Check(schema jsonrpc.Raw) error {
	_, err := Compile(schema)
	return err
}

// trim returns the one value in raw, without the white space around it.
func trim(raw string) (string, rawjson.Fault) {
	if f := rawjson.Check(raw, rawjson.DefaultDepth); f != rawjson.OK {
		return "", f
	}
	return strings.Trim(raw, space), rawjson.OK // a valid text has nothing else around it
}

const space = " \t\r\n"
