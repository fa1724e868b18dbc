package protocol

import (
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Needs returns the capabilities that the receiver has to have declared for a message with
// these params: for a request the Gate of the row, tools of sampling for tools and
// toolChoice, and the mode of an elicitation, and for the end of an elicitation by url that
// mode (sampling, Capabilities; elicitation, Capabilities). raw has passed CheckParams.
func (r *Row) Needs(raw Raw) Capability {
	switch {
	case r.Method == MethodElicitationComplete:
		return CapElicitation | CapElicitationURL
	case r.Notification:
		return 0
	}
	if !r.of.age.in(ages{since: age20251125}) {
		return r.Gate
	}
	switch r.Method {
	case MethodSamplingCreateMessage:
		tools, _ := rawjson.Get(string(raw), "tools")
		choice, _ := rawjson.Get(string(raw), "toolChoice")
		return r.Gate | flag(given(tools) || given(choice), CapSamplingTools)
	case MethodElicitationCreate:
		quoted, _ := rawjson.Get(string(raw), "mode")
		mode, _ := rawjson.Unquote(quoted)
		return r.Gate | flag(mode != string(ElicitURL), CapElicitationForm) | flag(mode == string(ElicitURL), CapElicitationURL)
	}
	return r.Gate
}
