package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// vars is an environment.
var vars = map[string]string{"HOME": "/home/u", "TOKEN": "t0", "EMPTY": "", "A": "a", "B_2": "b"}

func lookup(name string) (string, bool) { v, ok := vars[name]; return v, ok }

func parse(t *testing.T, text string) Config {
	t.Helper()
	c, err := Parse("mcp.json", []byte(text), "/srv", lookup)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func warnings(c Config) (list []string) {
	for _, w := range c.Warnings {
		list = append(list, w.Error())
	}
	return list
}

// Files as users of several clients have them.
func TestRealFiles(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []Server
		warn []string
		off  []string
	}{
		"Claude Desktop": {`{
  "globalShortcut": "Ctrl+Space",
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/u/Desktop"]
    },
    "memory": {"command": "docker", "args": ["run", "-i", "--rm", "mcp/memory"], "env": {"B": "2", "A": "1"}}
  }
}`, []Server{
			{Name: "filesystem", Command: "npx", Args: []string{"-y", "@modelcontextprotocol/server-filesystem", "/Users/u/Desktop"}, Line: 4},
			{Name: "memory", Command: "docker", Args: []string{"run", "-i", "--rm", "mcp/memory"}, Env: []string{"A=1", "B=2"}, Line: 8},
		}, []string{"mcp.json:2:3: not known here, and ignored: globalShortcut"}, nil},
		"Claude Code": {`{"mcpServers": {
  "api": {"type": "http", "url": "${URL:-https://api.example}/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
  "old": {"type": "sse", "url": "http://127.0.0.1:1/sse"},
  "run": {"type": "stdio", "command": "${HOME}/bin/x", "args": [], "env": {"E": "${EMPTY:-d}${EMPTY}"}}}}`, []Server{
			{Name: "api", URL: "https://api.example/mcp", Header: map[string]string{"Authorization": "Bearer t0"}, Line: 2},
			{Name: "old", URL: "http://127.0.0.1:1/sse", Line: 3},
			{Name: "run", Command: "/home/u/bin/x", Env: []string{"E=d"}, Line: 4},
		}, nil, nil},
		"Cursor": {`{
  "mcpServers": {
    "local": {"command": "python", "args": ["${workspaceFolder}/server.py", "${userHome}"], "env": {"K": "${env:TOKEN}"}, "envFile": ".env"},
    "web": {"url": "https://web.example/mcp", "headers": {"X-Key": "${env:A}"}, "auth": {"CLIENT_ID": "x"}}
  }
}`, []Server{
			{Name: "local", Command: "python", Args: []string{"/srv/server.py", "/home/u"}, Env: []string{"K=t0"}, Line: 3},
			{Name: "web", URL: "https://web.example/mcp", Header: map[string]string{"X-Key": "a"}, Line: 4},
		}, []string{
			`mcp.json:3:123: server "local": "envFile" is not known here, and ignored`,
			`mcp.json:4:81: server "web": "auth" is not known here, and ignored`,
		}, nil},
		"VS Code": {`// the servers of this folder
{
  "inputs": [{"type": "promptString", "id": "key", "description": "Key", "password": true}],
  "servers": {
    /* a command */
    "fetch": {"type": "stdio", "command": "uvx", "args": ["mcp-server-fetch",], "cwd": "sub", "env": {"PORT": 80, "ON": true, "NONE": null}},
    "gh": {"type": "http", "url": "https://gh.example/mcp/",},
  },
}`, []Server{
			{Name: "fetch", Command: "uvx", Args: []string{"mcp-server-fetch"}, Env: []string{"ON=true", "PORT=80"}, Dir: filepath.Join("/srv", "sub"), Line: 6},
			{Name: "gh", URL: "https://gh.example/mcp/", Line: 7},
		}, []string{`mcp.json:6:127: server "fetch": NONE of env is null, and ignored`}, nil},
		"settings of VS Code": {`{"editor.tabSize": 2, "mcp": {"servers": {"a": {"command": "a"}}}, "x": [{"y": "//"}]}`,
			[]Server{{Name: "a", Command: "a", Line: 1}}, []string{"mcp.json:1:2: not known here, and ignored: editor.tabSize, x"}, nil},
		"Cline": {`{"mcpServers": {"on": {"command": "a", "alwaysAllow": ["x"], "disabled": false, "timeout": 60},
  "off": {"command": "${NOT_SET}", "disabled": true}, "neither": {"enabled": false}}}`,
			[]Server{{Name: "on", Command: "a", Line: 1}}, []string{
				`mcp.json:1:40: server "on": "alwaysAllow" is not known here, and ignored`,
				`mcp.json:1:81: server "on": "timeout" is not known here, and ignored`,
			}, []string{"off", "neither"}},
		"others":                 {`{"mcpServers": {"w": {"serverUrl": "https://w.example"}, "g": {"httpUrl": "https://g.example"}, "both": {"transport": "streamable-http", "command": "x", "args": ["y"], "url": "https://b.example"}}}`, []Server{{Name: "w", URL: "https://w.example", Line: 1}, {Name: "g", URL: "https://g.example", Line: 1}, {Name: "both", URL: "https://b.example", Line: 1}}, nil, nil},
		"with a byte order mark": {"\ufeff{\"mcpServers\":\r\n{\"a\":{\"command\":\"a\"}}}", []Server{{Name: "a", Command: "a", Line: 2}}, nil, nil},
		"none":                   {`{"mcpServers":{}}`, nil, nil, nil},
		"no variables":           {`{"mcpServers":{"a":{"command":"$HOME","args":["$","$$","a}b","{x}","\u0024{A}"]}}}`, []Server{{Name: "a", Command: "$HOME", Args: []string{"$", "$$", "a}b", "{x}", "a"}, Line: 1}}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := parse(t, tt.text)
			if !reflect.DeepEqual(c.Servers, tt.want) {
				t.Errorf("got  %+v\nwant %+v", c.Servers, tt.want)
			}
			if got := warnings(c); !reflect.DeepEqual(got, tt.warn) {
				t.Errorf("warnings\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.warn, "\n"))
			}
			if !reflect.DeepEqual(c.Disabled, tt.off) {
				t.Errorf("disabled %q", c.Disabled)
			}
		})
	}
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
		"no servers":           {"{\"a\": {\"command\": \"x\"}}", `1:1: there is neither mcpServers nor servers`},
		"servers twice":        {"{\"mcpServers\": {}, \"servers\": {}}", `1:20: both mcpServers and servers are there`},
		"servers an array":     {"{\"mcpServers\": []}", `1:16: mcpServers is an array, and not an object`},
		"one name twice":       {"{\"servers\": {\n\"a\": {\"command\": \"x\"},\n\"a\": {\"command\": \"y\"}}}", `3:1: "a" is there twice, first in line 2`},
		"a member twice":       {entry(`{"command": "x", "command": "y"}`), `2:25: "command" is there twice, first in line 2`},
		"no name":              {`{"servers": {"": {"command": "x"}}}`, `1:14: a server needs a name`},
		"no object":            {entry(`"x"`), `2:8: server "é" is a text, and not an object`},
		"neither":              {entry(`{}`), `2:3: server "é" has neither command nor url`},
		"both":                 {entry(`{"command": "x", "url": "http://x"}`), `2:3: server "é" has both command and url; a type says which counts`},
		"two urls":             {entry(`{"url": "http://x", "httpUrl": "http://x"}`), `2:28: both url and httpUrl are there`},
		"stdio without":        {entry(`{"type": "stdio", "url": "http://x"}`), `2:3: server "é" has no command`},
		"http without":         {entry(`{"type": "http", "command": "x"}`), `2:3: server "é" has no url`},
		"another type":         {entry(`{"type": "websocket", "url": "ws://x"}`), `2:17: server "é": type is "websocket", and neither stdio nor http nor sse`},
		"no command":           {entry(`{"command": ""}`), `2:9: server "é": the command is empty`},
		"command an array":     {entry(`{"command": ["x"]}`), `2:20: server "é": command is an array, and not a text`},
		"args a text":          {entry(`{"command": "x", "args": "-y"}`), `2:33: server "é": args is a text, and not an array of texts`},
		"an arg an object":     {entry(`{"command": "x", "args": ["y", {}]}`), `2:39: server "é": an element of args is an object, and not a text`},
		"env an array":         {entry(`{"command": "x", "env": ["A=b"]}`), `2:32: server "é": env is an array, and not an object of texts`},
		"an env an array":      {entry(`{"command": "x", "env": {"A": []}}`), `2:38: server "é": A of env is an array, and not a text`},
		"an env with =":        {entry(`{"command": "x", "env": {"A=b": "c"}}`), `2:33: server "é": "A=b" is no name of a variable`},
		"disabled a text":      {entry(`{"command": "x", "disabled": "no"}`), `2:37: server "é": disabled is a text, and not a boolean`},
		"no variable":          {entry(`{"command": "x", "args": ["-t",` + "\n" + `   "k=${SECRET}"]}`), `3:4: server "é": the variable SECRET is not set; ${SECRET:-text} would give it a default`},
		"an odd variable":      {entry(`{"command": "${a b}"}`), `2:20: server "é": ${a…} is no variable`},
		"an open variable":     {entry(`{"command": "${A"}`), `2:20: server "é": ${A has no closing brace`},
		"an input":             {entry(`{"url": "http://x", "headers": {"K": "${input:key}"}}`), `2:45: server "é": ${input:key}: nobody can be asked for it here; use a variable of the environment`},
		"no url":               {entry(`{"url": "x.example/mcp"}`), `2:16: server "é": url is no url of http or https`},
		"a bad url":            {entry(`{"url": "http://[x"}`), `2:16: server "é": url is no url`},
		"a bad header":         {entry(`{"url": "http://x", "headers": {"a b": "c"}}`), `2:3: server "é": "a b" is no header, or its value none`},
		"a header of lines":    {entry(`{"url": "http://x", "headers": {"a": "c\r\nd: e"}}`), `2:3: server "é": "a" is no header, or its value none`},
		"NUL":                  {entry(`{"command": "x\u0000"}`), `2:20: server "é": a text has a NUL`},
		"UTF-16":               {"\xff\xfe{\x00}\x00", `1:1: the file is not a text in UTF-8`},
		"Latin-1":              {"{\"mcpServers\": {\"\xe9\": {}}}", `1:18: the file is not a text in UTF-8`},
		"deep":                 {strings.Repeat("[", 200) + strings.Repeat("]", 200), `1:102: values are nested too deep`},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := Parse("mcp.json", []byte(tt.text), "/srv", lookup)
			if err == nil || err.Error() != "mcp.json:"+tt.want {
				t.Errorf("got %v\nwant mcp.json:%s", err, tt.want)
			}
			if len(c.Servers) > 0 {
				t.Error("there are servers all the same")
			}
		})
	}
}

// All errors of a file are told at once, up to a number of them.
func TestManyErrors(t *testing.T) {
	_, err := Parse("f", []byte(`{"servers": {"a": {}, "b": {"command": 1}, "c": {"command": "c"}}}`), "/", lookup)
	want := "f:1:14: server \"a\" has neither command nor url\nf:1:40: server \"b\": command is a number, and not a text"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	_, err = Parse("f", []byte(`{"servers": {`+strings.Join(many(100), ",")+`}}`), "/", lookup)
	if n := strings.Count(err.Error(), "\n") + 1; n != maxFaults {
		t.Errorf("%d errors", n)
	}
}

func many(n int) (list []string) {
	for i := range n {
		list = append(list, `"`+strings.Repeat("x", i+1)+`": 1`)
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
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "mcp.json: no such file") {
		t.Error(err)
	}
	t.Setenv("SANSMCP_TEST", "v")
	write(`{"servers": {"a": {"command": "${workspaceFolder}/x", "args": ["${SANSMCP_TEST}"]}}}`)
	c, err := Load(path)
	if err != nil || len(c.Servers) != 1 || c.Servers[0].Command != dir+"/x" || c.Servers[0].Args[0] != "v" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := Load(dir); err == nil || !strings.HasSuffix(err.Error(), "it is not a regular file") {
		t.Error(err)
	}
	write(strings.Repeat(" ", maxFile+1))
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "more than 4194304 bytes") {
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
		c, err := Parse("f", data, "/", lookup)
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
