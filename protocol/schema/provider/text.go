package provider

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// member is a member of a schema.
type member struct {
	name, val string
	in, from  string // the pointer to the schema that had it, and its keyword there; for a property those of properties
}

// keyword is the keyword in the original schema.
func (m member) keyword() string { return cmp.Or(m.from, m.name) }

// at is the pointer to the value.
func (m member) at() string { return pointed(m.in, m.keyword()) }

// words is a set of words with spaces around each.
type words string

func (w words) has(name string) bool {
	return name != "" && !strings.Contains(name, " ") && strings.Contains(string(w), " "+name+" ")
}

// membersOf returns the members of an object; of repeated ones the last.
func membersOf(raw string) []member {
	var list []member
	at := map[string]int{}
	o, _ := rawjson.Members(raw)
	o.Trust(rawjson.DefaultDepth)
	for name, val := range o.All {
		if i, there := at[name]; there {
			list[i].val = val
			continue
		}
		at[name] = len(list)
		list = append(list, member{name: name, val: val})
	}
	return list
}

// pointed returns the pointer to a member.
func pointed(path, name string) string {
	return path + "/" + strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

func elementsOf(raw string) (list []string) {
	a, _ := rawjson.Elements(raw)
	a.Trust(rawjson.DefaultDepth)
	for val := range a.All {
		list = append(list, val)
	}
	return list
}

func stringsOf(raw string) (list []string) {
	for _, val := range elementsOf(raw) {
		if s, ok := rawjson.Unquote(val); ok {
			list = append(list, s)
		}
	}
	return list
}

// hasType reports whether the value of type is, or lists, a name.
func hasType(raw, name string) bool { return slices.Contains(typesIn(raw), name) }

func typesIn(raw string) []string {
	if s, ok := rawjson.Unquote(raw); ok {
		return []string{s}
	}
	return stringsOf(raw)
}

func quoted(list []string) string {
	texts := make([]string, 0, len(list))
	for _, s := range list {
		texts = append(texts, quote(s))
	}
	return listed(texts)
}

func unique(list []string) (once []string) {
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			once = append(once, s)
		}
		seen[s] = true
	}
	return once
}

func memberOf(text, name string) string {
	val, _ := rawjson.Get(text, name)
	return val
}

// object is a JSON object being written.
type object struct{ dst []byte }

func (o *object) add(name, val string) {
	o.dst = append(rawjson.AppendQuote(append(o.dst, ','), name), ':')
	o.dst = append(o.dst, val...)
}

func (o object) String() string {
	if len(o.dst) == 0 {
		return "{}"
	}
	return "{" + string(o.dst[1:]) + "}"
}

// record returns an object of alternating names and values, without members whose value is "".
func record(members ...string) string {
	var o object
	for i := 0; i < len(members); i += 2 {
		if members[i+1] != "" {
			o.add(members[i], members[i+1])
		}
	}
	return o.String()
}

// listed returns an array.
func listed(list []string) string { return "[" + strings.Join(list, ",") + "]" }

func quote(s string) string { return string(rawjson.AppendQuote(nil, s)) }

// setOf returns the texts as a set.
func setOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, s := range list {
		set[s] = true
	}
	return set
}

// valuesOf returns the members of an object by their names.
func valuesOf(raw string) map[string]string {
	values := map[string]string{}
	for _, m := range membersOf(raw) {
		values[m.name] = m.val
	}
	return values
}

func namesOf(list []member) []string {
	names := make([]string, 0, len(list))
	for _, m := range list {
		names = append(names, m.name)
	}
	return names
}

func isSchema(raw string) bool { return raw[0] == '{' || raw == "true" || raw == "false" }

func isNumber(raw string) bool { return raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9' }

func areNames(raw string) bool {
	return raw[0] == '[' && len(unique(stringsOf(raw))) == len(elementsOf(raw))
}
