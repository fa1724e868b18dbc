package main

import (
	"context"
	"fmt"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/typed"
)

// idea is what the model must write.
type idea struct {
	Dish string `json:"dish" doc:"One dish." schema:"minLength=1"`
}

// asked is the state of suggest while the client is asked.
type asked struct {
	Season string `json:"season"`
}

// evening is a form without a Go type, with a default for each field.
var evening = protocol.ElicitParams{
	Message: "How is the evening to be?",
	RequestedSchema: protocol.ElicitSchema{Properties: []protocol.Property{
		{Name: "budget", Schema: protocol.PrimitiveSchema{Type: protocol.TypeNumber, Default: protocol.NumberValue(19.5)}},
		{Name: "terrace", Schema: protocol.PrimitiveSchema{Type: protocol.TypeBoolean, Default: protocol.BoolValue(true)}},
	}},
}

// suggest asks the user, the model and for the folders that the client has open, all at once. What it
// found out before is its state: it comes back with the answers, so that it is found out once.
func suggest(_ context.Context, c server.Caller, _ struct{}) (string, error) {
	ideas, err := typed.NewCodec[idea]()
	if err != nil {
		return "", err
	}
	kept, err := typed.NewCodec[asked]()
	if err != nil {
		return "", err
	}
	q := typed.Ask(c)
	state := asked{Season: "spring"}
	if s := q.State(); s != "" {
		if state, err = kept.Decode(protocol.Raw(s)); err != nil {
			return "", err
		}
	}
	form, err := ideas.Schema().JSON()
	if err != nil {
		return "", err
	}
	how := q.Elicit("how", evening)
	said := q.Sample("dish", protocol.CreateMessageParams{MaxTokens: 100, Messages: []protocol.SamplingMessage{{
		Role: protocol.RoleUser, Content: []protocol.Content{protocol.TextContent("Name a dish of " + state.Season + " as JSON that fits " + string(form))},
	}}})
	roots := q.Roots("where")
	raw, err := kept.Encode(state)
	if err != nil {
		return "", err
	}
	if err := q.Open(string(raw)); err != nil {
		return "", err
	}
	dish, err := ideas.Decode(protocol.Raw(protocol.TextOf(said.Content)))
	if err != nil {
		dish.Dish = "soup" // a model may write anything
	}
	return fmt.Sprintf("%s, in %s; the user says %s; %d folders are open.", dish.Dish, state.Season, how.Action, len(roots.Roots)), nil
}
