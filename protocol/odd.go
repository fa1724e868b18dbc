package protocol

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// DropOdd returns the result of a list method without the items that are not what the
// list should hold, and how many these were: one odd item must not cost the list. ok is
// false for a result that has another fault, and for methods that list nothing.
func DropOdd(m Method, raw Raw) (rest Raw, dropped int, ok bool) {
	var member string
	var check func(Raw) error
	switch m {
	case MethodToolsList:
		member, check = "tools", decodes[Tool]
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
			dropped++
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

func decodes[T any, P interface {
	*T
	DecodeJSON(Raw, jsonrpc.Span) error
}](raw Raw) error {
	_, err := Decode[T, P](raw)
	return err
}
