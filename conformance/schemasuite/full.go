package schemasuite

import (
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sansmcp/mcp/jsonrpc"
)

// Full is a schema compiled by a complete implementation, of drafts 4 to 2020-12. It loads no
// other schemas than the metaschemas of the drafts, which are built in.
type Full struct{ schema *jsonschema.Schema }

// Compile reads a schema. It fails for one that is invalid in its dialect. With formats it checks
// the keyword format, which is otherwise an annotation.
func Compile(of jsonrpc.Raw, formats bool) (Full, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(of)))
	if err != nil {
		return Full{}, err
	}
	const name = "schema:whole"
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if formats {
		c.AssertFormat()
	}
	if err := c.AddResource(name, doc); err != nil {
		return Full{}, err
	}
	s, err := c.Compile(name)
	return Full{s}, err
}

// Validate returns nil if a value satisfies the schema.
func (f Full) Validate(value jsonrpc.Raw) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(value)))
	if err != nil {
		return err
	}
	return f.schema.Validate(v)
}

// noLoader loads nothing.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("schemasuite: %q is not read", url)
}
