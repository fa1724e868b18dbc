package schema

import (
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
	if r.ref = c.targets[ref]; r.ref != nil {
		return true
	}
	fragment, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return false
	}
	if fragment, ok = percent(fragment); !ok {
		return false
	}
	target := pending{rule: newRule(), text: c.root}
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for part := range strings.SplitSeq(fragment, "/") {
		part = unescape.Replace(part)
		if target.text, ok = c.child(target.text, part); !ok {
			return false
		}
		target.path = append(target.path, token{name: part, named: true})
	}
	c.targets[ref], r.ref = target.rule, target.rule
	c.queue = append(c.queue, target)
	return true
}

// child returns the member or element of raw that a part of a pointer names.
func (c *compiler) child(raw, part string) (val string, ok bool) {
	if !c.read(raw) {
		return "", false
	}
	if raw[0] == '{' {
		return rawjson.Get(raw, part)
	}
	n, err := strconv.Atoi(part)
	if err != nil || strconv.Itoa(n) != part {
		return "", false
	}
	a, ok := rawjson.Elements(raw)
	for i := 0; ok; i++ {
		if val, ok = a.Next(); i == n {
			break
		}
	}
	return val, ok
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
