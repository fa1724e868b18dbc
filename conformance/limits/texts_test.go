package limits_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema/provider"
	"github.com/sansmcp/mcp/server/typed"
)

// What a provider gets of a tool: nothing is lost at each limit, and one more is lost.
func TestBoundsOfProviders(t *testing.T) {
	lost := func(p provider.Provider, description, schema string) (int, string) {
		t.Helper()
		x, err := provider.Export(p, []protocol.Tool{{Name: "t", Description: description, InputSchema: protocol.Raw(schema)}}, provider.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return len(x.Lost), string(x.Tools)
	}
	const plain = `{"type":"object"}`
	nested := func(n int) string {
		return `{"type":"object","properties":{"a":` + strings.Repeat(`{"type":"array","items":`, n) + `{"type":"string"}` + strings.Repeat("}", n) + `}}`
	}
	for extra := range 2 {
		if n, _ := lost(provider.Azure, strings.Repeat("x", 1024+extra), plain); n != extra {
			t.Errorf("a description of %d bytes: %d lost", 1024+extra, n)
		}
		if n, _ := lost(provider.Gemini, "", nested(98+extra)); n != extra {
			t.Errorf("%d schemas within each other: %d lost", 100+extra, n)
		}
		many := `{"type":"object","properties":{` + strings.Trim(list(`"a%d":{"type":"string","x":1}`, 0, 1000+extra), "[]") + `}}`
		if n, _ := lost(provider.Gemini, "", many); n != 1000 {
			t.Errorf("%d keywords that cannot be expressed: %d are told", 1000+extra, n)
		}
		name := strings.Repeat("n", 64+extra)
		names, err := provider.NewNames(provider.OpenAIChat, []string{name})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := names.Provider(name); len(got) != 64 || (got == name) != (extra == 0) {
			t.Errorf("a name of %d bytes is %d: %s", len(name), len(got), got)
		}
	}
}

// The number of reported faults of arguments and the digits of numbers are at their limits.
func TestBoundsOfTyped(t *testing.T) {
	c, err := typed.NewCodec[struct {
		A []int `json:"a"`
	}]()
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]int{16: 16, 17: 16} {
		_, err := c.Decode(protocol.Raw(`{"a":[` + strings.TrimSuffix(strings.Repeat(`"x",`, n), ",") + `]}`))
		if got := strings.Count(fmt.Sprint(err), `"/a/`); got != want {
			t.Errorf("%d faults: %d are told", n, got)
		}
	}
}
