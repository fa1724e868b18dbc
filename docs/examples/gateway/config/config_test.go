package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// vars is an environment.
var vars = map[string]string{"HOME": "/home/u", "TOKEN": "t0", "EMPTY": "", "A": "a", "B_2": "b"}

func lookup(name string) (string, bool) { v, ok := vars[name]; return v, ok }

func parse(t *testing.T, text string) Config {
	t.Helper()
	c, err := Parse("mcp.json", []byte(text), inTest)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// What is wrong with a file is told with its place, line and column.
func TestErrors(t *testing.T) {
	entry := func(text string) string { return "{\"mcpServers\": {\n  \"é\": " + text + "}}" }
	for name, tt := range map[string]struct{ text, want string }{
		"empty":                {"", `1:1: the file ends too early`},
		"blank":                {" \n ", `2:2: the file ends too early`},
		"no JSON":              {"mcpServers: x", `1:1: unexpected 'm' where a value should be`},
		"a comma too few":      {"{\n \"mcpServers\": {\n  \"a\": {\"command\": \"x\"}\n  \"b\": {}\n }\n}", `4:3: unexpected '"' where a comma or } should be`},
		"a comma too many":     {"{\"mcpServers\": {,}}", `1:17: unexpected ',' where a name in double quotes should be`},
		"two commas":           {"{\"mcpServers\": {\"a\":{\"command\":\"x\",,}}}", `1:36: unexpected ',' where a name in double quotes should be`},
		"single quotes":        {"{'mcpServers': {}}", `1:2: unexpected '\'' where a name in double quotes should be`},
		"not closed":           {"{\"mcpServers\": {\n", `2:1: the file ends too early`},
		"a text not closed":    {"{\"mcpServers\": {\"a", `1:19: the file ends too early`},
		"a line within a text": {"{\"mcpServers\": {\"a\n\": {}}}", `1:19: unexpected '\n' in string literal`},
		"a comment not closed": {"{\"mcpServers\": /* {}}", `1:16: unexpected '/' where a value should be`},
		"closed too often":     {"{\"mcpServers\": {}}}", `1:19: unexpected '}' after the end of the configuration`},
		"a second one":         {"{\"mcpServers\": {}} {}", `1:20: unexpected '{' after the end of the configuration`},
		"an array":             {"[]", `1:1: the configuration is an array, and not an object`},
		"no servers":           {"{\"a\": {\"x\": \"x\"}}", `1:1: no servers: want mcpServers, servers, context_servers or mcp`},
		"servers twice":        {"{\"mcpServers\": {}, \"servers\": {}}", `1:20: both mcpServers and servers are set; give the gateway a file with one of them`},
		"servers a number":     {"{\"mcpServers\": 1}", `1:16: mcpServers is a number, and not an object`},
		"one name twice":       {"{\"servers\": {\n\"a\": {\"command\": \"x\"},\n\"a\": {\"command\": \"y\"}}}", `3:1: "a" is a duplicate of line 2`},
		"a member twice":       {entry(`{"command": "x", "command": "y"}`), `2:25: "command" is a duplicate of line 2`},
		"no name":              {`{"servers": {"": {"command": "x"}}}`, `1:14: server "": it needs a name`},
		"no object":            {entry(`"x"`), `2:8: server "é": it is a text, and not an object`},
		"neither":              {entry(`{}`), `2:3: server "é": it has neither command nor url`},
		"both":                 {entry(`{"command": "x", "url": "http://x"}`), `2:3: server "é": it has both command and url; write "type": "stdio" or "http"`},
		"two urls":             {entry(`{"url": "http://x", "httpUrl": "http://x"}`), `2:28: server "é": both url and httpUrl are set; write one of them`},
		"stdio without":        {entry(`{"type": "stdio", "url": "http://x"}`), `2:3: server "é": it has no command`},
		"http without":         {entry(`{"type": "http", "command": "x"}`), `2:3: server "é": it has no url`},
		"another type":         {entry(`{"type": "websocket", "url": "ws://x"}`), `2:17: server "é": type is "websocket", and neither stdio nor http nor sse`},
		"no command":           {entry(`{"command": ""}`), `2:3: server "é": it has neither command nor url`},
		"command a number":     {entry(`{"command": 1}`), `2:20: server "é": command is a number, and not a text`},
		"args a text":          {entry(`{"command": "x", "args": "-y"}`), `2:33: server "é": args is a text, and not an array of texts; write ["one", "two"]`},
		"an arg an object":     {entry(`{"command": "x", "args": ["y", {}]}`), `2:39: server "é": an element of args is an object, and not a text`},
		"env an array":         {entry(`{"command": "x", "env": ["A=b"]}`), `2:32: server "é": env is an array, and not an object of texts; write {"NAME": "text"}`},
		"an env an array":      {entry(`{"command": "x", "env": {"A": []}}`), `2:38: server "é": A of env is an array, and not a text`},
		"an env with =":        {entry(`{"command": "x", "env": {"A=b": "c"}}`), `2:33: server "é": "A=…" is not the name of a variable`},
		"disabled a text":      {entry(`{"command": "x", "disabled": "no"}`), `2:37: server "é": disabled is a text, and not a boolean; write true or false`},
		"no variable":          {entry(`{"command": "x", "args": ["-t",` + "\n" + `   "k=${SECRET}"]}`), `3:4: server "é": the variable SECRET is not set; ${SECRET:-text} would give it a default`},
		"an odd variable":      {entry(`{"command": "${a b}"}`), `2:20: server "é": ${a…} is not a variable`},
		"an open variable":     {entry(`{"command": "${A"}`), `2:20: server "é": ${A has no closing brace`},
		"an input":             {entry(`{"url": "http://x", "headers": {"K": "${input:key}"}}`), `2:45: server "é": ${input:key}: inputs has no text or choice with this id`},
		"no url":               {entry(`{"url": "x.example/mcp"}`), `2:16: server "é": url is not an http or https url`},
		"a bad url":            {entry(`{"url": "http://[x"}`), `2:16: server "é": url is not a url`},
		"a bad header":         {entry(`{"url": "http://x", "headers": {"a b": "c"}}`), `2:3: server "é": "a…" is not a valid header, or its value is not`},
		"a header of lines":    {entry(`{"url": "http://x", "headers": {"a": "c\r\nd: e"}}`), `2:3: server "é": "a" is not a valid header, or its value is not`},
		"NUL":                  {entry(`{"command": "x\u0000"}`), `2:20: server "é": a string has a NUL`},
		"UTF-16":               {"\xff\xfe{\x00}\x00", `1:1: the file is not UTF-8 text`},
		"Latin-1":              {"{\"mcpServers\": {\"\xe9\": {}}}", `1:18: the file is not UTF-8 text`},
		"deep":                 {strings.Repeat("[", 200) + strings.Repeat("]", 200), `1:102: values are nested too deep`},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := Parse("mcp.json", []byte(tt.text), Options{Folder: "/srv", Env: lookup})
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = fault(c)
			}
			if got != "mcp.json:"+tt.want {
				t.Errorf("got %s\nwant mcp.json:%s", got, tt.want)
			}
			if len(c.Servers) > 0 {
				t.Error("there are servers all the same")
			}
		})
	}
}

// Each entry has its errors, a few of them, and costs the others nothing.
func TestManyErrors(t *testing.T) {
	c, err := Parse("f", []byte(`{"servers": {"a": {}, "b": {"command": 1, "args": 1}, "c": {"command": "c"}}}`), inTest)
	want := `dialect vscode
server "c", line 1
	command ["c"] in /srv/project
refused "a"
	f:1:14: server "a": it has neither command nor url
refused "b"
	f:1:40: server "b": command is a number, and not a text
	f:1:51: server "b": args is a number, and not an array of texts; write ["one", "two"]
`
	if got := describe(c, err); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	c, _ = Parse("f", []byte(`{"servers": {"a": {"env": {`+strings.Join(many(100), ",")+`}}}}`), inTest)
	if len(c.Refused) != 1 || len(c.Refused[0].Faults) != maxFaults {
		t.Error(describe(c, nil))
	}
}

func many(n int) (list []string) {
	for i := range n {
		list = append(list, `"`+strings.Repeat("x", i+1)+`": []`)
	}
	return list
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ".vscode", "mcp.json")
	write := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Load(path, Options{}); err == nil || !strings.Contains(err.Error(), "mcp.json: no such file") {
		t.Error(err)
	}
	t.Setenv("SANSMCP_TEST", "v")
	write(`{"servers": {"a": {"command": "${workspaceFolder}/x", "args": ["${SANSMCP_TEST}"]}}}`)
	c, err := Load(path, Options{})
	if err != nil || len(c.Servers) != 1 || c.Servers[0].Command != dir+"/x" || c.Servers[0].Args[0] != "v" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := Load(dir, Options{}); err == nil || !strings.HasSuffix(err.Error(), "it is not a regular file") {
		t.Error(err)
	}
	write(strings.Repeat(" ", maxFile+1))
	if _, err := Load(path, Options{}); err == nil || !strings.Contains(err.Error(), "more than 4194304 bytes") {
		t.Error(err)
	}
}

// Two definitions are alike if their texts are, wherever they stand.
func TestDefinition(t *testing.T) {
	a := parse(t, `{"servers": {"a": {"command": "x", "env": {"B": "1", "A": "2"}}}}`).Servers[0]
	b := parse(t, "{\n\"servers\": {\"a\": {\"env\": {\"A\": \"2\", \"B\": \"1\"}, \"type\": \"stdio\", \"command\": \"x\"}}}").Servers[0]
	c := parse(t, `{"servers": {"a": {"command": "x", "env": {"B": "1", "A": "3"}}}}`).Servers[0]
	if a.Definition() != b.Definition() || a.Definition() == c.Definition() {
		t.Error(a.Definition(), b.Definition(), c.Definition())
	}
}

// Whatever a file says, reading it ends with servers or an error.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"mcpServers":{"a":{"command":"${A:-x}","args":["b"],}}}`, "// x\n{\"servers\":{/**/}}", `{"servers":{"a":{"url":"http://x","headers":{"a":"b"}}}}`, "[,]", "{\"a\\", "/*", "\"//"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("f", data, Options{Folder: "/", Env: lookup, Input: said})
		if err != nil && len(c.Servers)+len(c.Warnings) > 0 {
			t.Error("both an error and servers")
		}
		for _, s := range c.Servers {
			if s.Name == "" || (s.Command == "") == (s.URL == "") {
				t.Errorf("%+v", s)
			}
		}
	})
}
