package engine_test

import (
	"fmt"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// A Core answers a ping by itself, whatever the role.
func Example() {
	limits, _ := lifecycle.Limits{}.Filled()
	timeouts, _ := lifecycle.Timeouts{}.Filled()
	env := &engine.Env{
		Self: protocol.Server, Revisions: protocol.Revisions(), Limits: limits, Timeouts: timeouts,
		Blank: &engine.Profile{Revision: protocol.Revision20250618},
	}
	core := engine.New(env, time.Unix(1, 0))

	var out lifecycle.Output
	m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"a","method":"ping"}`)
	var in engine.Intake
	core.Receive(&m, &in, &out)
	fmt.Println(in.Verdict == engine.Done, string(jsonrpc.Append(nil, out.Send[0].Message)))
	// Output:
	// true {"jsonrpc":"2.0","id":"a","result":{}}
}
