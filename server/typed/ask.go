package typed

import (
	"fmt"
	"reflect"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Ask returns the Questions of the function that got c, as protocol.Ask does for its params:
//
//	q := typed.Ask(c)
//	who, said := typed.Elicit[Person](q, "who", "Who are you?")
//	if err := q.Open(""); err != nil {
//		return "", err
//	}
//	if said != protocol.ActionAccept {
//		return "Then nobody is greeted.", nil
//	}
//	return "Hello, " + who.Name, nil
//
// The function runs again with the answers, so it must have no effects before Open.
func Ask(c server.Caller) *protocol.Questions {
	if a, ok := c.(answered); ok {
		return protocol.Ask(a.p)
	}
	return protocol.Ask(protocol.CallToolParams{})
}

// answered is the Caller of a function that runs again with answers.
type answered struct {
	server.Caller
	p protocol.CallToolParams
}

// Elicit asks the user for a T. The key identifies the question within the call: it must be the same in each run of
// the function, and different for each question; see protocol.Questions. T is a struct whose fields are strings,
// numbers, booleans, or slices of strings with an enum, with the tags that the package has. It returns the input, and
// the action of the user: protocol.ActionAccept, ActionDecline, ActionCancel, or "" until there is an answer. With
// another type, or one key for two questions, q.Open fails.
func Elicit[T any](q *protocol.Questions, key, message string) (v T, said protocol.ElicitAction) {
	f, err := formOf(reflect.TypeFor[T]())
	if err != nil {
		q.Fail(fmt.Errorf("typed: a form of %v: %w", reflect.TypeFor[T](), err))
		return v, ""
	}
	r := q.Elicit(key, protocol.ElicitParams{Message: message, RequestedSchema: f.schema})
	if r.Action != protocol.ActionAccept {
		return v, r.Action
	}
	content := rawjson.Writer{Dst: []byte{'{'}}
	for _, p := range f.schema.Properties {
		content.Raw(p.Name, string(r.Content[p.Name]))
	}
	if err := read(string(content.Dst)+"}", f.plan, reflect.ValueOf(&v).Elem()); err != nil { // it matches the form
		q.Fail(fmt.Errorf("typed: what was filled in: %w", err))
		var none T
		return none, ""
	}
	return v, r.Action
}

// question is a form and the plan to read its answer.
type question struct {
	plan   *plan
	schema protocol.ElicitSchema
}

// formOf returns the form of a type.
func formOf(t reflect.Type) (question, error) {
	f, err := object(t)
	if err != nil {
		return question{}, err
	}
	s, err := protocol.Decode[protocol.ElicitParams](jsonrpc.Raw(`{"message":"","requestedSchema":` + string(f.text) + `}`))
	if err == nil {
		err = s.Validate()
	}
	return question{f.plan, s.RequestedSchema}, err
}
