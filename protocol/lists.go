package protocol

import "github.com/sansmcp/mcp/jsonrpc"

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

// Unknown returns the error for a request that names an item which the list does not have.
func (l *List) Unknown(key string) jsonrpc.Error { return l.unknown(key) }
