package protocol

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// ResultGist is what a dispatcher needs to know of a result, found in the pass that
// checks it. It is part of the result: copy what is kept.
type ResultGist struct {
	Odd        bool // some content block is of a kind that the schema does not have
	Failed     bool // isError of tools/call
	Structured Raw  // structuredContent of tools/call, "" for none
}

func readCallToolResult(raw Raw, span jsonrpc.Span) (ResultGist, error) {
	var v CallToolResult
	err := v.DecodeJSON(raw, span)
	g := ResultGist{Failed: v.IsError, Structured: v.StructuredContent}
	for i := range v.Content {
		g.Odd = g.Odd || v.Content[i].Raw != ""
	}
	return g, err
}

func readGetPromptResult(raw Raw, span jsonrpc.Span) (ResultGist, error) {
	var v GetPromptResult
	err := v.DecodeJSON(raw, span)
	var g ResultGist
	for i := range v.Messages {
		g.Odd = g.Odd || v.Messages[i].Content.Raw != ""
	}
	return g, err
}

// DropOdd returns a result without the items that are not what its list should hold,
// and how many these were: one odd item must not cost the result. It knows the list
// methods and the content of a tool's result, whose items stand each for itself. ok is
// false for a result with another fault, for one with more than 1000 odd items, which is no
// list any more, and for other methods.
func DropOdd(m Method, raw Raw) (rest Raw, dropped int, ok bool) {
	var member string
	var check func(Raw) error
	switch m {
	case MethodToolsList:
		member, check = "tools", decodes[Tool]
	case MethodToolsCall:
		member, check = "content", decodes[Content]
	case MethodResourcesList:
		member, check = "resources", decodes[Resource]
	case MethodResourceTemplatesList:
		member, check = "resourceTemplates", decodes[ResourceTemplate]
	case MethodPromptsList:
		member, check = "prompts", decodes[Prompt]
	default:
		return raw, 0, false
	}
	list, _ := rawjson.Get(string(raw), member)
	items, ok := rawjson.Elements(list)
	if !ok {
		return raw, 0, false
	}
	kept := []byte{'['}
	for {
		item, more := items.Next()
		if !more {
			break
		}
		if check(Raw(item)) != nil {
			if dropped++; dropped > maxOdd {
				return raw, dropped, false
			}
			continue
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(kept, item...)
	}
	rest = Raw(rawjson.Set(string(raw), member, string(append(kept, ']'))))
	row := Revision20250618.Row(m)
	return rest, dropped, row.CheckResult(rest, jsonrpc.Span{}) == nil
}

// maxOdd is how many odd items make a list that is no list any more.
const maxOdd = 1000

func decodes[T any, P interface {
	*T
	DecodeJSON(Raw, jsonrpc.Span) error
}](raw Raw) error {
	_, err := Decode[T, P](raw)
	return err
}
