package protocol

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Most envelopes are alike: names without escapes, no blanks, each member once and in the form that
// clients write it. They are compared with that form, which takes a fifth of the time that reading them
// member by member takes (REQM-016). What is not as usual is left to the others, which read anything.

// usualMeta returns the _meta of params that is their largest member, at params[start:end], and the last of
// its name; "" for any other.
func usualMeta(params string, start, end int) Meta {
	const name = `"_meta":`
	if start >= end || end > len(params) || !strings.HasSuffix(params[:start], name) {
		return ""
	}
	before := start - len(name) - 1 // a quote behind a comma or a brace begins a name
	if before < 0 || params[before] != ',' && params[before] != '{' || mentions(params[end:], "_meta") {
		return ""
	}
	return Meta(params[start:end])
}

// usual returns the envelope of a _meta that is as usual; false for any other, good or bad.
func (m Meta) usual() (e Envelope, ok bool) {
	const (
		quoted  = `"` + metaPrefix // begins the names of all members of an envelope
		version = `protocolVersion":`
		caps    = `clientCapabilities":`
		client  = `clientInfo":`
		token   = `"` + tokenKey + `":`
	)
	s, declared := string(m), false
	for i := 1; i < len(s); i++ {
		name, own := strings.CutPrefix(s[i:], quoted)
		at := i + len(quoted)
		switch {
		case !own && strings.HasPrefix(s[i:], token): // which others read
			i = rawjson.Skip(s, i+len(token), 0)
		case !own:
			return e, false
		case strings.HasPrefix(name, client) && e.Client == "":
			from := at + len(client)
			if i = usualClient(s, from); i < 0 {
				return e, false
			}
			e.Client = Raw(s[from:i])
		case strings.HasPrefix(name, version) && e.Version == "":
			from := at + len(version)
			if i = usualText(s, from); i < from+len(`"."`) || strings.IndexByte(s[from:i], '\\') >= 0 {
				return e, false
			}
			e.Version = s[from+1 : i-1]
		case strings.HasPrefix(name, caps) && !declared:
			declared = true
			e.Capabilities, i = usualCapabilities(s, at+len(caps))
		default:
			return e, false
		}
		switch {
		case i < 0 || i >= len(s) || s[0] != '{':
			return e, false
		case s[i] == '}':
			return e, i == len(s)-1 && declared && e.Version != ""
		case s[i] != ',':
			return e, false
		}
	}
	return e, false
}

// usualText returns the index after the string at s[i], -1 for anything else.
func usualText(s string, i int) int {
	if i >= len(s) || s[i] != '"' {
		return -1
	}
	return rawjson.Skip(s, i, 0)
}

// usualClient returns the index after the Implementation at s[i], -1 for one that has more than a name
// and a version.
func usualClient(s string, i int) int {
	const name, version = `{"name":`, `,"version":`
	if !strings.HasPrefix(s[i:], name) {
		return -1
	}
	if i = usualText(s, i+len(name)); i < 0 || !strings.HasPrefix(s[i:], version) {
		return -1
	}
	if i = usualText(s, i+len(version)); i < 0 || i == len(s) || s[i] != '}' {
		return -1
	}
	return i + 1
}

// usualCapabilities returns what the object at s[i] declares, and the index after it; -1 if that is not
// as usual.
func usualCapabilities(s string, i int) (set Capability, end int) {
	if strings.HasPrefix(s[i:], "{}") {
		return 0, i + len("{}")
	}
	if i == len(s) || s[i] != '{' {
		return 0, -1
	}
	for i < len(s) && s[i] != '}' {
		i++ // the brace, or a comma
		size := 0
		for _, u := range usualDeclared {
			if strings.HasPrefix(s[i:], u.text) {
				if set&u.set != 0 { // twice
					return 0, -1
				}
				set, size = set|u.set, len(u.text)
				break
			}
		}
		if i += size; size == 0 || i == len(s) || s[i] != ',' && s[i] != '}' {
			return 0, -1
		}
	}
	return set, i + 1
}

// usualDeclared are the members of ClientCapabilities as most clients write them.
var usualDeclared = [...]struct {
	text string
	set  Capability
}{
	{`"elicitation":{}`, CapElicitation},
	{`"elicitation":{"form":{}}`, CapElicitation},
	{`"elicitation":{"form":{},"url":{}}`, CapElicitation | CapElicitationForm | CapElicitationURL},
	{`"sampling":{}`, CapSampling},
	{`"roots":{}`, CapRoots},
	{`"roots":{"listChanged":true}`, CapRoots | CapRootsListChanged},
}
