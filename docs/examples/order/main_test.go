package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/schema/provider"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// What is ordered, and what is wrong with an order, in words that a model can act upon.
func TestOrder(t *testing.T) {
	tool, _, err := describe()
	if err != nil {
		t.Fatal(err)
	}
	const more = `,"agreed":true,"budget":50,"phones":[],"vouchers":[],"tip":null,"insured":null,"parcel":null}`
	for arguments, want := range map[string]string{
		`{"items":[{"sku":"tea","count":2}],"speed":"slow","to":"counter","discount":null,"gift":null,"notes":null` + more:                                                 "2 tea, slow: 8.00",
		`{"items":[{"sku":"tea","count":1},{"sku":"cup","count":2}],"speed":"fast","to":{"street":"Hill","floor":null},"discount":0.5,"gift":true,"notes":["soon"]` + more: "1 tea, 2 cup, fast, to Hill, floor 0, wrapped, soon: 14.50",
		`{"items":[{"sku":"tea","count":1}],"speed":"slow","to":{"street":"Hill","floor":3},"discount":null,"gift":false,"notes":[]` + more:                                "1 tea, slow, to Hill, floor 3: 4.00",
		`{"items":[{"sku":"tea","count":1}],"speed":"slow","to":"counter","discount":null,"gift":null,"notes":null,"agreed":true,"budget":5,"phones":["112"],` +
			`"vouchers":[{"code":"x","value":0.5}],"tip":1,"insured":true,"parcel":{"weight":1.5,"fragile":true,"label":null}}`: "1 tea, voucher x, slow, a parcel of 1.5 kg, fragile true, insured, call 112: 4.50",
		`{"items":[{"sku":"sofa","count":1}],"speed":"slow","to":"counter","discount":null,"gift":null,"notes":null` + more:                                    `! "sofa" is not in stock; there is tea and cup`,
		`{"items":[{"sku":"cup","count":9}],"speed":"slow","to":"counter","discount":null,"gift":null,"notes":null` + more:                                     `! it costs 112.50, which is more than 50.00`,
		`{"items":[],"speed":"slow","to":"counter","agreed":false,"budget":1,"phones":[],"vouchers":[]}`:                                                       `! the user has to agree to the terms first`,
		`{"items":[{"sku":"tea","count":100}],"speed":"warp","to":{"street":1},"notes":[2],"discount":"all","gift":1,"budget":5,"phones":[1],"vouchers":[{}]}`: `! /items/0/count /speed /to/street /notes/0 /discount /gift /agreed /phones/0 /vouchers/0/code /vouchers/0/value`,
		`{"items":{},"budget":"much"}`: `! /items /budget`,
	} {
		r, err := order(t.Context(), nil, protocol.CallToolParams{Name: "order", Arguments: protocol.Raw(arguments)})
		var args schema.ArgumentErrors
		var failed *toolerror.Error
		switch {
		case errors.As(err, &args):
			for _, place := range strings.Fields(strings.TrimPrefix(want, "! ")) {
				if !strings.Contains(err.Error(), place) {
					t.Errorf("%s: %v names no %s", arguments, err, place)
				}
			}
		case errors.As(err, &failed):
			if "! "+failed.Text != want {
				t.Errorf("%s: %v", arguments, err)
			}
		case err != nil || r.Content[0].Text != want:
			t.Errorf("%s: %v, %v, want %s", arguments, r, err, want)
		default:
			if _, err := schema.CheckArguments(schema.Basic{}, tool.InputSchema, protocol.Raw(arguments)); err != nil {
				t.Errorf("%s: the schema says %v", arguments, err)
			}
		}
	}
	if _, err := provider.Export(provider.Gemini, []protocol.Tool{tool}, provider.Options{}); err != nil {
		t.Error(err)
	}
}
