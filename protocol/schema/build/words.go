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

// Default is what an absent value stands for, JSON text. It has to satisfy the schema.
func (s Schema) Default(value jsonrpc.Raw) Schema {
	return s.change(func(n *node) { n.standard = clone(value) })
}

// Examples adds values that the schema accepts, JSON text.
func (s Schema) Examples(values ...jsonrpc.Raw) Schema {
	return s.change(func(n *node) { n.examples = append(slices.Clip(n.examples), clones(values)...) })
}

// Enum allows these values alone, JSON text. A second Enum takes the place of the first.
func (s Schema) Enum(values ...jsonrpc.Raw) Schema {
	return s.change(func(n *node) { n.enum = clones(values) })
}

// MinLength is how many code points a string has at least.
func (s Schema) MinLength(least int) Schema {
	return s.change(func(n *node) { n.length.min, n.said = &least, n.said|saidLength })
}

// MaxLength is how many code points a string has at most.
func (s Schema) MaxLength(most int) Schema {
	return s.change(func(n *node) { n.length.max, n.said = &most, n.said|saidLength })
}

// Pattern is a regular expression of ECMA-262 that has to match a part of the string.
func (s Schema) Pattern(expr string) Schema {
	return s.change(func(n *node) { n.pattern, n.said = strings.Clone(expr), n.said|saidText })
}

// Format says what the string stands for, as "date-time" or "uri". Most readers do not
// check it.
func (s Schema) Format(name string) Schema {
	return s.change(func(n *node) { n.format = strings.Clone(name) })
}

// Encoding says how the string holds bytes, as "base64". Readers do not check it.
func (s Schema) Encoding(name string) Schema {
	return s.change(func(n *node) { n.encoding, n.said = strings.Clone(name), n.said|saidText })
}

// Min is the least number that is allowed, JSON text.
func (s Schema) Min(number jsonrpc.Raw) Schema {
	return s.change(func(n *node) { n.min, n.said = clone(number), n.said|saidNumber })
}

// Max is the greatest number that is allowed, JSON text.
func (s Schema) Max(number jsonrpc.Raw) Schema {
	return s.change(func(n *node) { n.max, n.said = clone(number), n.said|saidNumber })
}

// Above is what the number has to be greater than (exclusiveMinimum), JSON text.
func (s Schema) Above(number jsonrpc.Raw) Schema {
	return s.change(func(n *node) { n.above, n.said = clone(number), n.said|saidNumber })
}

// Below is what the number has to be less than (exclusiveMaximum), JSON text.
func (s Schema) Below(number jsonrpc.Raw) Schema {
	return s.change(func(n *node) { n.below, n.said = clone(number), n.said|saidNumber })
}

// MultipleOf is what divides the number exactly, JSON text with at most 19 significant digits.
func (s Schema) MultipleOf(number jsonrpc.Raw) Schema {
	return s.change(func(n *node) { n.multiple, n.said = clone(number), n.said|saidNumber })
}

// Items is what the elements of an array have to be, in the place of what Array was given.
func (s Schema) Items(items Schema) Schema {
	return s.change(func(n *node) { n.items, n.said = &items, n.said|saidItems })
}

// MinItems is how many elements an array has at least.
func (s Schema) MinItems(least int) Schema {
	return s.change(func(n *node) { n.elements.min, n.said = &least, n.said|saidItems })
}

// MaxItems is how many elements an array has at most.
func (s Schema) MaxItems(most int) Schema {
	return s.change(func(n *node) { n.elements.max, n.said = &most, n.said|saidItems })
}

// Unique forbids two equal elements of an array: 1 equals 1.0, and the order of members
// does not count.
func (s Schema) Unique() Schema {
	return s.change(func(n *node) { n.unique, n.said = true, n.said|saidItems })
}

// Props adds members to an object, after those that it has.
func (s Schema) Props(props ...Property) Schema {
	return s.change(func(n *node) { n.props, n.said = append(slices.Clip(n.props), props...), n.said|saidMembers })
}

// Required asks for members that were added as optional ones.
func (s Schema) Required(names ...string) Schema {
	return s.change(func(n *node) {
		n.required, n.said = slices.Clip(n.required), n.said|saidMembers
		for _, name := range names {
			n.required = append(n.required, strings.Clone(name))
		}
	})
}

// Open allows any other members beside the properties.
func (s Schema) Open() Schema { return s.Others(Schema{}) }

// Others allows other members beside the properties, with such values.
func (s Schema) Others(values Schema) Schema {
	return s.change(func(n *node) { n.others, n.said = &values, n.said|saidMembers })
}

// Names is what the names of all members have to be, a schema of strings.
func (s Schema) Names(names Schema) Schema {
	return s.change(func(n *node) { n.names, n.said = &names, n.said|saidMembers })
}

// MinProps is how many members an object has at least.
func (s Schema) MinProps(least int) Schema {
	return s.change(func(n *node) { n.members.min, n.said = &least, n.said|saidMembers })
}

// MaxProps is how many members an object has at most.
func (s Schema) MaxProps(most int) Schema {
	return s.change(func(n *node) { n.members.max, n.said = &most, n.said|saidMembers })
}

// Def adds a definition that Ref refers to anywhere in s. Only the outermost schema may have
// definitions.
func (s Schema) Def(name string, def Schema) Schema {
	return s.change(func(n *node) { n.defs = append(slices.Clip(n.defs), Prop(name, def)) })
}
