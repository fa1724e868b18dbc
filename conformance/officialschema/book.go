package officialschema

import (
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

//go:embed schema/*.json
var files embed.FS

// Book is the official schema of one revision.
type Book struct {
	// Name is the name of the revision.
	Name string

	defs     map[string]*jsonschema.Schema // the definitions by name
	result   string                        // the name of the envelope of a result
	failure  string                        // and of that of an error
	methods  map[string]string             // method to the name of its request or notification
	requests map[lifecycle.Party][]string  // names in ClientRequest, ServerRequest
	notes    map[lifecycle.Party][]string  // names in ClientNotification, ServerNotification
}

// Books compiles the schema of each revision of the library.
func Books() (map[protocol.Revision]*Book, error) {
	books := map[protocol.Revision]*Book{}
	for _, r := range protocol.AllRevisions() {
		b, err := newBook(r.String())
		if err != nil {
			return nil, fmt.Errorf("%v: %w", r, err)
		}
		books[r] = b
	}
	return books, nil
}

// newBook reads the schema of the named revision, in either of two forms: up to
// 2025-06-18 a file has definitions, from 2025-11-25 on $defs, and other names for the
// envelopes of answers.
func newBook(revision string) (*Book, error) {
	path := "schema/" + revision + ".json"
	file, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.RegisterFormat(&jsonschema.Format{Name: "byte", Validate: isBase64})
	if err := c.AddResource(path, doc); err != nil {
		return nil, err
	}
	b := &Book{
		Name: revision, result: "JSONRPCResponse", failure: "JSONRPCError",
		defs: map[string]*jsonschema.Schema{}, methods: map[string]string{},
	}
	top, _ := doc.(map[string]any)
	for _, key := range []string{"definitions", "$defs"} {
		defs, _ := top[key].(map[string]any)
		for name := range defs {
			if b.defs[name], err = c.Compile(path + "#/" + key + "/" + name); err != nil {
				return nil, err
			}
			if p := b.defs[name].Properties["method"]; p != nil && p.Const != nil && name != "ClientNotification" {
				b.methods[fmt.Sprint(*p.Const)] = name
			}
		}
	}
	if b.defs["JSONRPCResultResponse"] != nil {
		b.result, b.failure = "JSONRPCResultResponse", "JSONRPCErrorResponse"
	}
	b.requests = map[lifecycle.Party][]string{lifecycle.Client: b.union("ClientRequest"), lifecycle.Server: b.union("ServerRequest")}
	b.notes = map[lifecycle.Party][]string{lifecycle.Client: b.union("ClientNotification"), lifecycle.Server: b.union("ServerNotification")}
	// The envelopes that Check uses are exactly those that JSONRPCMessage allows for one message.
	for _, name := range []string{"JSONRPCRequest", "JSONRPCNotification", b.result, b.failure} {
		if !slices.Contains(b.union("JSONRPCMessage"), name) {
			return nil, errors.New("no " + name)
		}
	}
	return b, nil
}

// union returns the names of the definitions in the named union.
func (b *Book) union(name string) (list []string) {
	sch := b.defs[name]
	if sch == nil {
		return nil
	}
	for _, s := range sch.AnyOf {
		if s.Ref != nil {
			list = append(list, nameOf(s.Ref))
		}
	}
	if p := sch.Properties["method"]; p != nil && p.Const != nil { // a union of one, written out
		list = append(list, b.methods[fmt.Sprint(*p.Const)])
	}
	return list
}

// nameOf returns the name of a definition, or "" for a part of one.
func nameOf(s *jsonschema.Schema) string {
	for _, key := range []string{"#/definitions/", "#/$defs/"} {
		if _, name, ok := strings.Cut(s.Location, key); ok && !strings.Contains(name, "/") {
			return name
		}
	}
	return ""
}

// schemaOf returns v as a schema, or nil if it is a boolean.
func schemaOf(v any) *jsonschema.Schema {
	s, _ := v.(*jsonschema.Schema)
	return s
}

// itemsOf returns the schema of the elements of an array, which the drafts keep in
// different places; nil if they may be anything.
func itemsOf(s *jsonschema.Schema) *jsonschema.Schema {
	if s.Items2020 != nil {
		return s.Items2020
	}
	return schemaOf(s.Items)
}

// isBase64 is the format "byte" of OpenAPI, which JSON Schema lacks.
func isBase64(v any) error {
	if s, ok := v.(string); ok {
		_, err := base64.StdEncoding.DecodeString(s)
		return err
	}
	return nil
}

// resultOf returns the definition of the result of a method, or Result for unknown
// methods.
func (b *Book) resultOf(method string) string {
	request, ok := b.methods[method]
	if !ok {
		return "Result"
	}
	if name := strings.TrimSuffix(request, "Request") + "Result"; b.defs[name] != nil {
		return name
	}
	return "EmptyResult"
}

// Check checks a decoded line of the party. A result answers a request of the
// given method. It returns the names of the definitions that the line was checked against, the
// envelope first.
func (b *Book) Check(from lifecycle.Party, line any, answers string) (names []string, err error) {
	m, ok := line.(map[string]any)
	if !ok {
		return nil, errors.New("no object")
	}
	method, _ := m["method"].(string)
	_, asks := m["id"]
	_, fails := m["error"]
	switch {
	case m["method"] == nil && fails:
		names = b.failures(m["error"])
	case m["method"] == nil:
		names = []string{b.result, b.resultOf(answers)}
		if r, _ := m["result"].(map[string]any); b.defs[asking] != nil && r["resultType"] == protocol.ResultInputRequired {
			names[1] = asking
		}
	case asks:
		names, err = b.sent(method, b.requests[from], "JSONRPCRequest", "Request")
	default:
		names, err = b.sent(method, b.notes[from], "JSONRPCNotification", "Notification")
	}
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		part := any(m)
		if strings.HasSuffix(name, "Result") {
			part = m["result"]
		}
		if mend := exceptions[name]; mend != nil {
			part = mend(part)
		}
		if err := b.defs[name].Validate(part); err != nil {
			return nil, fmt.Errorf("no %s: %w", name, err)
		}
	}
	return names, nil
}

// asking is the definition of a result with questions, an alternative for some methods.
const asking = "InputRequiredResult"

// named are the codes whose errors have their own definition.
var named = map[string]string{
	"-32042": "URLElicitationRequiredError", "-32020": "HeaderMismatchError",
	"-32021": "MissingRequiredClientCapabilityError", "-32022": "UnsupportedProtocolVersionError",
}

// failures returns the definitions of an error: the envelope, and that of its code if
// any.
func (b *Book) failures(failure any) []string {
	e, _ := failure.(map[string]any)
	if name := named[fmt.Sprint(e["code"])]; b.defs[name] != nil {
		return []string{b.failure, name}
	}
	return []string{b.failure}
}

// sent returns the definitions of a request or notification; other is that of an unknown
// method.
func (b *Book) sent(method string, allowed []string, envelope, other string) ([]string, error) {
	name, ok := b.methods[method]
	switch {
	case !ok && !protocol.Known(method):
		return []string{envelope, other}, nil
	case !slices.Contains(allowed, name):
		return nil, fmt.Errorf("%s has no such %s of this side: %s", b.Name, other, method)
	}
	return []string{envelope, name}, nil
}

// messages returns the definitions that Check can apply to lines of the party.
func (b *Book) messages(from lifecycle.Party) []string {
	list := []string{"JSONRPCRequest", "JSONRPCNotification", b.result, b.failure, "Request", "Notification", "EmptyResult"}
	list = append(append(list, b.requests[from]...), b.notes[from]...)
	if from == lifecycle.Client {
		list = append(list, b.union("ClientResult")...)
	} else {
		list = append(list, b.union("ServerResult")...)
	}
	return slices.DeleteFunc(list, func(name string) bool { return unbuilt[name] })
}

// reachable returns the definitions that those of messages consist of, including
// themselves. The others are unions, common parts of types, and batches, which no State
// sends.
func (b *Book) reachable() map[string]bool {
	names := map[string]bool{}
	var visit func(s *jsonschema.Schema)
	visit = func(s *jsonschema.Schema) {
		if s == nil {
			return
		}
		if name := nameOf(s); name != "" {
			if names[name] || unbuilt[name] {
				return
			}
			names[name] = true
		}
		visit(s.Ref)
		for _, s := range slices.Concat(s.AllOf, s.AnyOf) {
			visit(s)
		}
		for _, s := range s.Properties {
			visit(s)
		}
		visit(schemaOf(s.AdditionalProperties))
		visit(itemsOf(s))
	}
	for _, party := range []lifecycle.Party{lifecycle.Client, lifecycle.Server} {
		for _, name := range b.messages(party) {
			visit(b.defs[name])
		}
	}
	return names
}
