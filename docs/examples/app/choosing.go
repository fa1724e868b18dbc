package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/typed"
)

var (
	sizes  = []protocol.Choice{{Value: "s", Title: "Small"}, {Value: "m", Title: "Medium"}, {Value: "l", Title: "Large"}}
	extras = []protocol.Choice{{Value: "mint", Title: "A leaf of mint"}, {Value: "ice", Title: "Much ice"}}

	// order is a form with choices of all kinds, and a default for each.
	order = protocol.ElicitSchema{
		Properties: []protocol.Property{
			{Name: "size", Schema: protocol.PrimitiveSchema{Type: protocol.TypeString, Title: "Size", Choices: sizes, Default: protocol.StringValue("m")}},
			{Name: "fruits", Schema: protocol.PrimitiveSchema{
				Type: protocol.TypeArray, Title: "Fruits", Enum: []string{"apple", "cherry", "plum"},
				MinItems: protocol.Ptr(int64(1)), MaxItems: protocol.Ptr(int64(2)), Default: protocol.StringsValue("apple"),
			}},
			{Name: "extras", Schema: protocol.PrimitiveSchema{Type: protocol.TypeArray, Title: "Extras", Choices: extras, Default: protocol.StringsValue()}},
			{Name: "glasses", Schema: protocol.PrimitiveSchema{Type: protocol.TypeInteger, Minimum: protocol.Ptr(1.0), Default: protocol.IntValue(2)}},
			{Name: "name", Schema: protocol.PrimitiveSchema{Type: protocol.TypeString, Default: protocol.StringValue("Ada")}},
		},
		Required: []string{"fruits"},
	}

	// addition is the tool for the model, which runs here.
	addition, runAddition, _ = typed.MakeTool(protocol.Tool{Name: "add", Description: "Adds."},
		func(_ context.Context, _ server.Caller, in addends) (string, error) {
			return fmt.Sprint(in.A + in.B), nil
		})
)

// choosing are the tools that use features of 2025-11-25. In an older session they fail with an
// explanation.
func choosing(h *server.Handlers) {
	tool(h, protocol.Tool{Name: "choose", Description: "Has the client's user choose."},
		func(ctx context.Context, c server.Caller, _ struct{}) (string, error) {
			return elicit(ctx, c, "order", protocol.ElicitParams{Message: "What may it be?", RequestedSchema: order})
		})
	tool(h, protocol.Tool{Name: "reason", Description: "Asks the client's model, which can add."},
		func(ctx context.Context, c server.Caller, in promptArgs) (string, error) {
			return reason(ctx, c, in.Prompt)
		})
	tool(h, protocol.Tool{Name: "who", Description: "Says what the client is."},
		func(_ context.Context, c server.Caller, _ struct{}) (string, error) {
			return string(c.State().Client(c.Call()).Info.AppendJSON(nil)), nil
		})
}

// reason asks the model, and again with the results of the tools that it calls, until it calls
// none.
func reason(ctx context.Context, c server.Caller, prompt string) (string, error) {
	p := protocol.CreateMessageParams{
		Messages:  []protocol.SamplingMessage{{Role: protocol.RoleUser, Content: []protocol.Content{protocol.TextContent(prompt)}}},
		Tools:     []protocol.Tool{addition},
		MaxTokens: 100,
	}
	for i := range 10 {
		r, err := sample(ctx, c, fmt.Sprint("round ", i), p)
		if err != nil {
			return "", err
		}
		var results []protocol.Content
		for _, block := range r.Content {
			if block.Type == protocol.ContentToolUse {
				results = append(results, protocol.ToolResultContent(block.ToolUse.ID, *add(ctx, c, block.ToolUse)))
			}
		}
		if len(results) == 0 {
			return protocol.TextOf(r.Content), nil
		}
		p.Messages = append(p.Messages,
			protocol.SamplingMessage{Role: r.Role, Content: r.Content}, protocol.SamplingMessage{Role: protocol.RoleUser, Content: results})
	}
	return "", errors.New("the model does not come to an end")
}

// add runs the tool of reason.
func add(ctx context.Context, c server.Caller, use *protocol.ToolUse) *protocol.CallToolResult {
	if use.Name != addition.Name {
		return protocol.ErrorResult("there is no such tool")
	}
	r, err := runAddition(ctx, c, protocol.CallToolParams{Name: use.Name, Arguments: use.Input})
	if err != nil {
		return protocol.ErrorResult(err.Error())
	}
	return r
}
