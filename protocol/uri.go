package protocol

import (
	"strings"
	"unicode/utf8"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// ValidURI reports whether s can be a uri: a scheme as RFC 3986 spells it
// (section 3.1) and a colon, and no space or control character anywhere, in UTF-8.
// Characters beyond ASCII are let pass, as many programs write them plainly (RES-034).
func ValidURI(s string) bool {
	scheme, _, ok := strings.Cut(s, ":")
	if !ok || scheme == "" || !letter(scheme[0]) || !consists(scheme, "+-.") {
		return false
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] == 0x7f {
			return false
		}
	}
	return utf8.ValidString(s)
}

// ValidRootURI reports whether s can be the uri of a root: a file:// uri whose
// path has no segment "..", spelled out or percent-encoded (roots, Security
// Considerations; ROOT-012).
func ValidRootURI(s string) bool {
	const scheme = "file://"
	if len(s) < len(scheme) || !strings.EqualFold(s[:len(scheme)], scheme) || !ValidURI(s) {
		return false
	}
	path := unescape(s[len(scheme):])
	for segment := range strings.FieldsFuncSeq(path, func(c rune) bool { return c == '/' || c == '\\' }) {
		if segment == ".." {
			return false
		}
	}
	return true
}

// ValidRoots reports whether the roots of a result of roots/list are as they should be:
// each of them with the uri of a root.
func ValidRoots(result Raw) bool {
	list, _ := rawjson.Get(string(result), "roots")
	a, _ := rawjson.Elements(list)
	for val := range a.All {
		var root Root
		if root.DecodeJSON(Raw(val), jsonrpc.Span{}) != nil || root.Validate() != nil {
			return false
		}
	}
	return !a.Bad()
}

// unescape decodes percent-encoded bytes and leaves any other percent sign as it is.
func unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if high, low := hexDigit(s[i+1]), hexDigit(s[i+2]); high < 16 && low < 16 {
				b.WriteByte(high<<4 | low)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func hexDigit(c byte) byte {
	switch {
	case digit(c):
		return c - '0'
	case c|0x20-'a' < 6:
		return c | 0x20 - 'a' + 10
	}
	return 16
}

// validMIMEType reports whether s has the form type/subtype with optional
// parameters after a semicolon (RFC 6838, section 4.2).
func validMIMEType(s string) bool {
	s, _, _ = strings.Cut(s, ";")
	kind, subtype, ok := strings.Cut(strings.TrimRight(s, " \t"), "/")
	return ok && restrictedName(kind) && restrictedName(subtype)
}

func restrictedName(s string) bool {
	return s != "" && alphanumeric(s[0]) && consists(s, "!#$&-^_.+")
}

func verifyURI(uri string) Reason { return unless(ValidURI(uri), ReasonValue) }

func verifyRoot(uri string) Reason { return unless(ValidRootURI(uri), ReasonValue) }
