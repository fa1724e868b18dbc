package builtin

import (
	"errors"
	"math/big"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// The bounds of the calculator.
const (
	maxExpression = 4096 // bytes of an expression
	maxNesting    = 64   // nested parentheses, functions and signs
	maxDigits     = 1000 // digits of a number, including zeros before and after the point
	precision     = 50   // digits of a quotient that does not end, and of a product or power that has too many
)

var errDigits = errors.New("a number has more than 1000 digits")

// decimal is c × 10^e. It is normal: c has no zero at its end, and zero has e 0.
type decimal struct {
	c *big.Int
	e int
}

var ten = big.NewInt(10)

func small(n int64) decimal { d, _ := normal(big.NewInt(n), 0); return d }

// power returns 10^n.
func power(n int) *big.Int { return new(big.Int).Exp(ten, big.NewInt(int64(n)), nil) }

// normal makes a decimal of c × 10^e, and fails if that has too many digits.
func normal(c *big.Int, e int) (decimal, error) {
	if c.Sign() == 0 {
		return decimal{new(big.Int), 0}, nil
	}
	text := c.Text(10)
	digits := strings.TrimLeft(text, "-")
	if cut := len(digits) - len(strings.TrimRight(digits, "0")); cut > 0 {
		c, _ = new(big.Int).SetString(text[:len(text)-cut], 10)
		digits, e = digits[:len(digits)-cut], e+cut
	}
	if len(digits) > maxDigits || e > maxDigits-len(digits) || e < -maxDigits {
		return decimal{}, errDigits
	}
	return decimal{c, e}, nil
}

// parse reads a number as JSON spells it.
func parse(text string) (decimal, error) {
	neg, digits, exp, ok := rawjson.Decimal(text)
	switch {
	case !ok:
		return decimal{}, errors.New("not a number: " + text)
	case len(digits) > maxDigits || exp > maxDigits || exp < -maxDigits:
		return decimal{}, errDigits
	case digits == "":
		return small(0), nil
	}
	c, _ := new(big.Int).SetString(digits, 10)
	if neg {
		c.Neg(c)
	}
	return normal(c, int(exp))
}

// String writes the number without an exponent.
func (d decimal) String() string {
	text := new(big.Int).Abs(d.c).Text(10)
	switch {
	case d.e >= 0:
		text += strings.Repeat("0", d.e)
	case len(text) > -d.e:
		text = text[:len(text)+d.e] + "." + text[len(text)+d.e:]
	default:
		text = "0." + strings.Repeat("0", -d.e-len(text)) + text
	}
	if d.c.Sign() < 0 {
		return "-" + text
	}
	return text
}

// align returns the coefficients of both for the same exponent.
func align(a, b decimal) (x, y *big.Int, e int) {
	e = min(a.e, b.e)
	return new(big.Int).Mul(a.c, power(a.e-e)), new(big.Int).Mul(b.c, power(b.e-e)), e
}

func add(a, b decimal) (decimal, error) {
	x, y, e := align(a, b)
	return normal(x.Add(x, y), e)
}

func (d decimal) neg() decimal { return decimal{new(big.Int).Neg(d.c), d.e} }

// mul returns a × b, and whether that is exact.
func mul(a, b decimal) (decimal, bool, error) { return fit(new(big.Int).Mul(a.c, b.c), a.e+b.e) }

// fit is normal, but rounds a number that only has too many digits.
func fit(c *big.Int, e int) (decimal, bool, error) {
	if d, err := normal(c, e); err == nil {
		return d, true, nil
	}
	d, err := round(c, false, e, digitsOf(c)-precision)
	return d, false, err
}

func digitsOf(c *big.Int) int { return len(new(big.Int).Abs(c).Text(10)) }

func compare(a, b decimal) int {
	x, y, _ := align(a, b)
	return x.Cmp(y)
}

var errZero = errors.New("division by zero")

// quo returns a / b, and whether that is exact.
func quo(a, b decimal) (decimal, bool, error) {
	if b.c.Sign() == 0 {
		return decimal{}, false, errZero
	}
	// A quotient that ends within maxDigits is found here, whatever the exponents are.
	shift := 3 * maxDigits
	q, r := new(big.Int).QuoRem(new(big.Int).Mul(a.c, power(shift)), b.c, new(big.Int))
	if r.Sign() == 0 {
		if d, err := normal(q, a.e-b.e-shift); err == nil {
			return d, true, nil
		}
	}
	d, err := round(q, r.Sign() != 0, a.e-b.e-shift, digitsOf(q)-precision)
	return d, false, err
}

// rem returns the remainder of a / b truncated to an integer; it has the sign of a.
func rem(a, b decimal) (decimal, error) {
	if b.c.Sign() == 0 {
		return decimal{}, errZero
	}
	x, y, e := align(a, b)
	return normal(x.Rem(x, y), e)
}

// round cuts places digits off the end of c × 10^e, half to even; more reports that there are
// nonzero digits after c.
func round(c *big.Int, more bool, e, places int) (decimal, error) {
	if places <= 0 {
		return normal(c, e)
	}
	unit := power(places)
	q, r := new(big.Int).QuoRem(c, unit, new(big.Int))
	half := new(big.Int).Abs(r)
	half.Lsh(half, 1)
	order := half.Cmp(unit)
	if order > 0 || order == 0 && (more || q.Bit(0) == 1) {
		q.Add(q, big.NewInt(int64(c.Sign())))
	}
	return normal(q, e+places)
}

// integer returns d as an int; false if it is not an integer, or a large one.
func (d decimal) integer() (int, bool) {
	if d.e < 0 || d.e > 6 {
		return 0, false
	}
	n := new(big.Int).Mul(d.c, power(d.e))
	if !n.IsInt64() || n.Int64() > 1e6 || n.Int64() < -1e6 {
		return 0, false
	}
	return int(n.Int64()), true
}

var errPower = errors.New("the exponent of ^ is an integer from -1000 to 1000")

// pow returns a^b, and whether that is exact.
func pow(a, b decimal) (decimal, bool, error) {
	n, ok := b.integer()
	if !ok || n > maxDigits || n < -maxDigits {
		return decimal{}, false, errPower
	}
	if n < 0 {
		d, exact, err := pow(a, small(int64(-n)))
		if err != nil {
			return decimal{}, false, err
		}
		d, ended, err := quo(small(1), d)
		return d, exact && ended, err
	}
	// Each digit except the first needs more than three bits: a result that is too long is not
	// computed.
	if (a.c.BitLen()-1)*n > 4*maxDigits {
		return powRounded(a, n)
	}
	if a.e*n > maxDigits || a.e*n < -3*maxDigits {
		return decimal{}, false, errDigits
	}
	return fit(new(big.Int).Exp(a.c, big.NewInt(int64(n)), nil), a.e*n)
}

// powRounded returns a^n for n > 0, rounded. The error of each of its few steps is less than one
// part in 10^(2×precision).
func powRounded(a decimal, n int) (decimal, bool, error) {
	c, e := big.NewInt(1), 0
	times := func(b *big.Int, be int) {
		c, e = c.Mul(c, b), e+be
		if cut := digitsOf(c) - 2*precision - 10; cut > 0 {
			c, e = c.Quo(c, power(cut)), e+cut
		}
	}
	for bit := 1 << 10; bit > 0; bit >>= 1 {
		times(new(big.Int).Set(c), e)
		if n&bit != 0 {
			times(a.c, a.e)
		}
	}
	d, err := round(c, true, e, digitsOf(c)-precision)
	return d, false, err
}

// places rounds d to n digits after the point: down for how < 0, up for how > 0, to the nearest,
// half to even, for 0.
func (d decimal) places(n, how int) (decimal, error) {
	cut := -d.e - n
	if cut <= 0 {
		return d, nil
	}
	if cut > 2*maxDigits {
		return decimal{}, errDigits
	}
	if how == 0 {
		return round(d.c, false, d.e, cut)
	}
	q, r := new(big.Int).QuoRem(d.c, power(cut), new(big.Int))
	if r.Sign() == how {
		q.Add(q, big.NewInt(int64(how)))
	}
	return normal(q, -n)
}
