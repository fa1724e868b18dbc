package exportcheck_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/exportcheck"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema/provider"
	"github.com/sansmcp/mcp/server/typed"
)

// mode is a provider with options.
type mode struct {
	p provider.Provider
	o provider.Options
}

var modes = []mode{
	{provider.OpenAIChat, provider.Options{}}, {provider.OpenAIChat, provider.Options{Strict: true}},
	{provider.OpenAIResponses, provider.Options{}}, {provider.OpenAIResponses, provider.Options{Strict: true}},
	{provider.Azure, provider.Options{}}, {provider.Azure, provider.Options{Strict: true}},
	{provider.Anthropic, provider.Options{}}, {provider.Anthropic, provider.Options{Strict: true}},
	{provider.Gemini, provider.Options{}}, {provider.Gemini, provider.Options{JSONSchema: true}},
}

type fataler interface{ Fatalf(string, ...any) }

// refused exports tools in one mode and returns what would be refused.
func refused(t fataler, m mode, tools []protocol.Tool) ([]string, *provider.Exported) {
	x, err := provider.Export(m.p, tools, m.o)
	if err != nil {
		t.Fatalf("%s: %v", m.p, err)
	}
	return exportcheck.Check(m.p.String(), []byte(x.Tools)), x
}

// count counts losses by action.
type count map[provider.Action]int

func (c count) add(lost []provider.Loss) {
	for _, l := range lost {
		c[l.Action]++
	}
}

// listsOf returns the lists of tools in a file, one for each line: of inputs only, or of whole tools.
func listsOf(t *testing.T, file string) (lists [][]protocol.Tool) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var list []struct {
			Name, Description string
			Input             json.RawMessage
			InputSchema       json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &list); err != nil {
			t.Fatal(err)
		}
		var tools []protocol.Tool
		for i, e := range list {
			if e.Name == "" {
				e.Name = fmt.Sprint("server.tool ", i)
			}
			tools = append(tools, protocol.Tool{Name: e.Name, Description: e.Description, InputSchema: protocol.Raw(string(e.Input) + string(e.InputSchema))})
		}
		lists = append(lists, tools)
	}
	return lists
}

// 28 to 32, 52 of the faults: no provider refuses an export of the lists of public servers, one list for each
// request. EXPORT_LISTS names another file with lists of whole tools, one in each line.
func TestPublicLists(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the lists of another module")
	}
	lists := append(listsOf(t, "../schemasuite/testdata/tools/lists.jsonl"), listsOf(t, "../schemasuite/testdata/tools/forms.jsonl")...)
	if file := os.Getenv("EXPORT_LISTS"); file != "" {
		lists = listsOf(t, file)
	}
	for _, m := range modes {
		tools, bad, strict, lost := 0, 0, 0, count{}
		for i, list := range lists {
			tools += len(list)
			got, x := refused(t, m, list)
			if lost.add(x.Lost); len(got) > 0 {
				if bad += len(got); bad < 20 {
					t.Errorf("%s %+v, list %d: %.1000q", m.p, m.o, i+1, got)
				}
			}
			strict += strings.Count(string(x.Tools), `"strict":true`)
		}
		t.Logf("%s %+v: %d tools, %d refused, %d strict, lost %v", m.p, m.o, tools, bad, strict, lost)
	}
}

// No provider refuses an export of any schema, of any draft and however wrong.
func TestGeneratedSchemas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tools []protocol.Tool
		for i := range rapid.IntRange(1, 4).Draw(t, "tools") {
			g := generator{t}
			tools = append(tools, protocol.Tool{Name: fmt.Sprint(rapid.SampledFrom([]string{"", "a.b", "1", "é"}).Draw(t, "name"), i), InputSchema: protocol.Raw(g.root())})
		}
		for _, m := range modes {
			if got, x := refused(t, m, tools); len(got) > 0 {
				t.Fatalf("%s %+v: %q\n%s\n%v\nof %+v", m.p, m.o, got, x.Tools, x.Lost, tools)
			}
		}
	})
}

type leaf struct {
	Name  string            `json:"name" jsonschema:"the name"`
	Any   any               `json:"any,omitempty" schema:"any"`
	Raw   protocol.Raw      `json:"raw,omitempty"`
	Env   map[string]string `json:"env,omitempty"`
	List  []protocol.Raw    `json:"list,omitempty"`
	Count *int64            `json:"count,omitempty"`
}

type plain struct {
	Name string   `json:"name"`
	Tags []string `json:"tags,omitempty"`
}

// 28 and 30: no provider refuses what server/typed infers; what strict mode cannot express is exported as not
// strict, and the rest as strict.
func TestTypedSchemas(t *testing.T) {
	tools := []protocol.Tool{{Name: "leaf", InputSchema: inferred[leaf](t)}, {Name: "plain", InputSchema: inferred[plain](t)}}
	for _, m := range modes {
		got, x := refused(t, m, tools)
		if len(got) > 0 {
			t.Errorf("%s %+v: %q\n%s", m.p, m.o, got, x.Tools)
		}
		if n := strings.Count(string(x.Tools), `"strict":true`); m.o.Strict && n != 1 {
			t.Errorf("%s: %d strict\n%v", m.p, n, x.Lost)
		}
	}
}

func inferred[T any](t *testing.T) protocol.Raw {
	t.Helper()
	codec, err := typed.NewCodec[T]()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := codec.Schema().JSON()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
