package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/protocol"
)

// Who accepts a form accepts the defaults of the fields that were not typed.
func TestFilledIn(t *testing.T) {
	ev := client.Event{Body: `{"message":"m","requestedSchema":{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"note":{"type":"string"}}}}`}
	typed := map[string]protocol.Raw{"age": "31"}
	for action, want := range map[protocol.ElicitAction]map[string]protocol.Raw{
		protocol.ActionAccept:  {"name": `"John Doe"`, "age": "31"},
		protocol.ActionDecline: {"age": "31"}, // which does not go out
	} {
		a := &app{answer: protocol.ElicitResult{Action: action, Content: typed}}
		got, err := a.user(ev)
		if diff := cmp.Diff(want, got.Content); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", action, err, diff)
		}
	}
}
