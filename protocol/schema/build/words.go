package build

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
)

// Title names the value for display.
func (s Schema) Title(text string) Schema {
	return s.change(func(n *node) { n.title = strings.Clone(text) })
}

// Description tells a model what the value is.
func (s Schema) Description(text string) Schema {
	return s.change(func(n *node) { n.description = strings.Clone(text) })
}

// Default is the value of an absent member, JSON text. It must satisfy the schema.
func (s Schema) Default(value jsonrpc.Raw) Schema {
	return s.change(func(n *node) { n.standard = clone(value) })
}

// Examples adds values, as JSON text, that must satisfy the schema.
func (s Schema) Examples(values ...jsonrpc.Raw) Schema {
	return s.change(func(n *node) { n.examples = append(slices.Clip(n.examples), clones(values)...) })
}

// Enum allows only these values, JSON text. A second Enum replaces the first.
func (s Schema) Enum(values ...jsonrpc.Raw) Schema {
	return s.change(func(n *node) { n.enum = clones(values) })
}

// MinLength is the minimum length of a string in code points.
func (s Schema) MinLength(least int) Schema {
	return s.change(func(n *node) { n.length.min = &least })
}

// MaxLength is the maximum length of a string in code points.
func (s Schema) MaxLength(most int) Schema {
	return s.change(func(n *node) { n.length.max = &most })
}

// Pattern is a regular expression of ECMA-262 that must match a part of the string.
func (s Schema) Pattern(expr string) Schema {
	return s.change(func(n *node) { n.pattern = strings.Clone(expr) })
}

// Format says what the string represents, such as "date-time" or "uri". Most readers do not
// check it.
func (s Schema) Format(name string) Schema {
	return s.change(func(n *node) { n.format = strings.Clone(name) })
}

// Encoding says how the string encodes bytes, such as "base64". Readers do not check it.
func (s Schema) Encoding(name string) Schema {
	return s.change(func(n *node) { n.encoding = strings.Clone(name) })
}

// Min is the smallest allowed number, JSON text.
func (s Schema) Min(number jsonrpc.Raw) Schema {
	return s.change(func(n *node) { n.min = clone(number) })
}

// Max is the greatest allowed number, JSON text.
func (s Schema) Max(number jsonrpc.Raw) Schema {
	return s.change(func(n *node) { n.max = clone(number) })
}

// Above is a number that the value must exceed (exclusiveMinimum), JSON text.
func (s Schema) Above(number jsonrpc.Raw) Schema {
	return s.change(func(n *node) { n.above = clone(number) })
}

// Below is a number that the value must be less than (exclusiveMaximum), JSON text.
func (s Schema) Below(number jsonrpc.Raw) Schema {
	return s.change(func(n *node) { n.below = clone(number) })
}

// MultipleOf is a divisor of the number, JSON text with at most 19 significant digits.
func (s Schema) MultipleOf(number jsonrpc.Raw) Schema {
	return s.change(func(n *node) { n.multiple = clone(number) })
}

// Items is the schema of the elements of an array. It replaces the argument of Array.
func (s Schema) Items(items Schema) Schema {
	return s.change(func(n *node) { n.items = &items })
}

// MinItems is the minimum number of elements of an array.
func (s Schema) MinItems(least int) Schema {
	return s.change(func(n *node) { n.elements.min = &least })
}

// MaxItems is the maximum number of elements of an array.
func (s Schema) MaxItems(most int) Schema {
	return s.change(func(n *node) { n.elements.max = &most })
}

// Unique forbids equal elements of an array: 1 equals 1.0, and the order of members
// does not count.
func (s Schema) Unique() Schema {
	return s.change(func(n *node) { n.unique = true })
}

// Props adds members to an object, after its present ones.
func (s Schema) Props(props ...Property) Schema {
	return s.change(func(n *node) { n.props = append(slices.Clip(n.props), props...) })
}

// Required makes optional members required.
func (s Schema) Required(names ...string) Schema {
	return s.change(func(n *node) {
		n.required = slices.Clip(n.required)
		for _, name := range names {
			n.required = append(n.required, strings.Clone(name))
		}
	})
}

// Open allows any members in addition to the properties.
func (s Schema) Open() Schema { return s.Others(Schema{}) }

// Others allows members in addition to the properties, whose values satisfy values.
func (s Schema) Others(values Schema) Schema {
	return s.change(func(n *node) { n.others = &values })
}

// Names is a schema of strings for the names of all members.
func (s Schema) Names(names Schema) Schema {
	return s.change(func(n *node) { n.names = &names })
}

// MinProps is the minimum number of members of an object.
func (s Schema) MinProps(least int) Schema {
	return s.change(func(n *node) { n.members.min = &least })
}

// MaxProps is the maximum number of members of an object.
func (s Schema) MaxProps(most int) Schema {
	return s.change(func(n *node) { n.members.max = &most })
}

// Def adds a definition that Ref refers to anywhere in s. Only the outermost schema may have
// definitions.
func (s Schema) Def(name string, def Schema) Schema {
	return s.change(func(n *node) { n.defs = append(slices.Clip(n.defs), Prop(name, def)) })
}
