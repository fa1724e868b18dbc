package pipe_test

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
)

// An echo: what is read is written.
func Example() {
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}
{"jsonrpc":"2.0","method":"notifications/initialized"}
no message
`)
	w := pipe.NewWriter(os.Stdout, 0, 0)
	for m := range pipe.Read(in, nil, pipe.ReadOptions{}) {
		if m.Kind != jsonrpc.KindInvalid {
			w.Send(m)
		}
	}
	fmt.Println(w.Close(10 * time.Second))
	// Output:
	// {"jsonrpc":"2.0","id":1,"method":"ping"}
	// {"jsonrpc":"2.0","method":"notifications/initialized"}
	// <nil>
}
