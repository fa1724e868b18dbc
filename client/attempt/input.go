package attempt

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Input is the inputSchema of a tool, read once for many calls (row E4). It is immutable and may be
// shared. Nil only requires an object.
type Input struct {
	raw    protocol.Raw
	schema schema.Schema
}

// NewInput compiles a schema, which may come from a server: unusable parts are not checked, as in
// schema.CompileLenient. It keeps a copy.
func NewInput(raw protocol.Raw) *Input {
	in := &Input{raw: protocol.Raw(strings.Clone(string(raw)))}
	in.schema, _ = schema.CompileLenient(in.raw)
	return in
}

// Check returns the arguments to send. Empty and null arguments are omitted if the schema requires
// none, and are NullArguments otherwise. Arguments that are not an object, or do not satisfy the
// schema, are InvalidArguments, which names all faults.
func (in *Input) Check(tool string, arguments protocol.Raw) (protocol.Raw, *toolerror.Error) {
	text := protocol.Raw(strings.Trim(string(arguments), " \t\r\n"))
	if text == "" || text == "null" {
		if names := in.required(); len(names) > 0 {
			return "", toolerror.From(tool, schema.ArgumentErrors{{Kind: schema.ArgumentNull, Want: "an object", Names: schema.Hints(names)}})
		}
		return "", nil
	}
	switch kind := rawjson.Type(string(text)); {
	case !rawjson.Valid(string(text)):
		return "", toolerror.From(tool, schema.ArgumentErrors{{Kind: schema.ArgumentSyntax}})
	case kind != "object":
		return "", toolerror.From(tool, schema.ArgumentErrors{{Kind: schema.ArgumentType, Want: "an object", Got: kind}})
	case in == nil:
		return text, nil
	}
	if _, err := schema.CheckArguments(compiled{in.schema}, in.raw, text); err != nil {
		// A Validator of this package names the first fault. For a caller who has to mend them, the schema is read again.
		if _, all := schema.CheckArguments(schema.Lenient{}, in.raw, text); all != nil {
			err = all
		}
		return "", toolerror.From(tool, err)
	}
	return text, nil
}

// required returns the names of required arguments.
func (in *Input) required() (names []string) {
	if in == nil {
		return nil
	}
	raw, _ := rawjson.Get(string(in.raw), "required")
	list, _ := rawjson.Elements(raw)
	for val := range list.All {
		name, ok := rawjson.Unquote(val)
		if !ok {
			break
		}
		names = append(names, name)
	}
	return names
}

// compiled is a Validator for a compiled schema.
type compiled struct{ schema schema.Schema }

// Validate checks a value against the schema.
func (c compiled) Validate(_, value protocol.Raw) error { return c.schema.Validate(value) }
