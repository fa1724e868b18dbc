package build

import (
	"cmp"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// numbers checks the bounds of a number.
func (c *checker) numbers(n *node, path string) {
	before := len(c.errs)
	for _, one := range [...]struct {
		name  string
		value jsonrpc.Raw
	}{
		{"/minimum", n.min}, {"/maximum", n.max}, {"/exclusiveMinimum", n.above}, {"/exclusiveMaximum", n.below},
		{"/multipleOf", n.multiple},
	} {
		if _, _, _, ok := rawjson.Decimal(string(one.value)); one.value != "" && !ok {
			c.fault(path+one.name, "it is no number")
		}
	}
	if len(c.errs) > before {
		return
	}
	if n.multiple != "" && compare(n.multiple, "0") <= 0 {
		c.fault(path+"/multipleOf", "it is not above zero")
	}
	switch {
	case over(n.min, n.max):
		c.fault(path+"/minimum", "it is above maximum")
	case over(n.above, n.below) || same(n.above, n.below):
		c.fault(path+"/exclusiveMinimum", "nothing is below exclusiveMaximum")
	case over(n.above, n.max) || same(n.above, n.max):
		c.fault(path+"/exclusiveMinimum", "nothing is within maximum")
	case over(n.min, n.below) || same(n.min, n.below):
		c.fault(path+"/minimum", "nothing is below exclusiveMaximum")
	}
}

// over reports whether a is greater than b; nothing is, where one is not said.
func over(a, b jsonrpc.Raw) bool { return a != "" && b != "" && compare(a, b) > 0 }

func same(a, b jsonrpc.Raw) bool { return a != "" && b != "" && compare(a, b) == 0 }

// compare compares two numbers exactly.
func compare(a, b jsonrpc.Raw) int {
	s, d, e := parts(a)
	t, f, g := parts(b)
	if s != t || s == 0 {
		return cmp.Compare(s, t)
	}
	// The digits start with no zero: the place of the first decides, and then the text.
	return s * cmp.Or(cmp.Compare(e+int64(len(d)), g+int64(len(f))), cmp.Compare(d, f))
}

// parts returns the sign, the digits and the power of ten.
func parts(a jsonrpc.Raw) (sign int, digits string, exp int64) {
	neg, digits, exp, _ := rawjson.Decimal(string(a))
	switch {
	case digits == "":
		return 0, "", 0
	case neg:
		return -1, digits, exp
	}
	return 1, digits, exp
}
