package protocol

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// List is one of the lists that a server offers. Those of this package are compared by
// their address.
type List struct {
	Member  string     // the member of a result that has the items
	Key     string     // the member of an item that tells it from others
	Method  string     // the method that lists it
	Use     string     // the method that uses one item of it; "" for none
	Cap     Capability // what a server declares that has it
	Changed string     // the notification that announces its changes
	Change  Capability // what a server declares that announces them

	unknown func(key string) jsonrpc.Error
}

// Lists returns the lists, in a fixed order.
func Lists() []*List { return []*List{ToolList, ResourceList, TemplateList, PromptList} }

// ListOf returns the list that a method lists; nil if it lists none.
func ListOf(method string) *List {
	for _, l := range Lists() {
		if l.Method == method {
			return l
		}
	}
	return nil
}

// Check returns a *DecodeError for an item of the list that cannot be read.
func (l *List) Check(item Raw) error {
	switch l {
	case ToolList:
		return new(Tool).DecodeJSON(item, jsonrpc.Span{})
	case ResourceList:
		return new(Resource).DecodeJSON(item, jsonrpc.Span{})
	case TemplateList:
		return new(ResourceTemplate).DecodeJSON(item, jsonrpc.Span{})
	case PromptList:
		return new(Prompt).DecodeJSON(item, jsonrpc.Span{})
	}
	return fault("Item", "", ReasonType)
}

// Unknown returns the error for a request that names an item which the list does not have.
func (l *List) Unknown(key string) jsonrpc.Error {
	if l.unknown == nil { // a list that is none of this package
		return InvalidParams("unknown item")
	}
	return l.unknown(key)
}

// acceptList reports, once for a list, icons that cannot be read and names that a tool should
// not have. The items stay in the list, without such icons.
func acceptList(r *Row, a Reply) Reply {
	if !r.of.age.in(ages{since: age20251125}) {
		return a
	}
	list, _ := rawjson.Get(string(a.Body), r.Lists.Member)
	items, _ := rawjson.Elements(list)
	oddName, oddIcon := false, false
	for item := range items.All {
		if oddName && oddIcon {
			break
		}
		var quoted, icons string
		_ = scan("", Raw(item), jsonrpc.Span{}, want{"name", &quoted}, want{"icons", &icons}) // it has passed the check
		name, _ := rawjson.Unquote(quoted)
		oddName = oddName || r.Lists == ToolList && !ValidToolName(name)
		oddIcon = oddIcon || !areIcons(icons)
	}
	if oddName {
		a.find("TOOL-108") // it can be called
	}
	if oddIcon {
		a.find("ICON-005") // and left out
		if rest, _, ok := r.DropInvalidItems(a.Body); ok {
			a.mend(rest)
		}
	}
	return a
}
