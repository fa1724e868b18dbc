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

// leaveOut returns the items without the optional members that cannot be sent, if they are those
// of others. A required member stays, and NewCatalog fails for it.
func (c *Catalog) leaveOut(items Items) Items {
	switch items.Schemas.(type) {
	case schema.Lenient, schema.None:
	default:
		return items
	}
	items.Tools = sound(c, "tools", items.Tools, func(t protocol.Tool) string { return t.Name }, withoutOfTool)
	items.Resources = sound(c, "resources", items.Resources, func(r protocol.Resource) string { return r.URI }, withoutOfResource)
	items.ResourceTemplates = sound(c, "resourceTemplates", items.ResourceTemplates, func(t protocol.ResourceTemplate) string { return t.URITemplate }, withoutOfTemplate)
	items.Prompts = sound(c, "prompts", items.Prompts, func(p protocol.Prompt) string { return p.Name }, withoutOfPrompt)
	return items
}

// sound returns the list with each item as without leaves it, as long as that changes something.
// The list that it was given stays as it is.
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
			if name == last || !without(&it, name) { // of one member that still cannot be sent, all goes
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

// Each of these functions takes from an item what cannot be sent of one member; false says that
// the member is required, or is not there.

func withoutOfTool(t *protocol.Tool, member string) bool {
	switch member {
	case "inputSchema":
		mended, ok := mendSchema(t.InputSchema)
		t.InputSchema = mended
		return ok
	case "outputSchema":
		t.OutputSchema, _ = mendSchema(t.OutputSchema)
	case "icons":
		t.Icons = valid(t.Icons)
	case "execution":
		t.Execution = nil
	case "_meta":
		t.Meta = ""
	default:
		return false
	}
	return true
}

func withoutOfResource(r *protocol.Resource, member string) bool {
	switch member {
	case "mimeType":
		r.MIMEType = ""
	case "annotations":
		r.Annotations = nil
	case "icons":
		r.Icons = valid(r.Icons)
	case "_meta":
		r.Meta = ""
	default:
		return false
	}
	return true
}

func withoutOfTemplate(t *protocol.ResourceTemplate, member string) bool {
	switch member {
	case "mimeType":
		t.MIMEType = ""
	case "annotations":
		t.Annotations = nil
	case "icons":
		t.Icons = valid(t.Icons)
	case "_meta":
		t.Meta = ""
	default:
		return false
	}
	return true
}

func withoutOfPrompt(p *protocol.Prompt, member string) bool {
	switch member {
	case "arguments":
		p.Arguments = valid(p.Arguments)
	case "icons":
		p.Icons = valid(p.Icons)
	case "_meta":
		p.Meta = ""
	default:
		return false
	}
	return true
}

// valid returns the elements that can be sent; nil for none.
func valid[T item](list []T) (rest []T) {
	for _, it := range list {
		if it.Validate() == nil {
			rest = append(rest, it)
		}
	}
	return rest
}

// mendSchema returns the schema of a tool without the properties that are no schemas and the names
// required that are no text, as protocol.List.Mend leaves them out. It returns "" and false if that
// is none, or if all the properties or all that is required would go (SCHEMA-108).
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
