package server

import (
	"errors"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
)

// leaveOut returns the items without optional members that cannot be sent, if Items.Schemas is for
// tools of other servers. A required member stays, and NewCatalog fails for it.
func (c *Catalog) leaveOut(items Items) Items {
	switch items.Schemas.(type) {
	case schema.Lenient, schema.None:
	default:
		return items
	}
	items.Tools = sound(c, "tools", items.Tools, toolKind.key, withoutOfTool)
	items.Resources = sound(c, "resources", items.Resources, resourceKind.key, withoutOfResource)
	items.ResourceTemplates = sound(c, "resourceTemplates", items.ResourceTemplates, templateKind.key, withoutOfTemplate)
	items.Prompts = sound(c, "prompts", items.Prompts, promptKind.key, withoutOfPrompt)
	return items
}

// sound returns the list with the invalid members of its items removed by without, as far as that
// changes something. It does not change the list that it gets.
func sound[T item](c *Catalog, member string, list []T, key func(T) string, without func(it *T, member string) bool) []T {
	copied := false
	for i := range list {
		it, last := list[i], ""
		for {
			var e *protocol.DecodeError
			if !errors.As(it.Validate(), &e) {
				break
			}
			name, _, _ := strings.Cut(e.Path, ".")
			name, _, _ = strings.Cut(name, "[")
			if name == last || !without(&it, name) { // NewCatalog fails for a member that stays invalid
				break
			}
			last = name
			c.leftOut = append(c.leftOut, LeftOut{member, strings.Clone(key(it)), e})
			if !copied {
				list, copied = slices.Clone(list), true
			}
			list[i] = it
		}
	}
	return list
}

// Each of these functions removes from an item what cannot be sent of one member. It returns false
// if the member is required or does not exist.

func withoutOfTool(t *protocol.Tool, member string) bool {
	switch member {
	case "inputSchema":
		mended, ok := mendSchema(t.InputSchema)
		t.InputSchema = mended
		return ok
	case "outputSchema":
		t.OutputSchema, _ = mendSchema(t.OutputSchema)
	case "execution":
		t.Execution = nil
	default:
		return optional{icons: &t.Icons, meta: &t.Meta}.without(member)
	}
	return true
}

func withoutOfResource(r *protocol.Resource, member string) bool {
	return optional{&r.MIMEType, &r.Annotations, &r.Icons, &r.Meta}.without(member)
}

func withoutOfTemplate(t *protocol.ResourceTemplate, member string) bool {
	return optional{&t.MIMEType, &t.Annotations, &t.Icons, &t.Meta}.without(member)
}

func withoutOfPrompt(p *protocol.Prompt, member string) bool {
	if member == "arguments" {
		p.Arguments = valid(p.Arguments)
		return true
	}
	return optional{icons: &p.Icons, meta: &p.Meta}.without(member)
}

// optional are the members that several kinds of items share; nil for one that the item does not
// have.
type optional struct {
	mimeType    *string
	annotations **protocol.Annotations
	icons       *[]protocol.Icon
	meta        *protocol.Meta
}

func (o optional) without(member string) bool {
	switch {
	case member == "mimeType" && o.mimeType != nil:
		*o.mimeType = ""
	case member == "annotations" && o.annotations != nil:
		*o.annotations = nil
	case member == "icons":
		*o.icons = valid(*o.icons)
	case member == "_meta":
		*o.meta = ""
	default:
		return false
	}
	return true
}

// valid returns the elements that can be sent, nil if there are none.
func valid[T item](list []T) (rest []T) {
	for _, it := range list {
		if it.Validate() == nil {
			rest = append(rest, it)
		}
	}
	return rest
}

// mendSchema returns the schema of a tool without properties that are not schemas and required
// names that are not strings, as protocol.List.Mend leaves them out. It returns "" and false if raw
// is not a schema, or if it would lose all its properties or all its required names (SCHEMA-108).
func mendSchema(raw jsonrpc.Raw) (mended jsonrpc.Raw, ok bool) {
	if !rawjson.Valid(string(raw)) {
		return "", false
	}
	tool, err := protocol.ToolList.Mend(`{"name":"","inputSchema":` + raw + `}`)
	if err != nil {
		return "", false
	}
	text, _ := rawjson.Get(string(tool), "inputSchema")
	for _, name := range []string{"properties", "required"} {
		_, was := rawjson.Get(string(raw), name)
		if _, is := rawjson.Get(text, name); was && !is {
			return "", false
		}
	}
	return jsonrpc.Raw(text), true
}
