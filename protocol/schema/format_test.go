package schema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/schema"
)

// What conforms to a format, and what does not.
func TestFormats(t *testing.T) {
	for name, c := range map[string]struct{ yes, no []string }{
		"date": {[]string{"2024-02-29", "2000-02-29", "2023-01-31", "2023-04-30", "0000-12-31", "2023-07-31", "2023-08-31"},
			[]string{"", "2023-02-29", "1900-02-29", "2023-04-31", "2023-13-01", "2023-00-01", "2023-01-00", "2023-1-01", "2023-01-1", "20230101", "2023-01-01Z", "2023/01/01", "২০২৩-01-01", "2023-01-3a", "2023-a1-01"}},
		"time": {[]string{"12:00:00Z", "12:00:00z", "00:00:00.000001+00:00", "23:59:60Z", "22:59:60-01:00", "00:59:60+01:00", "01:29:60+01:30"},
			[]string{"", "12:00:00", "12:00Z", "24:00:00Z", "12:60:00Z", "12:00:61Z", "12:00:60Z", "12:00:00.Z", "12:00:00+24:00", "12:00:00+01:60", "12:00:00+1:00", "12:00:00 Z", "1a:00:00Z", "12-00:00Z", "12:00-00Z", "12:00:0aZ", "12:00:00+01-00", "23:59:60+00:01"}},
		"date-time": {[]string{"2024-02-29T12:00:00Z", "2024-02-29t12:00:00.5-08:00"}, []string{"", "2024-02-29", "2024-02-29 12:00:00Z", "2024-02-30T12:00:00Z", "2024-02-29T25:00:00Z"}},
		"duration": {[]string{"P1D", "P1Y2M3D", "PT1H2M3S", "P1M", "PT0S", "P4W", "P1YT1S", "P2M3D"},
			[]string{"", "P", "PT", "1D", "P1", "P1D2H", "P1DT", "PT1", "P1YM", "P2D1Y", "P1W1D", "P1Y2W", "P1Y3D", "PT1H3S", "P1H", "p1d", "P১D", "P1S"}},
		"email": {[]string{"a@example.com", "a.b+c@d", `"a b"@c`, `"a\"b"@c`, "a@[127.0.0.1]", "a@[IPv6:::1]", "~@x"},
			[]string{"", "a", "@b", "a@", ".a@b", "a..b@c", "a.@b", "a b@c", "a@b c", "a@-b", "a@[1.2.3]", "a@[IPv6:1]", "a@[127.0.0.1", `"a@b`, `"a"b@c`, "\"a\x01\"@b", `"a\` + "\x01" + `"@b`, `"\"@b`, strings.Repeat("a", 65) + "@b", "é@b"}},
		"hostname": {[]string{"a", "a.b", "1a-b.c", strings.Repeat("a", 63), strings.Repeat("a.", 126) + "a"},
			[]string{"", ".", "a.", ".a", "-a", "a-", "a_b", "a b", "é", strings.Repeat("a", 64), strings.Repeat("a.", 127) + "a"}},
		"ipv4": {[]string{"0.0.0.0", "255.1.20.3"}, []string{"", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.1.1.1", "1.1.1.", "1.1.1.a", "1.1.1.1/8", "0x1.1.1.1", "1111.1.1.1"}},
		"ipv6": {[]string{"::", "::1", "1::", "1:2:3:4:5:6:7:8", "1::8", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "ABCD::ef", "1:2:3:4:5:6:7::"},
			[]string{"", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::", "::1.2.3", "1.2.3.4::", "1:2:3:4:5:6:7:8::", "1:2:3:4:5:6:7:1.2.3.4", "::1%eth0", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:"}},
		"uri": {[]string{"http://a", "http://a:80/b%20c?d/?e#f", "urn:x:y", "mailto:a@b", "http://u:p@[::1]:1/", "http://[v1.a:b]/", "a+b-c.1:", "file:///x", "http://a:"},
			[]string{"", "a", "//a", "http://a b", "http://a/%zz", "http://a/%2", "http://[::1", "http://[x]", "http://[::1]a", "http://a:b", "1a:b", ":a", "http://é", "http://a#b#c", `http://a\b`, "http://a/<>", "http://u@v@w^", "http://[v.a]", "http://[vz.a]", "http://[v1.]", "http://[v1.%41]", "http://[1]", "a b:c", "http://a?[", "http://^@b", "http://a/[b"}},
		"uri-reference":         {[]string{"", "a", "/a/b", "//a", "?x", "#x", "./a:b", "http://a", "a?b:c"}, []string{"a b", "%", `\\a`, "é", "1:b", "#^"}},
		"iri":                   {[]string{"http://é/ü?ö#ä", "http://a"}, []string{"é", "http://a b", "http://\u0080", "http://\ufffd"}},
		"iri-reference":         {[]string{"é", "//é", ""}, []string{"é é", "<é>"}},
		"uuid":                  {[]string{"123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000", "ABCDEF01-0000-0000-0000-000000000000"}, []string{"", "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400", "123e4567-e89b-12d3-a456-42661417400g", "123e4567-e89b-12d3-a456--26614174000", "123e4567--89b-12d3-a456-4266141740000"}},
		"json-pointer":          {[]string{"", "/", "/a~0~1/é"}, []string{"a", "/~", "/~2", "#/a"}},
		"relative-json-pointer": {[]string{"0", "1/a", "10#", "0#", "2/~0"}, []string{"", "/a", "01", "-1", "1a", "0##", "+1/a", "1/~"}},
		"regex":                 {[]string{"", "^a+$", `\p{L}`}, []string{"(", "[", "a**", `\`}},
	} {
		f := schema.FormatNamed(name)
		if f == 0 || !slices.Equal(f.Names(), []string{name}) {
			t.Errorf("%s: %v", name, f.Names())
		}
		s := jsonrpc.Raw(`{"format":"` + name + `"}`)
		for i, texts := range [][]string{c.no, c.yes} {
			for _, text := range texts {
				value := jsonrpc.Raw(rawjson.AppendQuote(nil, text))
				want := ""
				if i == 0 {
					want = " format"
				}
				for _, v := range []schema.Validator{schema.Basic{Formats: f}, schema.Lenient{Formats: schema.AllFormats}} {
					if got := fault(v.Validate(s, value)); got != want {
						t.Errorf("%s: %q: %q, want %q", name, text, got, want)
					}
				}
				if err := (schema.Basic{Formats: schema.AllFormats &^ f}).Validate(s, value); err != nil {
					t.Errorf("%s: %q: %v, though nobody asks", name, text, err)
				}
				// not inverts the verdict, unless it is unknown.
				if got := (schema.Basic{Formats: f}).Validate(`{"not":`+s+`}`, value); (got == nil) != (i == 0) {
					t.Errorf("not %s: %q: %v", name, text, got)
				}
			}
		}
	}
	// What this package cannot decide is accepted.
	for name, text := range map[string]string{"hostname": "xn--x", "email": "a@xn--x", "regex": `(?<=a)b`, "unknown": "x"} {
		for _, s := range []string{`{"format":"` + name + `"}`, `{"not":{"format":"` + name + `"}}`} {
			if err := (schema.Basic{Formats: schema.AllFormats}).Validate(jsonrpc.Raw(s), jsonrpc.Raw(rawjson.AppendQuote(nil, text))); err != nil {
				t.Errorf("%s on %q: %v", s, text, err)
			}
		}
	}
	if err := (schema.Basic{Formats: schema.AllFormats}).Validate(`{"format":"date"}`, `5`); err != nil {
		t.Error(err)
	}
	if got := schema.AllFormats.Names(); len(got) != 16 || schema.FormatNamed("") != 0 || schema.Formats(0).Names() != nil {
		t.Error(got)
	}
}
