package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/schema"
)

// Of the texts that are almost of a format, the same ones are of it.
func TestAlmostFormats(t *testing.T) {
	fits := func(f schema.Formats) func(string) string {
		return func(s string) string { return schema.Fits(f, s) }
	}
	texts.Same(t, "311 of 19095, 3d7718ec", texts.Near("2024-02-29T23:59:60.123Z", "2023-12-31t00:00:00+23:59", "1998-12-31T15:59:60-08:00"), fits(schema.FormatDateTime))
	texts.Same(t, "173 of 7743, 0b2ea38a", texts.Near("2024-02-29", "2100-02-28", "2000-11-30"), fits(schema.FormatDate))
	texts.Same(t, "181 of 13678, d551f5c9", texts.Near("23:59:60Z", "01:29:60+01:30", "22:29:60-01:30", "08:30:06.283185z"), fits(schema.FormatTime))
	texts.Same(t, "188 of 8777, 24c32bfa", texts.Near("P4Y1M2DT3H45M6S", "P2W", "PT0S", "P1DT1M", "P10Y2D"), fits(schema.FormatDuration))
	texts.Same(t, "42 of 597871, b4b94065", texts.Every(6, "P", "T", "1", "Y", "M", "D", "H", "S", "W"), fits(schema.FormatDuration))
	texts.Same(t, "2925 of 17290, 9fbbdecd", texts.Near("joe.x+y@a-b.example.com", `"j\" o"@example.com`, "a@[127.0.0.1]", "a@[IPv6:::1]"), fits(schema.FormatEmail))
	texts.Same(t, "6633 of 26577, 70f06de0", texts.Near("www-1.example.com", "xn--4gbwdl.xn--wgbh1c", strings.Repeat("a", 63)+".b"), fits(schema.FormatHostname))
	texts.Same(t, "160 of 6194, 7a962249", texts.Near("192.168.0.255", "10.25.249.1"), fits(schema.FormatIPv4))
	texts.Same(t, "256 of 97656, 19bff7fd", texts.Every(7, "1", "25", "6", "0", "."), fits(schema.FormatIPv4))
	texts.Same(t, "901 of 17548, badaa7c3", texts.Near("12:34:56:78:9a:bc:def0:123", "::ffff:192.168.0.1", "1::d6:192.168.0.1", "fe80::1"), fits(schema.FormatIPv6))
	texts.Same(t, "25 of 29524, ca534a7a", texts.Every(9, ":", "abcd", "1.2.3.4"), fits(schema.FormatIPv6))
	uris := func(s string) (fits string) {
		for _, f := range []schema.Formats{schema.FormatURI, schema.FormatURIReference, schema.FormatIRI, schema.FormatIRIReference} {
			fits += schema.Fits(f, s) + ","
		}
		return fits
	}
	texts.Same(t, "21936 of 21936, 1db820f6", texts.Near("http://u:p@ex.org:80/a%20b;c/?q=r#frag", "urn:x:é", "//[::1]:8/", "//[v1.a]/x", "../a/b?x#y", "a+b-c.9:d"), uris)
	texts.Same(t, "66430 of 66430, 5cc8f8bb", texts.Every(5, "a", ":", "/", "?", "#", "[", "]", "%41", "@"), uris)
	texts.Same(t, "709 of 9289, f47641c9", texts.Near("2eb8aa08-AA98-11ea-b4aa-73b441d16380"), fits(schema.FormatUUID))
	texts.Same(t, "2323 of 3098, f9cde7c2", texts.Near("/foo/b~0r~1/", ""), fits(schema.FormatJSONPointer))
	texts.Same(t, "2151 of 4647, fa4f7bfe", texts.Near("120/foo~0/bar", "0#", "10#"), fits(schema.FormatRelativeJSONPointer))
	texts.Same(t, "6098 of 8000, d178b0e3", texts.Near(`^(?:a|[^b-y\]]{2,13}?)+$`, `(?i)a\1`), fits(schema.FormatRegex))
}

// Numbers compare, divide and count as they did, however they are spelled.
func TestAlmostNumbers(t *testing.T) {
	numbers := texts.Every(5, "0", "1", "25", "-", ".", "e", "E+", "e-")
	var rules []schema.Schema
	for _, rule := range []string{`"minimum":1`, `"maximum":-1`, `"exclusiveMinimum":-25`, `"exclusiveMaximum":12.5`, `"multipleOf":0.25`, `"multipleOf":10`, `"const":25`, `"enum":[0,1e2]`, `"type":"integer"`} {
		s, err := schema.Compile(jsonrpc.Raw(`{"type":"object","properties":{"n":{` + rule + `}}}`))
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, s)
	}
	texts.Same(t, "37449 of 37449, be77dbe9", numbers, func(n string) string {
		var b strings.Builder
		for _, s := range rules {
			fmt.Fprint(&b, s.Validate(jsonrpc.Raw(`{"n":`+n+`}`)), ",")
		}
		return b.String()
	})
	texts.Same(t, "1392 of 37449, aefce5ff", numbers, func(n string) string {
		taken := ""
		for _, word := range []string{"minLength", "maxItems", "multipleOf", "minProperties"} {
			taken += texts.If(schema.Check(jsonrpc.Raw(`{"type":"object","`+word+`":`+n+`}`)) == nil)
		}
		return taken
	})
}
