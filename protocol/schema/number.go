package schema

import (
	"cmp"
	"math"
	"math/bits"
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// decimal is an exact number, in the parts that rawjson.Decimal returns.
type decimal struct {
	digits string
	exp    int64
	neg    bool
}

func parseDecimal(raw string) (d decimal, ok bool) {
	d.neg, d.digits, d.exp, ok = rawjson.Decimal(raw)
	return d, ok
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.neg:
		return -1
	}
	return 1
}

func (d decimal) integral() bool { return d.exp >= 0 }

func (d decimal) compare(e decimal) int {
	s := d.sign()
	if s != e.sign() || s == 0 {
		return cmp.Compare(s, e.sign())
	}
	// The first digit is not zero, so the exponents decide, and then
	// the digits as text.
	c := cmp.Compare(d.exp+int64(len(d.digits)), e.exp+int64(len(e.digits)))
	if c == 0 {
		c = cmp.Compare(d.digits, e.digits)
	}
	return s * c
}

// divisor is a positive number for multipleOf.
type divisor struct {
	digits uint64
	exp    int64
}

func parseDivisor(raw string) (m divisor, ok bool) {
	d, ok := parseDecimal(raw)
	if !ok || d.sign() <= 0 {
		return m, false
	}
	m.exp = d.exp
	m.digits, ok = parseUint(d.digits)
	return m, ok
}

// parseUint refuses so many digits that some numbers of that length exceed 64 bits.
func parseUint(digits string) (uint64, bool) {
	if len(digits) > 19 {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil
}

// divides reports whether d is an integer times m.
func (m divisor) divides(d decimal) bool {
	shift := d.exp - m.exp
	if d.digits == "" {
		return true
	}
	if shift < 0 {
		return false // the last digit of d is not zero: ten does not divide it
	}
	var rest uint64
	for i := range len(d.digits) {
		rest = m.mulmod(rest, 10, uint64(d.digits[i]-'0'))
	}
	for base := uint64(10) % m.digits; shift > 0 && rest != 0; shift >>= 1 {
		if shift&1 != 0 {
			rest = m.mulmod(rest, base, 0)
		}
		base = m.mulmod(base, base, 0)
	}
	return rest == 0
}

// mulmod returns a*b+c modulo the digits of m.
func (m divisor) mulmod(a, b, c uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	lo, carry := bits.Add64(lo, c, 0)
	return bits.Rem64(hi+carry, lo, m.digits)
}

// count is the allowed range of a count.
type count struct{ min, max int64 }

var anyCount = count{0, math.MaxInt64}

func (c count) any() bool { return c == anyCount }

// parseCount reads a non-negative integer; one beyond int64 becomes the largest.
func parseCount(raw string) (n int64, ok bool) {
	d, ok := parseDecimal(raw)
	if !ok || d.sign() < 0 || !d.integral() {
		return 0, false
	}
	if n, ok = rawjson.Int(raw); !ok {
		n = math.MaxInt64
	}
	return n, true
}
