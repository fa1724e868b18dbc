package limits_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
)

// itemsOf returns n items of each kind.
func itemsOf(n int) (i server.Items) {
	for k := range n {
		name := fmt.Sprintf("n%d", k)
		i.Tools = append(i.Tools, protocol.Tool{Name: name, InputSchema: `{"type":"object","properties":{"a":{"type":"string"}}}`})
		i.Resources = append(i.Resources, protocol.Resource{URI: "a:" + name, Name: name})
		i.Prompts = append(i.Prompts, protocol.Prompt{Name: name, Arguments: []protocol.PromptArgument{{Name: "a", Required: true}}})
	}
	return i
}

func catalogOf(items server.Items) *server.Catalog {
	c, err := server.NewCatalog(items)
	if err != nil {
		panic(err)
	}
	return c
}

// catalogEntries are the entries for the lists of a server.
func catalogEntries(t *testing.T) (list []entry) {
	add := func(name string, of func(n int) func()) { list = append(list, entry{name: name, of: of}) }
	one := func(name string, of func(n int) func()) { list = append(list, entry{name: name, of: of, one: true}) }
	for _, size := range []int{1, 100} {
		add(fmt.Sprintf("NewCatalog, pages of %d", size), func(n int) func() {
			items := itemsOf(n / 64)
			items.PageSize = size
			return func() { sink = catalogOf(items) }
		})
	}
	add("NewCatalog, templates", func(n int) func() {
		items := server.Items{}
		for i := range n / 256 {
			items.ResourceTemplates = append(items.ResourceTemplates, protocol.ResourceTemplate{URITemplate: fmt.Sprintf("a:n%d/{x}", i), Name: "a"})
		}
		return func() { sink = catalogOf(items) }
	})
	add("Handlers.Template", func(n int) func() {
		return func() {
			h := new(server.Handlers)
			for i := range n / 256 {
				h.Template(protocol.ResourceTemplate{URITemplate: fmt.Sprintf("a:n%d/{x}", i), Name: "a"},
					func(context.Context, server.Caller, protocol.ReadResourceParams, uritemplate.Values) (*protocol.ReadResourceResult, error) {
						return nil, nil
					})
			}
			sink = h
		}
	})
	add("Handlers.Tool", func(n int) func() {
		items := itemsOf(n / 64)
		return func() {
			h := new(server.Handlers)
			for _, tool := range items.Tools {
				h.Tool(tool, nil)
			}
			sink = h.Items().Tools
		}
	})
	for _, sh := range shapes {
		for _, member := range []string{"properties", "enum", "required", "anyOf", "$defs", "x"} {
			one(fmt.Sprintf("NewCatalog, a tool with %s, %s", member, sh.name), func(n int) func() {
				items := server.Items{Tools: []protocol.Tool{{Name: "a", InputSchema: jsonrpc.Raw(fmt.Sprintf(`{"type":"object",%q:%s}`, member, sh.of(n)))}}}
				return func() { _, err := server.NewCatalog(items); sink = err }
			})
		}
	}
	s, err := server.New(server.Config{
		Info: who, Catalog: catalogOf(itemsOf(1)), Serve: []string{"tools/call", "resources/read", "prompts/get"}, Subscribe: true,
		ListChanged: protocol.CapToolsListChanged | protocol.CapResourcesListChanged | protocol.CapPromptsListChanged, ChangeDelay: -1, Limits: roomy,
	}, t0)
	if err != nil {
		t.Fatal(err)
	}
	s, _ = feed(s, hello)
	s, _ = feed(s, initialized)
	add("SetCatalog", func(n int) func() {
		one, two := catalogOf(itemsOf(n/64)), catalogOf(itemsOf(n/64))
		old, _, err := s.SetCatalog(t0, one)
		if err != nil {
			t.Fatal(err)
		}
		return func() { must(old.SetCatalog(t0, two)) }
	})
	add("a listing page by page", func(n int) func() {
		items := itemsOf(n / 64)
		items.PageSize = 7
		x, _, err := s.SetCatalog(t0, catalogOf(items))
		if err != nil {
			t.Fatal(err)
		}
		return func() {
			cursor := ""
			for {
				_, out := feed(x, `{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{`+cursor+`}}`)
				_, next, more := strings.Cut(string(out.Send[0].Message.Body), `"nextCursor":`)
				if !more {
					return
				}
				cursor = `"cursor":` + strings.TrimSuffix(next, "}")
			}
		}
	})
	add("resources/subscribe, a uri above the listed ones", func(n int) func() {
		x, _, err := s.SetCatalog(t0, catalogOf(itemsOf(n/64)))
		if err != nil {
			t.Fatal(err)
		}
		return func() {
			_, out := feed(x, `{"jsonrpc":"2.0","id":9,"method":"resources/subscribe","params":{"uri":"a:`+strings.Repeat("/", n)+`"}}`)
			sink = out.Send
		}
	})
	return list
}

// machineEntries are those of the machines beside a State.
func machineEntries(t *testing.T) (list []entry) {
	add := func(name string, of func(n int) func()) { list = append(list, entry{name: name, of: of}) }
	ready := readyClient(t, roomy)
	methods := []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"}
	for _, method := range methods {
		for i, of := range listsOf[method] {
			p, err := client.NewPager(method)
			if err != nil {
				t.Fatal(err)
			}
			p.MaxItems, p.MaxBytes = 1<<30, 1<<30
			p, asking, asked, err := p.Next(ready, t0, client.RequestOptions{})
			if err != nil {
				t.Fatal(err)
			}
			add(fmt.Sprintf("Pager, %s, list %d", method, i), func(n int) func() {
				_, out := feed(asking, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, ids(asked)[0], of(n)))
				ev := out.Events[len(out.Events)-1]
				return func() { _, items, _, _ := p.Page(ev); sink = items }
			})
		}
	}
	// The peer chooses the number of pages in its error.
	add("Retries, pages of one request", func(n int) func() {
		e := jsonrpc.Error{Code: protocol.CodeURLElicitationRequired, Data: jsonrpc.Raw(many(`{"elicitations":[`,
			`{"mode":"url","message":"","url":"","elicitationId":"%d"}`, `]}`)(n))}
		return func() {
			sink, _ = client.Retries{MaxIDs: n}.Take(client.Event{Kind: lifecycle.ResponseReceived, Err: &e, Revision: protocol.Revision20251125})
		}
	})
	// Without a session a server asks for them; behind a relay it replaces another one.
	modern, err := server.New(server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Limits: roomy, Revisions: protocol.StatelessRevisions(), Serve: []string{"tools/list", "tools/call"},
	}, t0)
	if err != nil {
		t.Fatal(err)
	}
	modern, called := feed(modern, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"url":{}}}}}}`)
	add("Finish, pages of one error", func(n int) func() {
		e := jsonrpc.Error{Code: protocol.CodeURLElicitationRequired, Data: jsonrpc.Raw(many(`{"elicitations":[`,
			`{"mode":"url","message":"","url":"a:b","elicitationId":"%d"}`, `]}`)(64 * n))} // fewer would hide quadratic cost
		if _, out, err := modern.Finish(t0, server.Answer{Call: called.Opened, Err: &e}); err != nil || out.Send[0].Message.Kind != jsonrpc.KindResult {
			t.Fatal(err, out)
		}
		return func() { _, sink, _ = modern.Finish(t0, server.Answer{Call: called.Opened, Err: &e}) }
	})
	server1 := readyServer(t, roomy)
	for i, of := range listsOf["roots/list"] {
		var r server.Roots
		r, s, out, err := r.Want(server1, t0, server.RequestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		add(fmt.Sprintf("Roots, list %d", i), func(n int) func() {
			s, out := feed(s, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, ids(out)[0], of(n)))
			return func() { r, _, _ := r.Handle(s, out); sink, _ = r.List() }
		})
	}
	list = append(list, filled("Roots", resultsOf["roots/list"], 0, func(text string) func() {
		r, s, out, _ := (server.Roots{}).Want(server1, t0, server.RequestOptions{})
		s, out = feed(s, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, ids(out)[0], text))
		return func() { r, _, _ := r.Handle(s, out); sink, _ = r.List() }
	})...)
	return list
}

// snapshotEntries are the entries of persistence, of sessions and of damaged data.
func snapshotEntries(t *testing.T) (list []entry) {
	add := func(name string, of func(n int) func()) { list = append(list, entry{name: name, of: of}) }
	one := func(name string, of func(n int) func()) { list = append(list, entry{name: name, of: of, one: true}) }
	cfg := server.Config{Info: who, ServeUnknown: true, Unlisted: true, Subscribe: true, Limits: roomy, Serve: []string{"tools/call", "resources/read"}}
	fresh, err := server.New(cfg, t0)
	if err != nil {
		t.Fatal(err)
	}
	fresh, _ = feed(fresh, hello)
	fresh, _ = feed(fresh, initialized)
	full := func(n int) server.State {
		s := fresh
		for i := range n / 512 {
			var out lifecycle.Output
			s, out = feed(s, fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d\u0001","method":"x/%d","params":{"_meta":{"progressToken":"%d"}}}`, i, i, i))
			s, _ = feed(s, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"a:%d/"}}`, i))
			var err error
			if s, _, err = s.Request(t0, protocol.ListRootsParams{}, server.RequestOptions{Within: out.Opened}); err != nil {
				t.Fatal(err)
			}
		}
		return s
	}
	add("Snapshot", func(n int) func() {
		s := full(n)
		return func() { sink = s.Snapshot() }
	})
	add("Restore", func(n int) func() {
		data := full(n).Snapshot()
		return func() {
			s, err := server.Restore(cfg, data, t0)
			if err != nil {
				panic(err)
			}
			sink = s.Step()
		}
	})
	good := string(fresh.Snapshot())
	broken := good[:len(good)-1]
	for _, member := range []string{"inbound", "outbound", "subscriptions", "x", "phase", "cause", "peer", "step", "catalog", "capabilities"} {
		for _, sh := range shapes {
			one(fmt.Sprintf("Restore, %s: %s", member, sh.name), func(n int) func() {
				data := []byte(fmt.Sprintf(`%s,%q:%s}`, broken, member, sh.of(n)))
				return func() {
					if _, err := server.Restore(cfg, data, t0); err != nil {
						sink = err.Error()
					}
				}
			})
		}
	}
	for _, item := range []string{"0", "{}", `{"id":1}`, `{"id":%d,"call":%[1]d,"method":"a"}`, `{"id":1,"call":1,"method":"a"}`} {
		of := many("[", item, "]")
		add("Restore, inbound of "+item, func(n int) func() {
			data := []byte(broken + `,"calls":100000,"inbound":` + of(n) + "}")
			return func() {
				if _, err := server.Restore(cfg, data, t0); err != nil {
					sink = err.Error()
				}
			}
		})
	}
	return list
}
