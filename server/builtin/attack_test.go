package builtin_test

import (
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server/builtin"
)

// A product or power of many digits is rounded, as a quotient is: what a loan costs is such a
// power. What is too large or too small stays an error.
func TestRoundedPowers(t *testing.T) {
	for expression, want := range map[string]string{
		"round(200000*(0.05/12)*(1+0.05/12)^360/((1+0.05/12)^360-1), 2)": "1073.64",
		"1.00375^360":               "3.8476980499635017435071482695430413687205207507483",
		"(-1.00375)^3 - -1.00375^3": "0",
	} {
		if v, err := builtin.Calculate(expression); err != nil || v.Text != want {
			t.Error(expression, v, err)
		}
	}
	for _, expression := range []string{"9^999*9^999", "1e-600*1e-600/3", "12345^999", "0.00012345^999", "(1/3)^1000*(1/3)^1000*(1/3)^1000", "1e999^-1000", "9^9^9"} {
		if v, err := builtin.Calculate(expression); err == nil {
			t.Error(expression, v)
		}
	}
	// As package big has it.
	for _, c := range []struct {
		base string
		n    int
	}{{"1.0041667", 360}, {"0.9999999999", 1000}, {"1.0000000001", -1000}, {"-1.234567", 999}, {"3.3333333333333333", 500}, {"0." + strings.Repeat("3", 999), 2}} {
		v, err := builtin.Calculate("(" + c.base + ")^" + strconv.Itoa(c.n))
		if err != nil || v.Exact {
			t.Error(c, v, err)
			continue
		}
		base, _ := new(big.Rat).SetString(c.base)
		want, n := big.NewRat(1, 1), max(c.n, -c.n)
		for range n {
			want.Mul(want, base)
		}
		if c.n < 0 {
			want.Inv(want)
		}
		got, ok := new(big.Rat).SetString(v.Text)
		if !ok {
			t.Fatal(v)
		}
		off := new(big.Rat).Quo(got.Sub(got, want), want)
		if f, _ := off.Float64(); f > 1e-49 || f < -1e-49 {
			t.Error(c, v, f)
		}
	}
}

// White space around a document is that of JSON.
func TestQuerySpace(t *testing.T) {
	if v, err := builtin.Query("\t [1]\r\n", "/0"); err != nil || v != "1" {
		t.Error(v, err)
	}
	for _, document := range []protocol.Raw{"\u00a01", "1\u0085", "\f1", "\ufeff1"} {
		if v, err := builtin.Query(document, ""); err == nil {
			t.Errorf("%q: %q", document, v)
		}
	}
}

// Offsets are those of RFC 3339.
func TestOffsets(t *testing.T) {
	for offset, ok := range map[string]bool{"+23:59": true, "-12:00": true, "+24:00": false, "-12:60": false, "+99:99": false, "z": false, "+1:00": false} {
		if _, err := builtin.At(time.Unix(0, 0), 0, offset); (err == nil) != ok {
			t.Error(offset, err)
		}
	}
}
