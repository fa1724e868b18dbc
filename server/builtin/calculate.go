package builtin

import (
	"errors"
	"strconv"
	"strings"
)

// result is the value of an expression.
type result struct {
	// Text is the number, without an exponent.
	Text string
	// Exact is false if a quotient, or a product or power with more than 1000 digits, was rounded
	// in between.
	Exact bool
}

// evaluate evaluates an expression of numbers, + - * / % ^, parentheses, and the functions abs,
// ceil, floor, max, min and round: round(x) or round(x, places). ^ binds tightest and to the right,
// % is the remainder of a division truncated to an integer. Errors name the place by its byte.
func evaluate(expression string) (result, error) {
	if len(expression) > maxExpression {
		return result{}, errors.New("the expression is longer than " + strconv.Itoa(maxExpression) + " bytes")
	}
	p := parser{text: expression, exact: true}
	d, err := p.sum()
	if err == nil && p.skip() < len(p.text) {
		err = p.unexpected()
	}
	if err != nil {
		return result{}, err
	}
	return result{d.String(), p.exact}, nil
}

// parser reads an expression and evaluates it at the same time.
type parser struct {
	text  string
	at    int
	depth int
	exact bool
}

// skip skips spaces and returns the position.
func (p *parser) skip() int {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	return p.at
}

// take consumes one of several characters; 0 if the next one is another.
func (p *parser) take(of string) byte {
	if p.skip() < len(p.text) && strings.IndexByte(of, p.text[p.at]) >= 0 {
		p.at++
		return p.text[p.at-1]
	}
	return 0
}

func (p *parser) unexpected() error {
	if p.skip() >= len(p.text) {
		return errors.New("the expression ends too early")
	}
	return errors.New("unexpected " + strconv.QuoteRune([]rune(p.text[p.at:min(p.at+4, len(p.text))])[0]) + " at byte " + strconv.Itoa(p.at))
}

func (p *parser) sum() (decimal, error) {
	d, err := p.product()
	for err == nil {
		op := p.take("+-")
		if op == 0 {
			break
		}
		var b decimal
		if b, err = p.product(); err != nil {
			break
		}
		if op == '-' {
			b = b.neg()
		}
		d, err = add(d, b)
	}
	return d, err
}

func (p *parser) product() (decimal, error) {
	d, err := p.signed()
	for err == nil {
		op := p.take("*/%")
		if op == 0 {
			break
		}
		var b decimal
		if b, err = p.signed(); err != nil {
			break
		}
		exact := true
		switch op {
		case '*':
			d, exact, err = mul(d, b)
		case '%':
			d, err = rem(d, b)
		default:
			d, exact, err = quo(d, b)
		}
		p.exact = p.exact && exact
	}
	return d, err
}

func (p *parser) deeper() error {
	if p.depth++; p.depth > maxNesting {
		return errors.New("the expression is nested deeper than " + strconv.Itoa(maxNesting))
	}
	return nil
}

func (p *parser) signed() (decimal, error) {
	op := p.take("+-")
	if op == 0 {
		return p.power()
	}
	if err := p.deeper(); err != nil {
		return decimal{}, err
	}
	d, err := p.signed()
	p.depth--
	if err == nil && op == '-' {
		d = d.neg()
	}
	return d, err
}

func (p *parser) power() (decimal, error) {
	d, err := p.atom()
	if err != nil || p.take("^") == 0 {
		return d, err
	}
	if err := p.deeper(); err != nil {
		return decimal{}, err
	}
	b, err := p.signed()
	p.depth--
	if err != nil {
		return decimal{}, err
	}
	d, exact, err := pow(d, b)
	p.exact = p.exact && exact
	return d, err
}

func (p *parser) atom() (decimal, error) {
	if p.take("(") != 0 {
		list, err := p.list()
		if err == nil && len(list) != 1 {
			err = errors.New("a list where a number is needed, before byte " + strconv.Itoa(p.at))
		}
		if err != nil {
			return decimal{}, err
		}
		return list[0], nil
	}
	from := p.skip()
	for p.at < len(p.text) && 'a' <= p.text[p.at] && p.text[p.at] <= 'z' {
		p.at++
	}
	if name := p.text[from:p.at]; name != "" {
		return p.call(name)
	}
	for p.at < len(p.text) && (p.digit() || p.text[p.at] == '.' || p.at > from && (p.text[p.at]|0x20 == 'e' || (p.text[p.at] == '+' || p.text[p.at] == '-') && p.text[p.at-1]|0x20 == 'e')) {
		p.at++
	}
	if from == p.at {
		return decimal{}, p.unexpected()
	}
	return parse(p.text[from:p.at])
}

func (p *parser) digit() bool { return '0' <= p.text[p.at] && p.text[p.at] <= '9' }

// list reads expressions up to a closing parenthesis.
func (p *parser) list() (list []decimal, err error) {
	if err = p.deeper(); err != nil {
		return nil, err
	}
	for {
		d, err := p.sum()
		if err != nil {
			return nil, err
		}
		list = append(list, d)
		if p.take(",") != 0 {
			continue
		}
		if p.take(")") == 0 {
			return nil, p.unexpected()
		}
		p.depth--
		return list, nil
	}
}

// call evaluates a function.
func (p *parser) call(name string) (decimal, error) {
	if strings.Count(" abs ceil floor max min round ", " "+name+" ") == 0 {
		return decimal{}, errors.New("unknown function " + strconv.Quote(name[:min(len(name), 32)]) + "; use abs, ceil, floor, max, min or round")
	}
	if p.take("(") == 0 {
		return decimal{}, p.unexpected()
	}
	args, err := p.list()
	if err != nil {
		return decimal{}, err
	}
	x := args[0]
	switch {
	case name == "max" || name == "min":
		for _, d := range args[1:] {
			if c := compare(d, x); c > 0 && name == "max" || c < 0 && name == "min" {
				x = d
			}
		}
		return x, nil
	case name == "round" && len(args) == 2:
		n, ok := args[1].integer()
		if !ok || n > maxDigits || n < -maxDigits {
			return decimal{}, errors.New("the places of round are an integer from -1000 to 1000")
		}
		return x.places(n, 0)
	case len(args) != 1:
		return decimal{}, errors.New(name + " has the wrong number of arguments")
	case name == "round":
		return x.places(0, 0)
	case name == "ceil":
		return x.places(0, 1)
	case name == "floor":
		return x.places(0, -1)
	}
	if x.c.Sign() < 0 {
		x = x.neg()
	}
	return x, nil
}
