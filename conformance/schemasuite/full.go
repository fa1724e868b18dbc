package schemasuite

import (
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/schema"
)

// Full is a schema.Validator that knows all of JSON Schema, drafts 4 to 2020-12. It reads no
// schemas from elsewhere but the metaschemas of the drafts, which it has.
type Full struct {
	// Formats makes it check the keyword format, which is an annotation otherwise.
	Formats bool
}

var _ schema.Validator = Full{}

// Fault is why a value is refused. Errors of Validate that are no Fault say that the schema or
// the value is not usable.
type Fault struct {
	// Path is the JSON pointer to the value at fault.
	Path string
	// Keyword is the keyword that it fails.
	Keyword string
}

// Error returns one short sentence with the path and the keyword.
func (f Fault) Error() string {
	return fmt.Sprintf("schemasuite: the value at %q fails %s", f.Path, f.Keyword)
}

// Validate returns nil if the value satisfies the schema, a Fault if it does not, and
// another error if the schema is not one or the value is not JSON. An empty value counts
// as {}.
func (f Full) Validate(of, value jsonrpc.Raw) error {
	c, err := f.Compile(of)
	if err != nil {
		return err
	}
	return c.Validate(value)
}

// Compiled is a schema that was read once, for many values.
type Compiled struct{ schema *jsonschema.Schema }

// Compile reads a schema. It fails for one that its dialect does not allow.
func (f Full) Compile(of jsonrpc.Raw) (Compiled, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(of)))
	if err != nil {
		return Compiled{}, err
	}
	const name = "schema:whole"
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if f.Formats {
		c.AssertFormat()
	}
	if err := c.AddResource(name, doc); err != nil {
		return Compiled{}, err
	}
	s, err := c.Compile(name)
	return Compiled{s}, err
}

// Validate is Full.Validate for the schema.
func (c Compiled) Validate(value jsonrpc.Raw) error {
	if value == "" {
		value = "{}"
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(value)))
	if err != nil {
		return err
	}
	err = c.schema.Validate(v)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err
	}
	for len(invalid.Causes) > 0 {
		invalid = invalid.Causes[0]
	}
	fault := Fault{Keyword: strings.Join(invalid.ErrorKind.KeywordPath(), "/")}
	for _, part := range invalid.InstanceLocation {
		fault.Path += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(part)
	}
	return fault
}

// noLoader reads nothing from elsewhere.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("schemasuite: %q is not read", url)
}
