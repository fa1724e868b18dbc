// Command order is an MCP server over standard input and output with one tool, whose arguments are
// nested. Its schema is written with package build, and its function reads them one by one, as for
// a tool whose type is not known when the program is compiled:
//
//	go run ./docs/examples/client -- go run ./docs/examples/order
//	go run ./docs/examples/order -for gemini # prints the tool as a provider of models takes it
//	go run ./docs/examples/order -schema     # prints the schema, and what of it is not checked
package main

import (
	"context"
	"encoding/json"
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
	printed := flag.Bool("schema", false, "print the schema of the tool")
	flag.Parse()
	if err := run(*name, *printed); err != nil {
		fmt.Fprintln(os.Stderr, "order:", err)
		os.Exit(1)
	}
}

func run(name string, printed bool) error {
	tool, s, err := describe()
	if err != nil {
		return err
	}
	if printed {
		text, err := json.MarshalIndent(&s, "", "  ")
		fmt.Printf("%s\nnot checked: %q; known dialects: %q\n", text, schema.Ignored(tool.InputSchema), schema.Dialects())
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
func describe() (protocol.Tool, build.Schema, error) {
	item := build.Object(build.Prop("sku", build.String().MinLength(1)), build.Prop("count", build.Integer().Min("1").Max("99")))
	address := build.Object(build.Prop("street", build.String()), build.Optional("floor", build.Integer()))
	parcel := build.Object(build.Prop("weight", build.Number()), build.Prop("fragile", build.Boolean()), build.Optional("label", build.String()))
	voucher := build.Object(build.Prop("code", build.String()), build.Prop("value", build.Number()))
	s, err := build.Object(
		build.Prop("items", build.Array(item).MinItems(1)),
		build.Prop("speed", build.Enum("slow", "fast")),
		build.Prop("to", build.OneOf(build.Const(`"counter"`), address).Description("The counter, or an address.")),
		build.Optional("discount", build.Number().Min("0").Max("1")),
		build.Optional("gift", build.Boolean()),
		build.Optional("notes", build.Array(build.String())),
		build.Prop("agreed", build.Boolean().Description("Whether the user agrees to the terms.")),
		build.Prop("budget", build.Number().Min("0")),
		build.Prop("phones", build.Array(build.String())),
		build.Prop("vouchers", build.Array(voucher)),
		build.Optional("tip", build.Number().Min("0")),
		build.Optional("insured", build.Boolean()),
		build.Optional("parcel", parcel),
	).Strict()
	if err != nil {
		return protocol.Tool{}, s, err
	}
	input, err := s.JSON()
	if err == nil {
		err = schema.Check(input)
	}
	return protocol.Tool{Name: "order", Description: "Orders what is in stock.", InputSchema: input}, s, err
}

// stock has the items and their prices.
var stock = map[string]float64{"tea": 4, "cup": 12.5}

// order reads its arguments. All faults are returned as one error, which names each place.
func order(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
	a := schema.ReadArguments(p.Arguments)
	if !a.Require(schema.Need{Path: []string{"items"}, Type: "array"}, schema.Need{Path: []string{"budget"}, Type: "number"}) {
		return nil, a.Err() // without these the rest is meaningless
	}
	var lines []string
	sum, missing := a.FloatOr("tip", 0), ""
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
	for _, v := range a.Objects("vouchers") {
		v.AllowOthers() // the seller may have added members
		sum -= v.Float("value")
		lines = append(lines, "voucher "+v.String("code"))
	}
	lines = append(lines, a.At("speed").OneOf("slow", "fast"))
	if to := a.At("to"); strings.HasPrefix(string(to.Raw()), "{") {
		lines = append(lines, fmt.Sprintf("to %s, floor %d", a.Pointer("/to/street").Text(), a.At("to", "floor").IntOr(0)))
	}
	if parcel := a.At("parcel"); parcel.Has() {
		in := parcel.ObjectOr()
		lines = append(lines, fmt.Sprintf("a parcel of %v kg%s, fragile %v", in.At("weight").Float(), in.At("label").TextOr(""), in.At("fragile").Bool()))
	}
	if a.BoolOr("insured", false) {
		lines = append(lines, "insured")
	}
	if a.At("gift").BoolOr(false) {
		lines = append(lines, "wrapped")
	}
	for _, note := range a.At("notes").ArrayOr() {
		lines = append(lines, note.Text())
	}
	agreed, budget, phones := a.Bool("agreed"), a.Float("budget"), a.Strings("phones")
	if err := a.Err(); err != nil { // also for what was not read
		return nil, err
	}
	switch {
	case missing != "":
		return nil, toolerror.Failure(p.Name, fmt.Sprintf("%q is not in stock; there is tea and cup", missing))
	case !agreed:
		return nil, toolerror.Failure(p.Name, "the user has to agree to the terms first")
	case sum > budget:
		return nil, toolerror.Failure(p.Name, fmt.Sprintf("it costs %.2f, which is more than %.2f", sum, budget))
	}
	for _, phone := range phones {
		lines = append(lines, "call "+phone)
	}
	return protocol.TextResult(fmt.Sprintf("%s: %.2f", strings.Join(lines, ", "), sum)), nil
}
