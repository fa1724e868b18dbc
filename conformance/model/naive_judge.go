package model

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// lists are the results whose items stand each for itself: the member that holds them, and the
// row that an odd one breaks.
var lists = map[string]struct{ member, rule string }{
	"tools/list":               {"tools", "TOOL-004"},
	"tools/call":               {"content", "SCHEMA-012"},
	"resources/list":           {"resources", "RES-004"},
	"resources/templates/list": {"resourceTemplates", "RES-011"},
	"prompts/list":             {"prompts", "PROMPT-003"},
}

// judge holds a result against what was asked. It returns the event that it comes to;
// what the peer did wrong goes before it.
func (n *Naive) judge(r req, m *jsonrpc.Message, x *Expect) Happening {
	h := Happening{Kind: lifecycle.ResponseReceived, Req: r.id, ID: m.ID, Method: r.method, Body: string(m.Body), Revision: r.revision}
	if !standard(r.method) {
		return h
	}
	v, isObject := members(string(m.Body))
	spoiled := !isObject || strings.Contains(string(m.Body), `\ud800`)
	fits := func() bool { return !spoiled && n.resultFits(r.method, v, false) }
	blame := func(rule string) {
		x.blame(rule, m)
		x.Events[len(x.Events)-1].Body, x.Events[len(x.Events)-1].JSON = h.Body, h.JSON
	}
	strange := func() {
		if strangeContent(r.method, v) {
			blame("SCHEMA-012")
		}
	}
	// mend tries a result with another value of a member.
	mend := func(member string, value any, rule string) {
		old := v
		v = maps.Clone(v)
		v[member] = value
		if !fits() {
			v = old
			return
		}
		blame(rule)
		h.Body, h.JSON = "", v // from now on it reads so
	}
	if r.method == "tools/call" && n.set.Policy.LenientContent && !fits() && isObject && v["content"] == nil {
		mend("content", []any{}, "TOOL-014")
	}
	list := lists[r.method]
	rule := judgeRows[r.method]
	if !fits() && !spoiled {
		old := v
		if v = mended(strings.Replace(resultShapes[r.method], "content object", "content! object", 1), v); fits() {
			blame(cmp.Or(list.rule, rule))
			x.Events[len(x.Events)-1].Cause = Why{Said: true}
			h.Body, h.JSON = "", v
		} else {
			v = old
		}
	}
	promised := r.schema != "" && n.revision >= "2025-06-18" && v["isError"] != true
	switch structured := v["structuredContent"]; {
	case !fits():
	case promised && !n.structured(v):
		strange()
		rule = "TOOL-029"
	case promised && !outputs[r.schema](structured):
		strange()
		rule = "TOOL-028"
	case r.method == "elicitation/create" && v["action"] == "accept" && !filled(r.form, v["content"], true):
	case r.method == "sampling/createMessage" && usesTool(v["content"]) && r.mode == "":
		rule = "SAMP-117"
	default:
		strange()
		items, _ := v[list.member].([]any)
		for _, rule := range n.oddities(r.method, items) {
			if blame(rule); rule == "ICON-005" {
				v = mended(resultShapes[r.method], v)
				h.Body, h.JSON = "", v
			}
		}
		if r.method == "sampling/createMessage" {
			if rule, _ := misused(v["content"], r.mode); rule != "" {
				blame(rule)
			}
		}
		if promised && unusable(r.schema) {
			x.Events = append(x.Events, Happening{Kind: lifecycle.LocalViolation, Method: r.method, Rule: "TOOL-028", Cause: Why{Said: true}})
		}
		n.agreed(r)
		switch v = maps.Clone(v); {
		case r.method == "elicitation/create" && (v["action"] != "accept" || r.end != "") && v["content"] != nil:
			delete(v, "content") // it does not count
			h.Body, h.JSON = "", v
		case r.method == "completion/complete" && cutCompletion(v):
			blame("COMPL-008")
			h.Body, h.JSON = "", v
		}
		return h
	}
	blame(rule)
	h.Kind, h.Cause = lifecycle.RequestFailed, Why{Kind: lifecycle.CauseInvalidResponse, Said: true}
	return h
}

// strangeContent reports whether there is content of a kind that the schema does not have.
func strangeContent(method string, v map[string]any) bool {
	var blocks []any
	switch method {
	case "tools/call":
		blocks = v["content"].([]any)
	case "prompts/get":
		for _, msg := range v["messages"].([]any) {
			blocks = append(blocks, msg.(map[string]any)["content"])
		}
	}
	known := []string{"text", "image", "audio", "resource_link", "resource"}
	return slices.ContainsFunc(blocks, func(b any) bool { return !slices.Contains(known, b.(map[string]any)["type"].(string)) })
}

// agreed notes the subscriptions that the peer has agreed to.
func (n *Naive) agreed(r req) {
	switch i := slices.Index(n.subs, r.uri); {
	case r.method == "resources/subscribe" && i < 0 && n.roomFor(r.uri):
		n.subs = append(n.subs, r.uri)
	case r.method == "resources/unsubscribe" && i >= 0:
		n.subs = slices.Delete(n.subs, i, i+1)
	}
}

// ofURI reports whether requests of the method are about one resource.
func ofURI(method string) bool {
	return method == "resources/read" || method == "resources/subscribe" || method == "resources/unsubscribe"
}

var uri = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\x7f]*$`)

func isURI(s string) bool { return uri.MatchString(s) }

var toolName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

// oddities returns the rows that items of a list break and that cost none of them, each once.
func (n *Naive) oddities(method string, items []any) (rules []string) {
	if !n.late() || !strings.HasSuffix(method, "/list") {
		return nil
	}
	if method == "tools/list" && slices.ContainsFunc(items, func(t any) bool { return !toolName.MatchString(t.(map[string]any)["name"].(string)) }) {
		rules = append(rules, "TOOL-108")
	}
	odd := func(item any) bool {
		o, _ := item.(map[string]any)
		return o["icons"] != nil && !isKind(o["icons"], "[]icon")
	}
	if slices.ContainsFunc(items, odd) {
		rules = append(rules, "ICON-005")
	}
	return rules
}
