package model

import (
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
)

// What the schema asks of params and results, as deep as the generators go: the members
// that a method needs or knows, by kind. A name that ends in ! is required.

var paramShapes = map[string]string{
	"initialize":               "protocolVersion! string, capabilities! object, clientInfo! impl",
	"ping":                     "",
	"tools/list":               "cursor string",
	"tools/call":               "name! string, arguments object",
	"resources/list":           "cursor string",
	"resources/templates/list": "cursor string",
	"resources/read":           "uri! string",
	"resources/subscribe":      "uri! string",
	"resources/unsubscribe":    "uri! string",
	"prompts/list":             "cursor string",
	"prompts/get":              "name! string, arguments strings",
	"completion/complete":      "ref! object, argument! object, context object",
	"logging/setLevel":         "level! level",
	"roots/list":               "",
	"sampling/createMessage":   "messages! array, maxTokens! int",
	"elicitation/create":       "message! string, requestedSchema! object",
	"server/discover":          "",
	"subscriptions/listen":     "notifications! filter",

	"notifications/elicitation/complete":       "elicitationId! string",
	"notifications/initialized":                "",
	"notifications/cancelled":                  "requestId! id, reason string",
	"notifications/progress":                   "progressToken! id, progress! num, total num, message string",
	"notifications/roots/list_changed":         "",
	"notifications/message":                    "level! level, data! any, logger string",
	"notifications/resources/updated":          "uri! string",
	"notifications/resources/list_changed":     "",
	"notifications/tools/list_changed":         "",
	"notifications/prompts/list_changed":       "",
	"notifications/subscriptions/acknowledged": "notifications! filter",
}

var resultShapes = map[string]string{
	"initialize":               "protocolVersion! string, capabilities! object, serverInfo! impl, instructions string",
	"ping":                     "",
	"tools/list":               "tools! []tool, nextCursor string",
	"tools/call":               "content! []block, structuredContent object, isError bool",
	"resources/list":           "resources! []resource, nextCursor string",
	"resources/templates/list": "resourceTemplates! []template, nextCursor string",
	"resources/read":           "contents! array",
	"resources/subscribe":      "",
	"resources/unsubscribe":    "",
	"prompts/list":             "prompts! []prompt, nextCursor string",
	"prompts/get":              "messages! []message, description string",
	"completion/complete":      "completion! completion",
	"logging/setLevel":         "",
	"roots/list":               "roots! array",
	"sampling/createMessage":   "role! string, content! any, model! string, stopReason string",
	"elicitation/create":       "action! action, content object",
	"server/discover":          "supportedVersions! []string, capabilities! object, instructions string",
	"subscriptions/listen":     "",
}

// itemShapes are the kinds of items.
var itemShapes = map[string]string{
	"tool":     "name! string, inputSchema! object, outputSchema object, title string",
	"resource": "uri! string, name! string", "template": "uriTemplate! string, name! string", "prompt": "name! string",
	"message": "role! string, content! block",
}

// blockShapes are what the kinds of content have beside their type.
var blockShapes = map[string]string{
	"text": "text! string, ", "image": "data! string, mimeType! string, ", "resource": "resource! contents, ",
}

var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// parse reads JSON text with its numbers kept; ok is false if it is none.
func parse(text string) (v any, ok bool) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return nil, false
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, false
	}
	return v, true
}

// members reads an object; "" is an empty one.
func members(text string) (map[string]any, bool) {
	if text == "" {
		return map[string]any{}, true
	}
	v, _ := parse(text)
	m, ok := v.(map[string]any)
	return m, ok
}

// fits reports whether an object has the shape. Absent text is an empty object.
func fits(shape, text string, request bool) bool {
	m, ok := members(text)
	if !ok || strings.Contains(text, `\ud800`) {
		return false
	}
	return shaped(shape, m, request)
}

// shaped is fits for an object that was read.
func shaped(shape string, m map[string]any, request bool) bool {
	if meta := m["_meta"]; meta != nil {
		object, ok := meta.(map[string]any)
		if token := object["progressToken"]; !ok || request && token != nil && !isKind(token, "id") {
			return false
		}
	}
	if shape == "" {
		return true
	}
	for _, member := range strings.Split(shape, ", ") {
		name, kind, _ := strings.Cut(member, " ")
		name, must := strings.CutSuffix(name, "!")
		v := m[name]
		if v == nil && must || v != nil && !isKind(v, kind) {
			return false
		}
	}
	return true
}

// unset takes out of an object of the shape what is null in place of absent, unless the
// policy keeps it.
func (n *Naive) unset(shape string, m map[string]any, request bool) {
	if n.set.Policy.KeepNulls {
		return
	}
	for _, member := range strings.Split(shape+", _meta object", ", ") {
		name, _, _ := strings.Cut(member, " ")
		if v, there := m[name]; there && v == nil && !(name == "structuredContent" && stateless(n.revision)) {
			delete(m, name)
		}
	}
	// Two examples of what lies deeper.
	for list, inner := range map[string]string{"tools": "title string, description string, outputSchema object, annotations object", "content": "annotations object"} {
		items, _ := m[list].([]any)
		for _, item := range items {
			if item, ok := item.(map[string]any); ok && strings.Contains(shape, list+"! []") {
				n.unset(inner, item, false)
			}
		}
	}
	meta, _ := m["_meta"].(map[string]any)
	if token, there := meta["progressToken"]; there && token == nil && request {
		delete(meta, "progressToken")
	}
}

func isKind(v any, kind string) bool {
	s, str := v.(string)
	n, num := v.(json.Number)
	object, isObject := v.(map[string]any)
	_, array := v.([]any)
	_, boolean := v.(bool)
	if item, ok := strings.CutPrefix(kind, "[]"); ok {
		return array && !slices.ContainsFunc(v.([]any), func(v any) bool { return !isKind(v, item) })
	}
	if shape, ok := itemShapes[kind]; ok {
		return isObject && shaped(shape, object, false)
	}
	switch kind {
	case "block":
		return isObject && shaped(blockShapes[fmt.Sprint(object["type"])]+"type! string, annotations object", object, false)
	case "string":
		return str
	case "object":
		return isObject
	case "array":
		return array
	case "filter":
		return isObject && shaped("toolsListChanged bool, promptsListChanged bool, resourcesListChanged bool, resourceSubscriptions []string", object, false)
	case "bool":
		return boolean
	case "num":
		return num
	case "int":
		return num && rational(n).IsInt()
	case "completion":
		return isObject && shaped("values! []string", object, false)
	case "contents":
		return isObject && shaped("uri! string, text! string", object, false)
	case "id":
		return str || num && rational(n).IsInt()
	case "level":
		return str && slices.Contains(levels, s)
	case "icon":
		return isObject && shaped("src! string, mimeType string, sizes []string, theme theme", object, false)
	case "theme":
		return s == "light" || s == "dark"
	case "choosing":
		mode := object["mode"]
		return isObject && (mode == nil || mode == "auto" || mode == "required" || mode == "none")
	case "choice":
		return isObject && shaped("const! string, title! string", object, false)
	case "mode":
		return s == "form" || s == "url"
	case "action":
		return s == "accept" || s == "decline" || s == "cancel"
	case "impl":
		return isObject && isKind(object["name"], "string") && isKind(object["version"], "string")
	case "strings":
		for _, v := range object { // any order: it only counts
			if !isKind(v, "string") {
				return false
			}
		}
		return isObject
	}
	return true
}

func rational(n json.Number) *big.Rat {
	r, _ := new(big.Rat).SetString(string(n))
	return r
}

// token is a progress token with its JSON type, "" for none.
type token string

func tokenOf(v any) token {
	switch v := v.(type) {
	case string:
		return token("s" + v)
	case json.Number:
		return token("n" + rational(v).RatString())
	}
	return ""
}

// metaToken returns the progress token in params.
func metaToken(params string) token {
	m, _ := members(params)
	meta, _ := m["_meta"].(map[string]any)
	if t := meta["progressToken"]; t != nil && isKind(t, "id") {
		return tokenOf(t)
	}
	return ""
}

// str returns a string member of params.
func str(params, name string) string {
	m, _ := members(params)
	s, _ := m[name].(string)
	return s
}
