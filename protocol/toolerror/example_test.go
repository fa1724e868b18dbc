package toolerror_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/protocol/toolerror"
)

// A tool says why it failed; the one who called it decides by the kind.
func Example() {
	err := error(&toolerror.Error{Kind: toolerror.RateLimited, Tool: "weather", After: 2 * time.Second, Cause: errors.New("bucket 7 is empty")})
	fmt.Println(err)

	result := toolerror.From("weather", err).ToolResult()
	back := toolerror.FromResult("weather", result)
	fmt.Println(errors.Is(back, toolerror.RateLimited), back.After)
	// Output:
	// the tool "weather" was called too often; try again after 2s
	// true 2s
}

func ExampleError_Payload() {
	fmt.Println(toolerror.Unknown("wether", []string{"weather", "clock"}).Payload())
	// Output:
	// {"isError":true,"toolName":"wether","errorType":"unknown_function","message":"unknown tool \"wether\"; available: \"clock\", \"weather\"","availableTools":["clock","weather"]}
}
