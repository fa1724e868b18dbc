package protocol

import (
	"cmp"
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// MethodCompletionComplete is the method of completion (completion page).
const MethodCompletionComplete = "completion/complete"

// completionRows: 2024-11-05 has no capability for completion.
var completionRows = []Row{
	{
		Method: MethodCompletionComplete, Receiver: Server, Declares: CapCompletions, Send: ready, Serve: early, Cancellable: true,
		ages: ages{until: age20250326}, ResultRule: "COMPL-007", telling: [2]string{"ref"}, accept: acceptCompletion, complete: completeCompletion,
		params: checkCompleteParams, result: checkCompleteResult,
	},
	{
		Method: MethodCompletionComplete, Receiver: Server, Gate: CapCompletions, Declares: CapCompletions, Send: ready, Serve: early, Cancellable: true,
		ages: ages{since: age20250326}, ResultRule: "COMPL-007", telling: [2]string{"ref"}, accept: acceptCompletion, complete: completeCompletion,
		params: checkCompleteParams, result: checkCompleteResult,
	},
}

// acceptCompletion cuts a result of more values than are allowed (completion, Completion
// Results).
func acceptCompletion(_ *Row, a Reply) Reply {
	if rest, cut := LimitCompletion(a.Body); cut {
		a.find("COMPL-008")
		a.mend(rest)
	}
	return a
}

func completeCompletion(_ *Row, a Reply) Reply {
	a.Body, _ = LimitCompletion(a.Body)
	return a
}

// CompleteParams are the params of completion/complete (COMPL-022).
type CompleteParams struct {
	// Ref is the prompt or resource template that the argument belongs to.
	Ref Reference `json:"ref"`
	// Argument is the argument to complete.
	Argument CompleteArgument `json:"argument"`
	// Context is what is known already.
	Context *CompleteContext `json:"context,omitzero" since:"2025-06-18"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" mcp:"request"`
}

// Reference is a PromptReference or a ResourceTemplateReference of the schema;
// Type says which (COMPL-003, RES-014).
//
//sansmcp:schema PromptReference
type Reference struct {
	// Type is RefPrompt or RefResource.
	Type string
	// Name is the name of the prompt (RefPrompt).
	Name string
	// Title is its name for display (RefPrompt).
	Title string `json:"title,omitzero" since:"2025-06-18"`
	// URI is a uri or uri template (RefResource).
	URI string
}

// The types of a Reference.
const (
	RefPrompt   = "ref/prompt"
	RefResource = "ref/resource"
)

// PromptReference returns a reference to the prompt of that name.
func PromptReference(name string) Reference { return Reference{Type: RefPrompt, Name: name} }

// ResourceReference returns a reference to the resource or resource template of
// that uri.
func ResourceReference(uri string) Reference { return Reference{Type: RefResource, URI: uri} }

// CompleteArgument is the argument to complete.
type CompleteArgument struct {
	// Name is its name.
	Name string `json:"name" mcp:"name"`
	// Value is what was typed so far.
	Value string `json:"value"`
}

// CompleteContext is what is known when an argument is completed.
type CompleteContext struct {
	// Arguments are the arguments already resolved (COMPL-006).
	Arguments map[string]string `json:"arguments,omitzero"`
}

// CompleteResult is the result of completion/complete.
type CompleteResult struct {
	// Completion holds the proposals.
	Completion Completion `json:"completion"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}

// MaxCompletionValues is the largest number of values in a Completion
// (completion, Completion Results).
const MaxCompletionValues = 100

// Completion is a list of proposals for an argument (COMPL-021).
type Completion struct {
	// Values are the proposals, best first, at most MaxCompletionValues.
	Values []string `json:"values"`
	// Total is how many there are, if known; it may exceed the length of Values.
	Total *int64 `json:"total,omitzero"`
	// HasMore: there are more than those in Values, even if their number is unknown.
	HasMore bool `json:"hasMore,omitzero"`
}

// LimitCompletion returns the result of completion/complete cut to MaxCompletionValues,
// with hasMore set if anything was cut off, and total if it was absent, and whether it
// was (completion, Completion Results); all else stays byte for byte.
func LimitCompletion(raw Raw) (Raw, bool) {
	completion, _ := rawjson.Get(string(raw), "completion")
	values, _ := rawjson.Get(completion, "values")
	list, _ := rawjson.Elements(values)
	kept := []byte{'['}
	n := 0
	for val := range list.All {
		if n++; n > MaxCompletionValues {
			continue
		}
		if n > 1 {
			kept = append(kept, ',')
		}
		kept = append(kept, val...)
	}
	if n <= MaxCompletionValues {
		return raw, false
	}
	completion = rawjson.Set(completion, "values", string(append(kept, ']')))
	if total, _ := rawjson.Get(completion, "total"); total == "" || total == "null" {
		completion = rawjson.Set(completion, "total", strconv.Itoa(n))
	}
	completion = rawjson.Set(completion, "hasMore", "true")
	return Raw(rawjson.Set(string(raw), "completion", completion)), true
}

// AppendJSON appends the reference as JSON to dst.
func (v Reference) AppendJSON(dst []byte) []byte {
	dst = rawjson.AppendQuote(append(dst, `{"type":`...), v.Type)
	if v.Type == RefPrompt {
		dst = rawjson.AppendQuote(append(dst, `,"name":`...), v.Name)
		if v.Title != "" {
			dst = rawjson.AppendQuote(append(dst, `,"title":`...), v.Title)
		}
	} else {
		dst = rawjson.AppendQuote(append(dst, `,"uri":`...), v.URI)
	}
	return append(dst, '}')
}

// DecodeJSON reads a reference of either type. The error is a *DecodeError.
func (v *Reference) DecodeJSON(raw Raw, span jsonrpc.Span) error { return v.read(raw, span, mode{}) }

// read is DecodeJSON in the given mode.
func (v *Reference) read(raw Raw, span jsonrpc.Span, how mode) error {
	const typ = "Reference"
	*v = Reference{}
	var kind, name, title, uri string
	err := scan(typ, raw, span, want{"type", &kind}, want{"name", &name}, want{"title", &title}, want{"uri", &uri})
	if !how.age.in(ages{age20250618, 0}) {
		title = ""
	}
	if err = cmp.Or(err, fault(typ, "type", setString(&v.Type, kind, true))); err != nil {
		return err
	}
	switch v.Type {
	case RefPrompt:
		return cmp.Or(fault(typ, "name", setString(&v.Name, name, true)), fault(typ, "title", setString(&v.Title, title, false)))
	case RefResource:
		return fault(typ, "uri", setString(&v.URI, uri, true))
	}
	return fault(typ, "type", ReasonValue)
}

// Validate reports whether the reference can be sent: its type is one of the two
// and nothing of the other type is set.
func (v Reference) Validate() error {
	const typ = "Reference"
	switch {
	case v.Type != RefPrompt && v.Type != RefResource:
		return fault(typ, "type", ReasonValue)
	case v.Type == RefPrompt && v.URI != "":
		return fault(typ, "uri", ReasonConflict)
	case v.Type == RefResource && v.Name+v.Title != "":
		return fault(typ, "name", ReasonConflict)
	case verifyName(v.Name) != 0:
		return fault(typ, "name", ReasonUTF8)
	case verifyName(v.URI) != 0:
		return fault(typ, "uri", ReasonUTF8)
	}
	return nil
}
