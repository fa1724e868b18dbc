// Command order is an MCP server over standard input and output with one tool, whose arguments are
// nested. Its schema is written with package build, and its function reads them place by place, for
// a tool whose type is not known when the program is compiled:
//
//	go run ./docs/examples/client -- go run ./docs/examples/order
//	go run ./docs/examples/order -for gemini # prints the tool as a provider of models takes it
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/schema/build"
	"github.com/sansmcp/mcp/protocol/schema/provider"
	"github.com/sansmcp/mcp/protocol/toolerror"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/stdio"
)

func main() {
	name := flag.String("for", "", "print the tool for this provider of models, as openai")
	flag.Parse()
	if err := run(*name); err != nil {
		fmt.Fprintln(os.Stderr, "order:", err)
		os.Exit(1)
	}
}

func run(name string) error {
	tool, err := describe()
	if err != nil {
		return err
	}
	if name != "" {
		p, err := provider.Named(name)
		if err != nil {
			return err
		}
		x, err := provider.Export(p, []protocol.Tool{tool}, provider.Options{})
		if err == nil {
			fmt.Println(x.Tools)
		}
		return err
	}
	h := new(server.Handlers)
	h.Tool(tool, order)
	catalog, err := h.Catalog()
	if err != nil {
		return err
	}
	cfg := server.Config{Info: protocol.Implementation{Name: "order", Version: "1.0.0"}, Catalog: catalog, Serve: h.Serve()}
	return stdio.Serve(context.Background(), cfg, h, os.Stdin, os.Stdout, stdio.Options{})
}

// describe returns the tool. Strict fits its schema to providers that want each property there.
func describe() (protocol.Tool, error) {
	item := build.Object(build.Prop("sku", build.String().MinLength(1)), build.Prop("count", build.Integer().Min("1").Max("99")))
	address := build.Object(build.Prop("street", build.String()), build.Optional("floor", build.Integer()))
	s, err := build.Object(
		build.Prop("items", build.Array(item).MinItems(1)),
		build.Prop("speed", build.Enum("slow", "fast")),
		build.Prop("to", build.OneOf(build.Const(`"counter"`), address).Description("The counter, or an address.")),
		build.Optional("discount", build.Number().Min("0").Max("1")),
		build.Optional("gift", build.Boolean()),
		build.Optional("notes", build.Array(build.String())),
	).Strict()
	if err != nil {
		return protocol.Tool{}, err
	}
	input, err := s.JSON()
	return protocol.Tool{Name: "order", Description: "Orders what is in stock.", InputSchema: input}, err
}

// stock is what there is, and what one costs.
var stock = map[string]float64{"tea": 4, "cup": 12.5}

// order reads its arguments. Whatever is wrong with them comes as one error, which names each place.
func order(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
	a := schema.ReadArguments(p.Arguments)
	var lines []string
	sum, missing := 0.0, ""
	for _, item := range a.At("items").Array() {
		o := item.Object()
		sku, n := o.String("sku"), o.At("count").IntBetween(1, 99)
		price, ok := stock[sku]
		if !ok {
			missing = sku
		}
		sum += price * float64(n)
		lines = append(lines, fmt.Sprintf("%d %s", n, sku))
	}
	sum *= 1 - a.At("discount").FloatOr(0)
	lines = append(lines, a.At("speed").OneOf("slow", "fast"))
	if to := a.At("to"); strings.HasPrefix(string(to.Raw()), "{") {
		lines = append(lines, fmt.Sprintf("to %s, floor %d", a.At("to", "street").Text(), a.At("to", "floor").IntOr(0)))
	}
	if a.At("gift").BoolOr(false) {
		lines = append(lines, "wrapped")
	}
	for _, note := range a.At("notes").ArrayOr() {
		lines = append(lines, note.Text())
	}
	if err := a.Err(); err != nil { // also for what was not read
		return nil, err
	}
	if missing != "" {
		return nil, toolerror.Failed(p.Name, fmt.Sprintf("%q is not in stock; there is tea and cup", missing))
	}
	return protocol.TextResult(fmt.Sprintf("%s: %.2f", strings.Join(lines, ", "), sum)), nil
}
