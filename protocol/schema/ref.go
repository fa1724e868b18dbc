package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// refer reads a $ref. The place it leads to is read later and once.
func (c *compiler) refer(r *rule, raw string) bool {
	ref, ok := rawjson.Unquote(raw)
	if !ok {
		return false
	}
	if c.inner > 0 {
		return false // it starts at the $id
	}
	if r.ref = c.targets[ref]; r.ref != nil {
		return true
	}
	fragment, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return c.referAnchor(r, ref)
	}
	if fragment, ok = percent(fragment); !ok {
		return false
	}
	target := pending{rule: newRule(), text: c.root}
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for at := 0; at <= len(fragment); {
		end := len(fragment)
		if i := strings.IndexByte(fragment[at:], '/'); i >= 0 {
			end = at + i
		}
		part := unescape.Replace(fragment[at:end])
		if target.text, ok = c.child(fragment[:at], target.text, part); !ok {
			return false
		}
		target.path = append(target.path, token{name: part, named: true})
		target.inner = target.inner || c.crosses(fragment[:at])
		at = end + 1
	}
	c.targets[ref], r.ref = target.rule, target.rule
	c.queue = append(c.queue, target)
	return true
}

// referAnchor reads a $ref to an anchor.
func (c *compiler) referAnchor(r *rule, ref string) bool {
	name, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return false
	}
	target, ok := c.anchored(name)
	if !ok {
		return false
	}
	target.rule = newRule()
	c.targets[ref], r.ref = target.rule, target.rule
	c.queue = append(c.queue, target)
	return true
}

// crosses reports whether the place to which the pointer way leads, which child has read, is
// a schema with an $id within the first.
func (c *compiler) crosses(way string) bool { return way != "" && resource(&c.places[way].object) }

// place is an object or array on the way of a pointer. Many pointers go the same way,
// so it is read once.
type place struct {
	object object
	list   []string
}

// child returns the member or element of raw, to which the pointer way leads, that the
// next part of the pointer names.
func (c *compiler) child(way, raw, part string) (val string, ok bool) {
	p := c.places[way]
	if p == nil {
		p = &place{}
		if raw[0] == '{' {
			p.object, ok = c.object(raw)
			p.object.list = slices.Clone(p.object.list)
			c.close(&p.object)
		} else {
			ok = c.each(raw, func(_ int, x string) bool {
				p.list = append(p.list, x)
				return true
			})
		}
		if !ok {
			return "", false
		}
		if c.places == nil {
			c.places = map[string]*place{}
		}
		c.places[way] = p
	}
	if !c.step(hashSteps + len(way)/stepBytes + len(part)/nameBytes) {
		return "", false
	}
	if raw[0] == '{' {
		val = p.object.get(part)
		return val, val != ""
	}
	n, err := strconv.Atoi(part)
	if err != nil || strconv.Itoa(n) != part || n < 0 || n >= len(p.list) {
		return "", false
	}
	return p.list[n], true
}

// percent decodes the escapes of a URI fragment.
func percent(s string) (string, bool) {
	if strings.IndexByte(s, '%') < 0 {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		n, err := strconv.ParseUint(s[i+1:min(i+3, len(s))], 16, 8)
		if err != nil || i+3 > len(s) {
			return "", false
		}
		b.WriteByte(byte(n))
		i += 2
	}
	return b.String(), true
}
