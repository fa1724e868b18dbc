package main

import (
	"reflect"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// bodies are the types of params and results.
var bodies = map[protocol.Method]struct{ params, result any }{
	protocol.MethodInitialize:            {protocol.InitializeParams{}, protocol.InitializeResult{}},
	protocol.MethodPing:                  {protocol.PingParams{}, protocol.EmptyResult{}},
	protocol.MethodToolsList:             {protocol.ListToolsParams{}, protocol.ListToolsResult{}},
	protocol.MethodToolsCall:             {protocol.CallToolParams{}, protocol.CallToolResult{}},
	protocol.MethodResourcesList:         {protocol.ListResourcesParams{}, protocol.ListResourcesResult{}},
	protocol.MethodResourceTemplatesList: {protocol.ListResourceTemplatesParams{}, protocol.ListResourceTemplatesResult{}},
	protocol.MethodResourcesRead:         {protocol.ReadResourceParams{}, protocol.ReadResourceResult{}},
	protocol.MethodResourcesSubscribe:    {protocol.SubscribeParams{}, protocol.EmptyResult{}},
	protocol.MethodResourcesUnsubscribe:  {protocol.UnsubscribeParams{}, protocol.EmptyResult{}},
	protocol.MethodPromptsList:           {protocol.ListPromptsParams{}, protocol.ListPromptsResult{}},
	protocol.MethodPromptsGet:            {protocol.GetPromptParams{}, protocol.GetPromptResult{}},
	protocol.MethodCompletionComplete:    {protocol.CompleteParams{}, protocol.CompleteResult{}},
	protocol.MethodLoggingSetLevel:       {protocol.SetLevelParams{}, protocol.EmptyResult{}},
	protocol.MethodRootsList:             {protocol.ListRootsParams{}, protocol.ListRootsResult{}},
	protocol.MethodSamplingCreateMessage: {protocol.CreateMessageParams{}, protocol.CreateMessageResult{}},
	protocol.MethodElicitationCreate:     {protocol.ElicitParams{}, protocol.ElicitResult{}},
	protocol.MethodInitialized:           {protocol.InitializedParams{}, nil},
	protocol.MethodCancelled:             {protocol.CancelledParams{}, nil},
	protocol.MethodProgress:              {protocol.ProgressParams{}, nil},
	protocol.MethodRootsListChanged:      {protocol.RootsListChangedParams{}, nil},
	protocol.MethodLoggingMessage:        {protocol.LoggingMessageParams{}, nil},
	protocol.MethodResourcesUpdated:      {protocol.ResourceUpdatedParams{}, nil},
	protocol.MethodResourcesListChanged:  {protocol.ResourceListChangedParams{}, nil},
	protocol.MethodToolsListChanged:      {protocol.ToolListChangedParams{}, nil},
	protocol.MethodPromptsListChanged:    {protocol.PromptListChangedParams{}, nil},
}

// typeRow is a type that bodies lead to.
type typeRow struct{ Name, Members string }

// newTypes lists the types of members of bodies, and of their members, by name.
func newTypes() (list []typeRow) {
	seen := map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(t reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || seen[t] || t == reflect.TypeFor[jsonrpc.ID]() {
			return
		}
		seen[t] = true
		if tagged(t) && !strings.HasSuffix(t.Name(), "Params") && !strings.HasSuffix(t.Name(), "Result") {
			list = append(list, typeRow{t.Name(), structMembers(t)})
		}
		for i := range t.NumField() {
			visit(t.Field(i).Type)
		}
	}
	for _, b := range bodies {
		visit(reflect.TypeOf(b.params))
		if b.result != nil {
			visit(reflect.TypeOf(b.result))
		}
	}
	slices.SortFunc(list, func(a, b typeRow) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// tagged reports whether the members of a struct are those on the wire.
func tagged(t reflect.Type) bool {
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("json") == "" {
			return false
		}
	}
	return true
}

func members(body any) string { return structMembers(reflect.TypeOf(body)) }

// structMembers lists the members of a struct, those that are required in bold. _meta,
// which all bodies and many types have, is left out.
func structMembers(t reflect.Type) string {
	var list []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "_meta" {
			continue
		}
		if options == "" {
			name = "**" + name + "**"
		}
		list = append(list, name+" "+word(f.Type, f.Tag.Get("mcp")))
	}
	return strings.Join(list, ", ")
}

// word says what a type is in JSON.
func word(t reflect.Type, rule string) string {
	switch {
	case t == reflect.TypeFor[protocol.Raw]() && rule == "object":
		return "object"
	case t == reflect.TypeFor[protocol.Raw]() && rule == "schema":
		return "JSON Schema"
	case t == reflect.TypeFor[protocol.Raw]():
		return "any"
	case t == reflect.TypeFor[jsonrpc.ID]():
		return "string or integer"
	case t == reflect.TypeFor[protocol.Cursor]():
		return "string"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return word(t.Elem(), rule)
	case reflect.Slice:
		return word(t.Elem(), rule) + "[]"
	case reflect.Map:
		return "map to " + word(t.Elem(), rule)
	case reflect.Int64:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		if t.PkgPath() == "" {
			return "string"
		}
	}
	return t.Name()
}
