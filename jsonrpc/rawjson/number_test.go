package rawjson_test

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

func TestInt(t *testing.T) {
	for raw, want := range map[string]int64{
		"0": 0, "-0": 0, "0.0": 0, "0e5": 0, "-0.000e-99999999999999999999": 0, "0e99999999999999999999": 0,
		"1": 1, "-1": -1, "1.0": 1, "1e3": 1000, "1E+3": 1000, "1000e-3": 1, "0.1e1": 1, "12.50e2": 1250, "-1.5e1": -15,
		"9007199254740993":           1<<53 + 1,
		"9007199254740993.0":         1<<53 + 1,
		"123456789012345678":         123456789012345678,
		"9223372036854775807":        math.MaxInt64,
		"9223372036854775807.000":    math.MaxInt64,
		"922337203685477580700e-2":   math.MaxInt64,
		"-9223372036854775808":       math.MinInt64,
		"-0.9223372036854775808e19":  math.MinInt64,
		"1e18":                       1e18,
		"0.000000000000000000001e21": 1,
	} {
		if got, ok := rawjson.Int(raw); !ok || got != want {
			t.Errorf("Int(%s) = %d, %v, want %d", raw, got, ok, want)
		}
	}
	for _, raw := range []string{
		"", "-", "+1", "01", "-01", "00", " 1", "1 ", "1.", "1e", "a", "1a", `"1"`, "null", "[]", "--1",
		"1.5", "1e-1", "0.1", "15e-1", "1e-99999999999999999999",
		"9223372036854775808", "-9223372036854775809", "1e19", "1e99999999999999999999", "10000000000000000000000",
	} {
		if got, ok := rawjson.Int(raw); ok || got != 0 {
			t.Errorf("Int(%s) = %d, %v, want none", raw, got, ok)
		}
	}
}

func TestDecimal(t *testing.T) {
	for _, c := range []struct {
		raw    string
		neg    bool
		digits string
		exp    int64
	}{
		{"0", false, "", 0},
		{"-0.0e7", false, "", 0},
		{"120", false, "12", 1},
		{"-120.340", true, "12034", -2},
		{"1e30", false, "1", 30},
		{"1000000000000000000000000000000", false, "1", 30},
		{"0.00012e2", false, "12", -3},
		{"100.00e-2", false, "1", 0},
		{"1e400", false, "1", 400},
		{"-1E-400", true, "1", -400},
	} {
		neg, digits, exp, ok := rawjson.Decimal(c.raw)
		if !ok || neg != c.neg || digits != c.digits || exp != c.exp {
			t.Errorf("Decimal(%s) = %v, %q, %d, %v", c.raw, neg, digits, exp, ok)
		}
	}
	if _, _, exp, ok := rawjson.Decimal("1e99999999999999999999"); !ok || exp < 1e18 {
		t.Errorf("a huge exponent became %d, %v", exp, ok)
	}
	if _, _, exp, ok := rawjson.Decimal("1.5e-99999999999999999999"); !ok || exp > -1e18 {
		t.Errorf("a huge negative exponent became %d, %v", exp, ok)
	}
	if _, _, _, ok := rawjson.Decimal("1x"); ok {
		t.Error("1x is a number")
	}
}

func numbers() *rapid.Generator[string] {
	return rapid.StringMatching(`-?(0|[1-9][0-9]{0,22})(\.[0-9]{1,6}0{0,3})?([eE][+-]?[0-9]{1,2})?`)
}

// math/big knows what the spellings mean.
func TestNumbersAgainstBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := numbers().Draw(t, "raw")
		want, ok := new(big.Rat).SetString(raw)
		if !ok {
			t.Fatalf("big does not know %s", raw)
		}
		neg, digits, exp, ok := rawjson.Decimal(raw)
		text := "0" + digits + "e" + strconv.FormatInt(exp, 10)
		if neg {
			text = "-" + text
		}
		if got, valid := new(big.Rat).SetString(text); !ok || !valid || got.Cmp(want) != 0 {
			t.Fatalf("Decimal(%s) = %v, %q, %d, %v", raw, neg, digits, exp, ok)
		}
		if strings.HasPrefix(digits, "0") || strings.HasSuffix(digits, "0") {
			t.Fatalf("Decimal(%s) has digits %q", raw, digits)
		}
		n, ok := rawjson.Int(raw)
		if fits := want.IsInt() && want.Num().IsInt64(); ok != fits || fits && n != want.Num().Int64() {
			t.Fatalf("Int(%s) = %d, %v, want %v", raw, n, ok, want)
		}
		f, ok := rawjson.Float(raw)
		if g, err := strconv.ParseFloat(raw, 64); ok != (err == nil) || ok && f != g {
			t.Fatalf("Float(%s) = %v, %v, want %v", raw, f, ok, g)
		}
	})
}

func TestFloat(t *testing.T) {
	for raw, want := range map[string]float64{"1.5": 1.5, "-0.25e1": -2.5, "1e-400": 0, "1e308": 1e308} {
		if got, ok := rawjson.Float(raw); !ok || got != want {
			t.Errorf("Float(%s) = %v, %v", raw, got, ok)
		}
	}
	for _, raw := range []string{"", "1e400", "-1e400", "Inf", "nan", "0x1p3", "1_0", "01", "1 ", "null"} {
		if got, ok := rawjson.Float(raw); ok || got != 0 {
			t.Errorf("Float(%s) = %v, %v, want none", raw, got, ok)
		}
	}
}

func TestAppendFloat(t *testing.T) {
	for _, c := range []struct {
		f    float64
		want string
	}{
		{0, "0"}, {math.Copysign(0, -1), "-0"}, {1, "1"}, {-1.5, "-1.5"}, {0.1, "0.1"}, {1e20, "100000000000000000000"},
		{1e21, "1e+21"}, {-1e22, "-1e+22"}, {1e-6, "0.000001"}, {1e-7, "1e-7"}, {1.5e-9, "1.5e-9"}, {1e-10, "1e-10"}, {1e-100, "1e-100"},
		{math.MaxFloat64, "1.7976931348623157e+308"}, {math.SmallestNonzeroFloat64, "5e-324"}, {1 << 53, "9007199254740992"},
		{math.NaN(), "NaN"}, {math.Inf(1), "Infinity"}, {math.Inf(-1), "-Infinity"},
	} {
		if got := string(rawjson.AppendFloat([]byte("x"), c.f)); got != "x"+c.want {
			t.Errorf("AppendFloat(%v) = %s, want %s", c.f, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64().Draw(t, "f")
		raw := string(rawjson.AppendFloat(nil, f))
		if got, ok := rawjson.Float(raw); !ok || got != f {
			t.Fatalf("%v was written as %s and read as %v, %v", f, raw, got, ok)
		}
		if f == math.Trunc(f) && math.Abs(f) < 1e21 && strings.ContainsAny(raw, ".e") {
			t.Fatalf("%v was written as %s", f, raw)
		}
	})
}
