package protocol

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// ResultInfo is what a dispatcher needs to know of a result, found in the pass that
// checks it. It is part of the result: copy what is kept.
type ResultInfo struct {
	Odd        bool // some content block is of a kind that the schema does not have
	Failed     bool // isError of tools/call
	Structured Raw  // structuredContent of tools/call, "" for none
}

func readCallToolResult(raw Raw, span jsonrpc.Span, a age) (ResultInfo, error) {
	var v CallToolResult
	err := v.read(raw, span, mode{age: a, skim: true}) // which leaves an odd item, if there is one
	return ResultInfo{Failed: v.IsError, Structured: v.StructuredContent, Odd: len(v.Content) > 0}, err
}

func readGetPromptResult(raw Raw, span jsonrpc.Span, a age) (ResultInfo, error) {
	var v GetPromptResult
	err := v.read(raw, span, mode{age: a, skim: true})
	return ResultInfo{Odd: len(v.Messages) > 0}, err
}

// odd reports whether the block is of a kind that the schema does not have.
func (v *Content) odd() bool { return v.Raw != "" }

func (v *PromptMessage) odd() bool { return v.Content.odd() }

// DropInvalidItems returns a result without the items that are not what its list should hold,
// and how many these were: one odd item must not cost the result. It knows the list
// methods and the content of a tool's result, whose items stand each for itself. ok is
// false for a result with another fault, for one with more than 1000 odd items, which is no
// list any more, and for other methods.
func DropInvalidItems(m Method, raw Raw) (rest Raw, dropped int, ok bool) {
	var member string
	var check interface {
		read(Raw, jsonrpc.Span, mode) error
	}
	switch m {
	case MethodToolsList:
		member, check = "tools", &Tool{}
	case MethodToolsCall:
		member, check = "content", &Content{}
	case MethodResourcesList:
		member, check = "resources", &Resource{}
	case MethodResourceTemplatesList:
		member, check = "resourceTemplates", &ResourceTemplate{}
	case MethodPromptsList:
		member, check = "prompts", &Prompt{}
	default:
		return raw, 0, false
	}
	list, _ := rawjson.Get(string(raw), member)
	items, ok := rawjson.Elements(list)
	if !ok {
		return raw, 0, false
	}
	var kept strings.Builder
	kept.Grow(len(list))
	kept.WriteByte('[')
	for {
		item, more := items.Next()
		if !more {
			break
		}
		if check.read(Raw(item), jsonrpc.Span{}, mode{skim: true}) != nil {
			if dropped++; dropped > maxOdd {
				return raw, dropped, false
			}
			continue
		}
		if kept.Len() > 1 {
			kept.WriteByte(',')
		}
		kept.WriteString(item)
	}
	kept.WriteByte(']')
	rest = Raw(rawjson.Set(string(raw), member, kept.String()))
	row := Revision20250618.Row(m)
	return rest, dropped, row.CheckResult(rest, jsonrpc.Span{}) == nil
}

// maxOdd is how many odd items make a list that is no list any more.
const maxOdd = 1000
