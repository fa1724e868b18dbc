package typed_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/typed"
)

// A number that JSON has not makes the result a failed one, wherever it stands.
func TestNumbersThatJSONHasNot(t *testing.T) {
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		h := new(server.Handlers)
		add := func(name string) protocol.Tool { return protocol.Tool{Name: name} }
		odd(h, add("field"), struct{ F float64 }{f})
		odd(h, add("slice"), struct{ F []float64 }{[]float64{1, f}})
		odd(h, add("small"), struct{ F []float32 }{[]float32{float32(f)}})
		odd(h, add("array"), struct{ F [2]float64 }{[2]float64{1, f}})
		odd(h, add("pointer"), struct{ F *float64 }{&f})
		odd(h, add("pointers"), struct{ F []*float64 }{[]*float64{&f}})
		odd(h, add("slices"), struct{ F [][]float64 }{[][]float64{{}, {f}}})
		odd(h, add("structs"), struct{ F []struct{ G float64 } }{[]struct{ G float64 }{{f}}})
		odd(h, add("values"), map[string]float64{"a": f})
		odd(h, add("lists"), map[string][]float64{"a": {f}})
		s := open(t, h)
		for _, name := range []string{"field", "slice", "small", "array", "pointer", "pointers", "slices", "structs", "values", "lists"} {
			if got := ask(t, h, s, "tools/call", `{"name":"`+name+`"}`); !strings.Contains(got, `"isError":true`) || strings.Contains(got, "NaN") || strings.Contains(got, "Inf") {
				t.Errorf("%v in %s: %s", f, name, got)
			}
		}
	}
}

func odd[T any](h *server.Handlers, tool protocol.Tool, value T) {
	typed.Tool(h, tool, func(context.Context, server.Caller, none) (T, error) { return value, nil })
}
