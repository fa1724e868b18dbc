package config

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// What may be a secret is not in an error: neither what stands behind a forgotten brace nor a
// default that is written wrongly.
func TestErrorsKeepSecrets(t *testing.T) {
	for text, want := range map[string]string{
		`Bearer ${TOKEN s3cret-value`:     `${TOKEN… has no closing brace`,
		`${TOKEN-s3cret}`:                 `${TOKEN…} is not a variable`,
		`${TOKEN:=s3cret}`:                `${TOKEN…} is not a variable`,
		`${env:TOKEN:?s3cret}`:            `${env:TOKEN…} is not a variable`,
		`${s3cret`:                        `${s3cret has no closing brace`, // it may be the name
		`${=s3cret}`:                      `${…} is not a variable`,
		`${}`:                             `${} is not a variable`,
		`${ A}`:                           `${ A} is not a variable`,
		`${A:-${B_2:-s3cret}}`:            `${A…}: a variable within another is not understood`,
		`${NOT_SET:-${A}}`:                `${NOT_SET…}: a variable within another is not understood`,
		strings.Repeat("${A", 1000) + `}`: `${A…}: a variable within another is not understood`,
	} {
		c, err := Parse("mcp.json", fmt.Appendf(nil, `{"mcpServers":{"a":{"url":"http://a","headers":{"K":%q}}}}`, text), Options{Folder: "/", Env: lookup})
		if err != nil || !strings.HasSuffix(fault(c), want) {
			t.Errorf("%s: %v, %s", text, err, fault(c))
		}
	}
}

// What stands where a name should may be a name and its secret.
func TestErrorsKeepSecretsOfNames(t *testing.T) {
	for _, entry := range []string{
		`"url":"http://a","headers":{"Authorization: Bearer s3cret":"x"}`, `"url":"http://a","headers":{"X-Key=a s3cret":""}`,
		`"command":"a","env":{"TOKEN=s3cret":"x"}`, `"command":"run --token s3cret"`, `"command":"a","args":"--token s3cret"`,
		`"url":"http://u:s3cret@[::1/"`, `"url":"ftp://u:s3cret@a/?k=s3cret"`, `"url":"http://a","headers":{"K":"s3cret\n"}`,
	} {
		c, err := Parse("f", []byte(`{"mcpServers":{"a":{`+entry+`}}}`), Options{Folder: "/", Env: lookup})
		if err != nil || strings.Contains(fault(c), "s3cret") || !strings.HasPrefix(fault(c), "f:") {
			t.Errorf("%s: %v, %s", entry, err, fault(c))
		}
	}
}

// Names of headers have no case: of two that are the same it could not be said which counts.
func TestHeadersThatAreTheSame(t *testing.T) {
	const text = `{"mcpServers":{"a":{"url":"http://a","headers":{"X-Key":"1","x-key":"2"}}}}`
	for range 20 {
		c, err := Parse("f", []byte(text), Options{Folder: "/", Env: lookup})
		if err != nil || fault(c) != `f:1:16: server "a": duplicate header x-key, also as X-Key` {
			t.Fatal(err, fault(c))
		}
	}
	if c, err := Parse("f", []byte(`{"mcpServers":{"`+strings.Repeat("n", 1025)+`":{"command":"a"}}}`), Options{Folder: "/", Env: lookup}); err != nil || !strings.HasPrefix(fault(c), "f:1:16: ") {
		t.Error(err, fault(c))
	}
}

// fault is the first fault of the only entry.
func fault(c Config) string {
	if len(c.Refused) != 1 || len(c.Servers) > 0 {
		return "it is not refused"
	}
	return c.Refused[0].Faults[0].Error()
}

// A file costs as much as it is long, however many servers and warnings are in it, and of warnings
// no more are told than somebody reads.
func TestLargeFiles(t *testing.T) {
	cost := func(n int) (uint64, Config) {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "\"s%d\":{\"command\":\"a\",\"x\":1,\"y\":2},\n", i)
		}
		text := []byte(`{"mcpServers":{` + b.String() + `}}`)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c, err := Parse("f", text, Options{Folder: "/", Env: lookup})
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc, c
	}
	one, _ := cost(1_000)
	eight, c := cost(8_000)
	if eight > 10*one {
		t.Errorf("%d bytes for eight times what cost %d", eight, one)
	}
	last := c.Servers[len(c.Servers)-1]
	if len(c.Servers) != 8_000 || last.Line != 8_000 || len(c.Warnings) != maxWarnings+1 {
		t.Errorf("%d servers, the last in line %d, %d warnings", len(c.Servers), last.Line, len(c.Warnings))
	}
}

// A name that looks like a restriction and is spelled with letters of other alphabets is not ignored:
// it costs its server, or the file.
func TestDisguisedRestrictions(t *testing.T) {
	parse := func(text string) Config {
		t.Helper()
		c, err := Parse("f", []byte(text), Options{Folder: "/", Env: lookup})
		if err != nil {
			return Config{}
		}
		return c
	}
	for _, name := range []string{
		"ｄisａbledTools", "ｄｉｓａｂｌｅｄＴｏｏｌｓ", "disabled\u200bTools", "dis\u00adabledTools", "d\u0131sabledTools", "dísabledTools", "disab\u0301ledTools",
		"disаbledTools", "dіsаblеdТооls", "𝐝𝐢𝐬𝐚𝐛𝐥𝐞𝐝Tools", "𝔇𝔦𝔰𝔞𝔟𝔩𝔢𝔡", "ⓔⓧⓒⓛⓤⓓⓔTools", "ｔools", "tооls", "ᴛᴏᴏʟꜱ", "ΤΟΟLS", "ｅxcludeTools", "allоwedTools",
		"ѕandboxEnabled", "орtions", "disabled\u2013tools", "en\u2060abled", "ехсӏudeТооls", "ꓓisabled",
	} {
		for _, value := range []string{`["x"]`, `{"x":false}`, `true`, `{"disabledTools":["x"]}`} {
			if c := parse(fmt.Sprintf(`{"mcpServers":{"a":{"command":"a",%q:%s}}}`, name, value)); len(c.Servers) > 0 {
				t.Errorf("%q: %s of an entry is ignored", name, value)
			}
			if c := parse(fmt.Sprintf(`{%q:%s,"mcpServers":{"a":{"command":"a"}}}`, name, value)); len(c.Servers) > 0 {
				t.Errorf("%q: %s of a file is ignored", name, value)
			}
			if c := parse(fmt.Sprintf(`{"mcpServers":{"a":{"command":"a","options":{%q:%s}}}}`, name, value)); len(c.Servers) > 0 {
				t.Errorf("%q: %s of options is ignored", name, value)
			}
		}
	}
	for _, text := range []string{
		`{"mсp":{"allowed":["b"]},"mcpServers":{"a":{"command":"a"}}}`,
		`{"mcpSеrvеrSettings":{"x":{"ｄeny":["b"]}},"mcpServers":{"a":{"command":"a"}}}`,
		`{"mcpServers":{"a":{"command":"a","includeTools":null}}}`, `{"mcpServers":{"a":{"command":"a","tools":null}}}`,
		`{"mcpServers":{"a":{"command":"a","toolFilter":null}}}`, `{"mcpServers":{"a":{"command":"a","enabled":null}}}`,
		`{"mcpServers":{"a":{"command":"a","options":{"allowedTools":null}}}}`,
		`{"mcpServers":{"a\u200b":{"command":"a"}}}`, `{"mcpServers":{" a":{"command":"a"}}}`, `{"mcpServers":{"a\u001b[2J":{"command":"a"}}}`,
	} {
		if c := parse(text); len(c.Servers) > 0 {
			t.Errorf("%s is ignored", text)
		}
	}
	for _, name := range []string{"说明", "описание", "комментарий", "説明です", "περιγραφή", "größe", "descripción", "prénom", "übersicht", "ملاحظة", "הערה", "✅", "ghi chú", "日本語コメント"} {
		if c := parse(fmt.Sprintf(`{%q:["x"],"mcpServers":{"a":{"command":"a",%q:["x"],"excludeTools":null}}}`, name, name)); len(c.Servers) != 1 {
			t.Errorf("%q restricts nothing", name)
		}
	}
}
