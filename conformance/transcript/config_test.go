package transcript

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
)

// fill gives v a nonzero value that depends on n, and every field of a struct
// another one.
func fill(v reflect.Value, n int) {
	switch p := v.Addr().Interface().(type) {
	case *protocol.Revision:
		*p = protocol.Revisions()[n%3]
		return
	case *protocol.LoggingLevel:
		*p = "error"
		return
	case *protocol.Capability:
		*p = protocol.CapTools | protocol.CapPromptsListChanged
		return
	case *schema.Validator:
		*p = schema.Lenient{}
		return
	case *jsonrpc.Raw:
		*p = `{"a b":["x y \" {",null]}`
		return
	case *protocol.Meta:
		*p = `{"a b":"} "}`
		return
	case *protocol.Implementation:
		*p = protocol.Implementation{
			Name: "a name", Version: "1 \"x\"", Title: "T\n", Description: "} ", WebsiteURL: "https://a.example/",
			Icons: []protocol.Icon{{Src: "https://a.example/i.png"}},
		}
		return
	case *map[string]jsonrpc.Raw:
		*p = map[string]jsonrpc.Raw{"a b": `{"x":"} "}`, "c": "{}"}
		return
	case **server.Catalog: // made of Items
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("of %d: \"{\\\n", n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(n + 1))
	case reflect.Uint8:
		v.SetUint(uint64(n + 1))
	case reflect.Float64:
		v.SetFloat(float64(n) + 0.25)
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), n+i)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), n+i)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n+i)
		}
	default:
		panic(fmt.Sprint("no value for ", v.Type()))
	}
}

// throughHead returns options written as a head and read again.
func throughHead(t *testing.T, options []string) []string {
	t.Helper()
	head := strings.Join(append([]string{"# role: server"}, configLines(options)...), "\n") + "\n\n"
	f, err := ParseText("x.txt", []byte(head))
	if err != nil {
		t.Fatalf("%v\n%s", err, head)
	}
	if !slices.Equal(f.Config, options) {
		t.Fatalf("%s\nis read as %q", head, f.Config)
	}
	return f.Config
}

func items() server.Items {
	return server.Items{
		Tools:             []protocol.Tool{{Name: "a b", InputSchema: `{"type":"object"}`, OutputSchema: `{"type":"object","x":" } "}`}, {Name: "c", InputSchema: `{"type": "object"}`}},
		Resources:         []protocol.Resource{{URI: "a:b", Name: "r", Title: "two\nlines"}},
		ResourceTemplates: []protocol.ResourceTemplate{}, Prompts: []protocol.Prompt{{Name: "p", Arguments: []protocol.PromptArgument{{Name: "x", Required: true}}}},
		PageSize: 3, Schemas: schema.None{}, CursorKey: [16]byte{7},
	}
}

// Options can express every field of a Config, and those that ServerOptions and
// ClientOptions write give the same Config again: each field by itself and all together.
func TestOptionsSayAll(t *testing.T) {
	serverBack := func(t *testing.T, cfg server.Config, want server.Items) {
		t.Helper()
		options := ServerOptions(cfg, want)
		got, items, err := serverOptions(throughHead(t, options))
		if d := cmp.Diff(cfg, got, cmp.Comparer(func(a, b protocol.Revision) bool { return a == b })); err != nil || d != "" {
			t.Errorf("%q: %v\n%s", options, err, d)
		}
		if d := cmp.Diff(want, items); d != "" {
			t.Errorf("%q: %s", options, d)
		}
	}
	clientBack := func(t *testing.T, cfg client.Config) {
		t.Helper()
		options := ClientOptions(cfg)
		got, err := Client(throughHead(t, options))
		if d := cmp.Diff(cfg, got, cmp.Comparer(func(a, b protocol.Revision) bool { return a == b })); err != nil || d != "" {
			t.Errorf("%q: %v\n%s", options, err, d)
		}
	}
	base := server.Config{Info: program, HashKey: HashKey, ChangeDelay: -1}
	for i := range reflect.TypeFor[server.Config]().NumField() {
		cfg := base
		fill(reflect.ValueOf(&cfg).Elem().Field(i), i)
		if cfg.ListChanged &= listChanges; i%2 == 0 {
			cfg.Serve = append(cfg.Serve, "tools/call") // but not unlisted
		}
		serverBack(t, cfg, server.Items{CursorKey: CursorKey})
	}
	all := server.Config{}
	fill(reflect.ValueOf(&all).Elem(), 3)
	all.ListChanged &= listChanges
	serverBack(t, all, items())
	for _, delay := range []time.Duration{0, -1, time.Second} {
		cfg := base
		cfg.ChangeDelay = delay
		serverBack(t, cfg, items())
	}

	for i := range reflect.TypeFor[client.Config]().NumField() {
		cfg := client.Config{Info: program, HashKey: HashKey}
		fill(reflect.ValueOf(&cfg).Elem().Field(i), i)
		clientBack(t, cfg)
	}
	one := client.Config{Roots: []protocol.Root{}}
	fill(reflect.ValueOf(&one).Elem(), 5)
	clientBack(t, one)
	one.Roots = []protocol.Root{}
	clientBack(t, one)
}

const listChanges = protocol.CapToolsListChanged | protocol.CapResourcesListChanged | protocol.CapPromptsListChanged

// Rapid runs of package model write the usual words of options;
// these words never occur there.
func TestWords(t *testing.T) {
	for _, text := range []string{"", "a", "a b", `"`, `{"a": " } "}`, "{", "[ ", "\n", "${revision}", "x\u2028", " a", "é", "\xff"} {
		got, err := words(wordOf(text) + " " + wordOf("z"))
		if err != nil || !slices.Equal(got, []string{text, "z"}) {
			t.Errorf("%q: %s is read as %q, %v", text, wordOf(text), got, err)
		}
		if word := wordOf(text); strings.Contains(word, "${revision}") {
			t.Errorf("%s has a name for the revision in it", word)
		}
		body, null, rest, err := cutBody(bodyOf(text) + " x")
		if string(body) != text || null || strings.TrimSpace(rest) != "x" || err != nil {
			t.Errorf("%q: %s is read as the body %q, %v, %q, %v", text, bodyOf(text), body, null, rest, err)
		}
	}
	if _, null, _, _ := cutBody("nil"); !null {
		t.Error("nil is a body")
	}
}
