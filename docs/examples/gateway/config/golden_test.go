package config

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/protocol"
)

var update = flag.Bool("update", false, "write what is expected of the files of testdata")

// said answers the inputs of testdata.
func said(in Input) (string, bool) {
	v, ok := map[string]string{"key": "k3y", "region": "us"}[in.ID]
	return v, ok
}

var inTest = Options{Folder: "/srv/project", Env: lookup, Input: said}

// Files as users of many clients have them: what becomes of each entry, filters first, and what its
// owner is told.
func TestFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json*")
	files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, ".golden") })
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c, err := Parse(filepath.Base(file), data, inTest)
			got := describe(c, err)
			golden := file + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil || got != string(want) {
				t.Errorf("%v\ngot\n%s\nwant\n%s", err, got, want)
			}
			if told := describe(Config{Refused: c.Refused, Warnings: c.Warnings}, nil); strings.Contains(told, "s3cret") {
				t.Error("a secret is told: ", told)
			}
			for _, s := range c.Servers {
				if err := s.Filter.Check(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// describe is a Config as a text.
func describe(c Config, err error) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if err != nil {
		line("refused: %v", err)
	}
	if c.Dialect != "" {
		line("dialect %s", c.Dialect)
	}
	for _, s := range c.Servers {
		line("server %q, line %d", s.Name, s.Line)
		if s.URL != "" {
			line("\turl %s", s.URL)
		} else {
			line("\tcommand %q in %s", append([]string{s.Command}, s.Args...), s.Dir)
		}
		for _, v := range s.Env {
			line("\tenv %s", v)
		}
		for _, name := range slices.Sorted(maps.Keys(s.Header)) {
			line("\theader %s: %s", name, s.Header[name])
		}
		for _, r := range s.Filter.Allow {
			line("\tallow %s", rule(r))
		}
		for _, r := range s.Filter.Deny {
			line("\tdeny %s", rule(r))
		}
	}
	for _, name := range c.Disabled {
		line("off %q", name)
	}
	for _, r := range c.Refused {
		line("refused %q", r.Name)
		for _, f := range r.Faults {
			line("\t%v", &f)
		}
	}
	for _, w := range c.Warnings {
		line("warning %v", &w)
	}
	return b.String()
}

func rule(r catalog.Rule) string {
	kind := "all"
	if r.Kind != nil {
		kind = r.Kind.Member
	}
	if r.Name == "" {
		return kind
	}
	return kind + " " + r.Name
}

// A restriction that is not understood keeps its server out, wherever a client may have it and
// whatever it says: the names are made of all parts that look like one.
func TestRestrictionsFailClosed(t *testing.T) {
	for _, part := range restricts {
		for _, name := range []string{part, "tool" + part + "s", strings.ToUpper(part[:1]) + part[1:] + "_x", "x-" + part} {
			if _, known := fields[plainName(name)]; known {
				continue
			}
			for _, val := range []string{`true`, `false`, `"x"`, `["x"]`, `{"x":1}`, `1`} {
				text := fmt.Sprintf(`{"mcpServers":{"a":{"command":"a",%q:%s},"b":{"command":"b","settings":{%q:%s}},"c":{"command":"c"}}}`, name, val, name, val)
				c, err := Parse("f", []byte(text), inTest)
				if err != nil || len(c.Servers) != 1 || c.Servers[0].Name != "c" || len(c.Refused) != 2 {
					t.Errorf("%s: %v %s", text, err, describe(c, nil))
				}
			}
		}
	}
	// A member that is understood has no other type than its own.
	for name, u := range fields {
		for _, val := range []string{`true`, `"x"`, `7`, `[7]`, `{"x":7}`, `["x"]`, `{"x":false}`, `"*"`, `{}`, `[]`} {
			text := fmt.Sprintf(`{"mcpServers":{"a":{"command":"a",%q:%s}}}`, name, val)
			c, err := Parse("f", []byte(text), inTest)
			if err != nil {
				t.Fatal(text, err)
			}
			filtered := len(c.Servers) == 1 && len(c.Servers[0].Filter.Allow)+len(c.Servers[0].Filter.Deny) > 0
			in := len(c.Servers) == 1 && !filtered
			switch u {
			case useDeny:
				if in && val != `[]` {
					t.Errorf("%s lets the server in", text)
				}
			case useAllow:
				if in && val != `{}` { // switches of nothing
					t.Errorf("%s lets the server in", text)
				}
			case useFilter:
				if len(c.Servers) > 0 {
					t.Errorf("%s lets the server in", text)
				}
			case useOff:
				if len(c.Servers) > 0 {
					t.Errorf("%s lets the server in", text)
				}
			case useOn:
				if in != (val == `true`) {
					t.Errorf("%s: %v", text, in)
				}
			}
		}
	}
}

// What is said of all servers, and is not understood, leaves all of them out.
func TestRestrictionsOfAll(t *testing.T) {
	for _, member := range []string{
		`"blockedTools": []`, `"mcpFilter": 1`, `"allowedMcpServers": {}`, `"allowMCPServers": [1]`, `"excludeMCPServers": "a"`, `"excludeTools": "x"`,
		`"excludeTools": [1]`, `"tools": []`, `"tools": {"exclude": 1}`, `"tools": {"disabled": ["x"]}`, `"permissions": {"deny": []}`, `"serverPolicy": {}`,
		`"mcp": {"excluded": "a"}`, `"mcp": {"allowed": 1}`, `"mcp": {"blocked": []}`, `"mcpProxy": {"options": {"authTokens": []}}`,
	} {
		c, err := Parse("f", []byte(`{`+member+`,"mcpServers":{"a":{"command":"a"}}}`), inTest)
		var told *Error
		if !errors.As(err, &told) || told.Line != 1 || len(c.Servers) > 0 {
			t.Errorf("%s: %v, %d servers", member, err, len(c.Servers))
		}
	}
}

// A restriction does not pass for want of a form that is known: it restricts, or keeps out.
func TestRestrictionsInOtherForms(t *testing.T) {
	for _, in := range []string{ // each keeps "delete" of the server "a b" out
		`"disallowedTools":["mcp__a_b__delete"]`, `"disallowedTools":["mcp__a_b"]`, `"disallowedTools":["@a b"]`, `"disallowedTools":["delete(x)"]`,
		`"excludeTools":["a b__delete"]`, `"tools":{"exclude":["mcp__a_b__del*"]}`, `"tools":{"exclude":["*__delete"]}`,
		`"tools":{"a_b_delete":false}`, `"tools":{"delete":false}`, `"tools":{"x":{"denied":["delete"]}}`,
		`"permission":"deny"`, `"permission":"ask"`, `"permissions":["x"]`, `"permission":false`,
		`"mcpProxy":{"disabledTools":["x"]}`, `"mcpProxy":{"a":[{"denied":1}]}`, `"mcpProxy":["x"]`, `"toolSettings":{"x":{"denied":["delete"]}}`,
	} {
		c, err := Parse("f", []byte(`{`+in+`,"mcpServers":{"a b":{"command":"a"}}}`), inTest)
		if err == nil && (len(c.Servers) != 1 || c.Servers[0].Filter.Passes(protocol.ToolList, "delete", `{"name":"delete"}`)) {
			t.Errorf("%s lets it pass", in)
		}
	}
	for _, in := range []string{
		`"disabledTools":["mcp__a_b__delete"]`, `"disabledTools":["@a b/delete"]`, `"disabledTools":["a b/delete"]`, `"disabledTools":["mcp__*__delete"]`,
		`"rules":[{"denyTools":["delete"]}]`, `"settings":{"deep":[{"denyTools":["delete"]}]}`, `"options":{"x":{"disabledTools":["delete"]}}`,
	} {
		c, err := Parse("f", []byte(`{"mcpServers":{"a b":{"command":"a",`+in+`}}}`), inTest)
		if err != nil || len(c.Servers) == 1 && c.Servers[0].Filter.Passes(protocol.ToolList, "delete", `{"name":"delete"}`) {
			t.Errorf("%s lets it pass: %v", in, err)
		}
	}
	c, err := Parse("f", []byte(`{"permission":"allow","disallowedTools":["mcp__b"],"mcpServers":{"a":{"command":"a"}}}`), inTest)
	if err != nil || len(c.Servers) != 1 || !c.Servers[0].Filter.Passes(protocol.ToolList, "delete", `{"name":"delete"}`) {
		t.Error(describe(c, err))
	}
}
