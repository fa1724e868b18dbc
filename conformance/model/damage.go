package model

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Damage returns JSON changed at random in one to three places: members and
// elements dropped, doubled, or replaced by values of any kind and size, or by those with their name or
// place in another text.
func Damage(src Source, text, other string) string {
	d, root := dice{src}, parseNode(text)
	for range 1 + d.Intn(3) {
		n := pick(d, root.containers())
		if len(n.kids) == 0 {
			continue
		}
		i := d.Intn(len(n.kids))
		switch kid := n.kids[i]; d.Intn(5) {
		case 0:
			n.kids = append(n.kids[:i:i], n.kids[i+1:]...)
		case 1:
			n.kids = append(n.kids, kid)
		case 2:
			n.kids[i] = &node{name: kid.name, text: pick(d, oddValues)}
		case 3:
			n.kids[i], n.kids[0] = &node{kid.name, n.kids[0].text, n.kids[0].kids}, &node{n.kids[0].name, kid.text, kid.kids}
		case 4:
			m := pick(d, parseNode(other).containers())
			for _, theirs := range m.kids {
				if theirs.name == kid.name || d.one(8) {
					n.kids[i] = &node{kid.name, theirs.text, theirs.kids}
				}
				if d.one(8) {
					n.kids = append(n.kids, theirs)
				}
			}
		}
	}
	return root.String()
}

var oddValues = []string{
	"0", "1", "2", "3", "-1", "5", "1000000000", "-1000000000", "65535", "65536", "4294967296", "9007199254740991", "9007199254740992",
	"9223372036854775806", "9223372036854775807", "-9223372036854775808", "-4611686018427387904", "18446744073709551615", "18446744073709551616",
	"1e3", "1e400", "1.5", "-0", "01", "true", "false", "null", `""`, `"x"`, `"ready"`, `"shutting_down"`, `"initializing"`, `"disconnected"`,
	`"uninitialized"`, `"error"`, `"ping"`, `"initialize"`, `"tools/call"`, `"logging/setLevel"`, `"elicitation/create"`, `"notifications/x"`,
	`"custom/one"`, `"2025-06-18"`, `"2024-11-05"`, `"shut down"`, `"\ud800"`, "[]", "{}", "[0]", `[["x"]]`,
}

// node is a JSON value in which names may be repeated.
type node struct {
	name string // of a member, quoted
	text string // of a scalar; otherwise the opening bracket
	kids []*node
}

func parseNode(text string) *node {
	n := &node{text: text}
	if o, ok := rawjson.Members(text); ok {
		n.text = "{"
		for name, val, more := o.Next(); more; name, val, more = o.Next() {
			kid := parseNode(val)
			kid.name = string(rawjson.AppendQuote(nil, name))
			n.kids = append(n.kids, kid)
		}
	} else if a, ok := rawjson.Elements(text); ok {
		n.text = "["
		for val, more := a.Next(); more; val, more = a.Next() {
			n.kids = append(n.kids, parseNode(val))
		}
	}
	return n
}

// containers returns the objects and arrays.
func (n *node) containers() (list []*node) {
	if n.text != "{" && n.text != "[" {
		return nil
	}
	list = append(list, n)
	for _, kid := range n.kids {
		list = append(list, kid.containers()...)
	}
	return list
}

func (n *node) String() string {
	if n.text != "{" && n.text != "[" {
		return n.text
	}
	var parts []string
	for _, kid := range n.kids {
		switch {
		case n.text == "[":
			parts = append(parts, kid.String())
		case kid.name == "":
			parts = append(parts, `"new":`+kid.String())
		default:
			parts = append(parts, kid.name+":"+kid.String())
		}
	}
	return n.text + strings.Join(parts, ",") + map[string]string{"{": "}", "[": "]"}[n.text]
}
