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
	return s.change(func(n *node) { n.length.min = &least })
}

// MaxLength is how many code points a string has at most.
func (s Schema) MaxLength(most int) Schema {
	return s.change(func(n *node) { n.length.max = &most })
}

// Pattern is a regular expression of ECMA-262 that has to match a part of the string.
func (s Schema) Pattern(expr string) Schema {
	return s.change(func(n *node) { n.pattern = strings.Clone(expr) })
}

// Format says what the string stands for, as "date-time" or "uri". Most readers do not
// check it.
func (s Schema) Format(name string) Schema {
	return s.change(func(n *node) { n.format = strings.Clone(name) })
}

// Encoding says how the string holds bytes, as "base64". Readers do not check it.
func (s Schema) Encoding(name string) Schema {
	return s.change(func(n *node) { n.encoding = strings.Clone(name) })
}

// Min is the least number that is allowed, JSON text.
func (s Schema) Min(number jsonrpc.Raw) Schema {
	return s.change(func(n *node) { n.min = clone(number) })
}

// Max is the greatest number that is allowed, JSON text.
func (s Schema) Max(number jsonrpc.Raw) Schema {
	return s.change(func(n *node) { n.max = clone(number) })
}

// Above is what the number has to be greater than (exclusiveMinimum), JSON text.
func (s Schema) Above(number jsonrpc.Raw) Schema {
	return s.change(func(n *node) { n.above = clone(number) })
}

// Below is what the number has to be less than (exclusiveMaximum), JSON text.
func (s Schema) Below(number jsonrpc.Raw) Schema {
	return s.change(func(n *node) { n.below = clone(number) })
}

// MultipleOf is what divides the number exactly, JSON text with at most 19 significant digits.
func (s Schema) MultipleOf(number jsonrpc.Raw) Schema {
	return s.change(func(n *node) { n.multiple = clone(number) })
}

// Items is what the elements of an array have to be, in the place of what Array was given.
func (s Schema) Items(items Schema) Schema {
	return s.change(func(n *node) { n.items = &items })
}

// MinItems is how many elements an array has at least.
func (s Schema) MinItems(least int) Schema {
	return s.change(func(n *node) { n.elements.min = &least })
}

// MaxItems is how many elements an array has at most.
func (s Schema) MaxItems(most int) Schema {
	return s.change(func(n *node) { n.elements.max = &most })
}

// Unique forbids two equal elements of an array: 1 equals 1.0, and the order of members
// does not count.
func (s Schema) Unique() Schema {
	return s.change(func(n *node) { n.unique = true })
}

// Props adds members to an object, after those that it has.
func (s Schema) Props(props ...Property) Schema {
	return s.change(func(n *node) { n.props = append(slices.Clip(n.props), props...) })
}

// Required asks for members that were added as optional ones.
func (s Schema) Required(names ...string) Schema {
	return s.change(func(n *node) {
		n.required = slices.Clip(n.required)
		for _, name := range names {
			n.required = append(n.required, strings.Clone(name))
		}
	})
}

// Open allows any other members beside the properties.
func (s Schema) Open() Schema { return s.Others(Schema{}) }

// Others allows other members beside the properties, with such values.
func (s Schema) Others(values Schema) Schema {
	return s.change(func(n *node) { n.others = &values })
}

// Names is what the names of all members have to be, a schema of strings.
func (s Schema) Names(names Schema) Schema {
	return s.change(func(n *node) { n.names = &names })
}

// MinProps is how many members an object has at least.
func (s Schema) MinProps(least int) Schema {
	return s.change(func(n *node) { n.members.min = &least })
}

// MaxProps is how many members an object has at most.
func (s Schema) MaxProps(most int) Schema {
	return s.change(func(n *node) { n.members.max = &most })
}

// Def adds a definition that Ref refers to anywhere in s. Only the outermost schema may have
// definitions.
func (s Schema) Def(name string, def Schema) Schema {
	return s.change(func(n *node) { n.defs = append(slices.Clip(n.defs), Prop(name, def)) })
}
