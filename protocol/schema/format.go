package schema

import (
	"slices"
	"strings"
	"time"
)

// Formats is a set of values of the keyword format. In JSON Schema, format is an
// annotation and checks nothing; Basic and Lenient check the Formats that they have.
type Formats uint32

// The formats. A string that does not conform fails format; any other value passes.
const (
	FormatDateTime            Formats = 1 << iota // date-time: RFC 3339, 5.6
	FormatDate                                    // date: RFC 3339, 5.6
	FormatTime                                    // time: RFC 3339, 5.6
	FormatDuration                                // duration: RFC 3339, appendix A
	FormatEmail                                   // email: RFC 5321, 4.1.2
	FormatHostname                                // hostname: RFC 1123, 2.1
	FormatIPv4                                    // ipv4: RFC 2673, 3.2
	FormatIPv6                                    // ipv6: RFC 4291, 2.2
	FormatURI                                     // uri: RFC 3986
	FormatURIReference                            // uri-reference: RFC 3986, 4.1
	FormatIRI                                     // iri: RFC 3987
	FormatIRIReference                            // iri-reference: RFC 3987
	FormatUUID                                    // uuid: RFC 4122
	FormatJSONPointer                             // json-pointer: RFC 6901, 5
	FormatRelativeJSONPointer                     // relative-json-pointer
	FormatRegex                                   // regex: ECMA-262, with the flag u
	AllFormats                Formats = 1<<iota - 1
)

// formatNames are the names of the formats, in their order.
var formatNames = [...]string{"date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference", "iri", "iri-reference",
	"uuid", "json-pointer", "relative-json-pointer", "regex"}

// FormatNamed returns the format with a name, as in the keyword, and 0 for one
// that this package does not check.
func FormatNamed(name string) Formats {
	if i := slices.Index(formatNames[:], name); i >= 0 {
		return 1 << i
	}
	return 0
}

// Names returns the names of the formats in f, in the order of the constants.
func (f Formats) Names() []string {
	var list []string
	for i, name := range formatNames {
		if f&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	return list
}

// fits says whether s conforms to f: maybe if this package cannot decide it.
func (f Formats) fits(s string) verdict {
	ok := false
	switch f {
	case FormatDateTime:
		ok = isDateTime(s)
	case FormatDate:
		ok = isDate(s)
	case FormatTime:
		ok = isTime(s)
	case FormatDuration:
		ok = isDuration(s)
	case FormatEmail:
		return isEmail(s)
	case FormatHostname:
		return isHostname(s)
	case FormatIPv4:
		ok = isIPv4(s)
	case FormatIPv6:
		ok = isIPv6(s)
	case FormatURI, FormatURIReference, FormatIRI, FormatIRIReference:
		ok = isURI(s, f&(FormatURI|FormatIRI) != 0, f&(FormatIRI|FormatIRIReference) != 0)
	case FormatUUID:
		ok = isUUID(s)
	case FormatJSONPointer:
		ok = isPointer(s)
	case FormatRelativeJSONPointer:
		_, n := digits(s, 0)
		ok = n > 0 && (n == 1 || s[0] != '0') && (s[n:] == "#" || isPointer(s[n:]))
	case FormatRegex:
		if !wellFormed(s) {
			return no
		}
		if p := (regexParser{text: s}); p.parse() == nil {
			return maybe
		}
		ok = true
	}
	if !ok {
		return no
	}
	return yes
}

// only reports whether is holds for every byte of s.
func only(s string, is func(byte) bool) bool {
	for i := range len(s) {
		if !is(s[i]) {
			return false
		}
	}
	return true
}

// number reads n decimal digits.
func number(s string, n int) (v int, ok bool) {
	if len(s) < n {
		return 0, false
	}
	for i := range n {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		v = 10*v + int(s[i]-'0')
	}
	return v, true
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

func isDateTime(s string) bool {
	return len(s) > 10 && s[10]|0x20 == 't' && isDate(s[:10]) && isTime(s[11:])
}

// isTime reports whether s is a time of day with its offset. A leap second must be the last of a
// day in UTC.
func isTime(s string) bool {
	hour, minute, ok := clock(s)
	if !ok || len(s) < len("15:04:05Z") || s[5] != ':' {
		return false
	}
	second, ok := number(s[6:], 2)
	if s = s[8:]; !ok || second > 60 {
		return false
	}
	if s[0] == '.' {
		_, end := digits(s, 1)
		if end == 1 {
			return false
		}
		s = s[end:]
	}
	offset := 0
	switch {
	case s == "Z" || s == "z":
	case len(s) == len("+00:00") && (s[0] == '+' || s[0] == '-'):
		h, m, ok := clock(s[1:])
		if !ok {
			return false
		}
		if offset = 60*h + m; s[0] == '-' {
			offset = -offset
		}
	default:
		return false
	}
	const day = 24 * 60
	return second < 60 || (60*hour+minute-offset+day)%day == day-1
}

// clock reads hours and minutes.
func clock(s string) (hour, minute int, ok bool) {
	hour, ok = number(s, 2)
	if !ok || hour > 23 || len(s) < 5 || s[2] != ':' {
		return 0, 0, false
	}
	minute, ok = number(s[3:], 2)
	return hour, minute, ok && minute < 60
}

// isDuration reports whether s is weeks, or years, months and days and hours, minutes and
// seconds, without gaps between units.
func isDuration(s string) bool {
	s, ok := strings.CutPrefix(s, "P")
	if !ok {
		return false
	}
	if rest, ok := units(s, "W"); ok && rest == "" {
		return true
	}
	s, date := units(s, "YMD")
	if s == "" {
		return date
	}
	s, ok = strings.CutPrefix(s, "T")
	if !ok {
		return false
	}
	s, ok = units(s, "HMS")
	return ok && s == ""
}

// units reads consecutive numbers with units, and returns the rest; ok is false without any.
func units(s, names string) (rest string, ok bool) {
	for at := -1; ; {
		_, end := digits(s, 0)
		if end == 0 || end == len(s) {
			return s, ok
		}
		i := strings.IndexByte(names, s[end])
		if i < 0 || ok && i != at+1 {
			return s, ok
		}
		s, ok, at = s[end+1:], true, i
	}
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash && s[i] != '-' || !dash && !hexadecimal(s[i]) {
			return false
		}
	}
	return true
}

func hexadecimal(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func isPointer(s string) bool {
	if s != "" && s[0] != '/' {
		return false
	}
	for i := range len(s) {
		if s[i] == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return false
		}
	}
	return true
}
