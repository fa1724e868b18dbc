package schema_test

import (
	"iter"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/schema"
)

// A format agrees with another implementation: package time, package netip, or the grammar of its
// RFC as a regular expression.
func TestFormatsAgainstOthers(t *testing.T) {
	matches := func(grammar string) func(string) bool {
		re := regexp.MustCompile(`^(?:` + grammar + `)$`)
		return re.MatchString
	}
	const pointer = `(?:/(?:[^/~]|~[01])*)*`
	date := func(s string) bool {
		_, err := time.Parse(time.DateOnly, s)
		return err == nil
	}
	clock := regexp.MustCompile(`^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[zZ]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$`)
	timeOfDay := func(s string) bool {
		if !clock.MatchString(s) {
			return false
		}
		if s[6:8] != "60" {
			return true
		}
		at, err := time.Parse("15:04:05Z07:00", s[:6]+"59"+strings.ToUpper(strings.TrimLeft(s[8:], ".0123456789")))
		return err == nil && at.UTC().Format("15:04") == "23:59" // where the day ends
	}
	for format, c := range map[string]struct {
		fits func(string) bool
		list []iter.Seq[string]
	}{
		"date": {date, []iter.Seq[string]{texts.Near("2024-02-29", "2100-02-28", "2000-11-30", "1999-12-31")}},
		"time": {timeOfDay, []iter.Seq[string]{texts.Near("23:59:60Z", "01:29:60+01:30", "22:29:60-01:30", "08:30:06.283185z", "00:00:00-23:59")}},
		"date-time": {func(s string) bool {
			return len(s) > 10 && (s[10] == 'T' || s[10] == 't') && date(s[:10]) && timeOfDay(s[11:])
		}, []iter.Seq[string]{texts.Near("2024-02-29T23:59:60.5Z", "2023-12-31t00:00:00+23:59")}},
		"duration": {
			matches(`P(?:\d+W|(?:(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)|)(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)|))`),
			[]iter.Seq[string]{texts.Near("P4Y1M2DT3H45M6S", "P2W", "PT0S", "P1DT1M", "P10Y2M"), texts.Every(5, "P", "T", "1", "Y", "M", "D", "H", "S", "W")},
		},
		"ipv4": {func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() }, []iter.Seq[string]{texts.Near("192.168.0.255", "10.25.249.1"), texts.Every(7, "1", "25", "6", "0", ".")}},
		"ipv6": {func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is6() && a.Zone() == "" }, []iter.Seq[string]{
			texts.Near("12:34:56:78:9a:bc:def0:123", "::ffff:192.168.0.1", "1::d6:192.168.0.1", "fe80::1"), texts.Every(9, ":", "abcd", "1.2.3.4"),
		}},
		"uuid":                  {matches(`[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`), []iter.Seq[string]{texts.Near("2eb8aa08-AA98-11ea-b4aa-73b441d16380")}},
		"json-pointer":          {matches(pointer), []iter.Seq[string]{texts.Near("/foo/b~0r~1/", ""), texts.Every(5, "/", "~", "0", "1", "2", "a")}},
		"relative-json-pointer": {matches(`(?:0|[1-9]\d*)(?:#|` + pointer + `)`), []iter.Seq[string]{texts.Near("120/foo~0/bar", "0#", "10#"), texts.Every(5, "0", "1", "#", "/", "~")}},
		"hostname":              {matches(`[0-9a-zA-Z](?:[0-9a-zA-Z-]{0,61}[0-9a-zA-Z])?(?:\.[0-9a-zA-Z](?:[0-9a-zA-Z-]{0,61}[0-9a-zA-Z])?)*`), []iter.Seq[string]{texts.Near("www-1.example.com", strings.Repeat("a", 63)+".b", strings.Repeat("a", 64)), texts.Every(6, "a", "-", ".", "1")}},
	} {
		s, err := schema.Basic{Formats: schema.AllFormats}.Compile(jsonrpc.Raw(`{"type":"object","properties":{"n":{"format":"` + format + `"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range c.list {
			for text := range list {
				if format == "duration" && (text == "P" || strings.HasSuffix(text, "T")) || !valid(text) {
					continue // the grammar here accepts too little of it
				}
				if format == "hostname" && strings.Contains(text, "--") {
					continue // may be of another script
				}
				got := s.Validate(jsonrpc.Raw(`{"n":`+string(rawjson.AppendQuote(nil, text))+`}`)) == nil
				if want := c.fits(text); got != want {
					t.Errorf("%q is a %s: %v, want %v", text, format, got, want)
				}
			}
		}
	}
}

// valid reports whether a text needs no escapes in JSON.
func valid(s string) bool {
	back, ok := rawjson.Unquote(string(rawjson.AppendQuote(nil, s)))
	return ok && back == s
}

// Package regexp matches the translation of each short pattern as ECMA-262 says.
func TestShortPatternsAgainstTwin(t *testing.T) {
	for _, pieces := range [][]string{
		{"a", "é", "-", "[", "]", "^", `\`, "d"}, {"a", "(", ")", "?", "(?:", "(?<n>", "*", "|"}, {"a", "{", "}", ",", "1", "2", "+", "?"}, {"[", "]", "a", "-", `\d`, `\W`, "c", "^"},
		{`\`, "u", "x", "0041", "{", "}", "d83d", "de00", "c", "j"},
	} {
		for p := range texts.Every(4, pieces...) {
			for _, text := range []string{"", "a", "aa", "b", "é-", "1,2", "A\n", "d{a}"} {
				got, read := schema.MatchPattern(p, text)
				if !read {
					break
				}
				if want := schema.MatchTwin(p, text); got != want {
					t.Fatalf("%q on %q: %v, want %v", p, text, got, want)
				}
			}
		}
	}
}

// Each letter and digit after a backslash is read as specified, and no other character is.
func TestEscapesOfEachCharacter(t *testing.T) {
	for c := range 128 {
		s := string(rune(c))
		digit := strings.IndexByte("0123456789abcdef", byte(c|0x20))
		if c < 'A' {
			digit = strings.IndexByte("0123456789", byte(c))
		}
		hex := digit >= 0
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		for _, e := range []struct {
			pattern, text string
			read          bool
		}{
			{`\c` + s, string(rune(c & 0x1f)), letter},
			{`\x4` + s, string(rune(0x40 + digit)), hex}, {`\x` + s + `1`, string(rune(digit<<4 + 1)), hex},
			{`\u004` + s, string(rune(0x40 + digit)), hex}, {`\u` + s + `041`, string(rune(digit<<12 + 0x41)), hex},
			{`\u{4` + s + `}`, string(rune(0x40 + digit)), hex},
		} {
			if e.pattern == `\u{4}}` {
				continue // a brace after the character
			}
			for _, pattern := range []string{`^` + e.pattern + `$`, `^[` + e.pattern + `]$`} {
				got, read := schema.MatchPattern(pattern, e.text)
				if read != e.read || read && !got {
					t.Errorf("%q on %q: %v, read %v, want it read %v", pattern, e.text, got, read, e.read)
				}
			}
		}
	}
}
