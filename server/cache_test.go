package server_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// How long a list may be kept is said of each kind, and of each of its pages; how long a resource, by its function. In a
// session nothing is said of it. What is none is refused.
//
// rows: CACH-002 CACH-003 CACH-005 CACH-006 RES-206
// revisions: 2025-11-25 2026-07-28
func TestCache(t *testing.T) {
	h := &server.Handlers{}
	for _, name := range []string{"a", "b", "c"} {
		h.Tool(protocol.Tool{Name: name}, nil)
	}
	var read protocol.ReadResourceResult
	h.Resource(protocol.Resource{URI: "a:b", Name: "b"}, func(context.Context, server.Caller, protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
		r := read
		return &r, nil
	})
	h.Cache(protocol.ToolList, protocol.Cache{TTL: time.Minute + time.Microsecond, Scope: protocol.CachePublic})
	h.Cache(protocol.ResourceList, protocol.Cache{TTL: time.Second})
	items := h.Items()
	items.PageSize = 2
	catalog, err := server.NewCatalog(items)
	if err != nil {
		t.Fatal(err)
	}
	serve := func(catalog *server.Catalog) server.State {
		s, err := server.New(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve(), Revisions: protocol.AllRevisions()}, began)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := serve(catalog)
	ask := func(s server.State, method, params string) string {
		_, o := h.Receive(s, began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+`}}`))
		return texts(o)
	}
	first := ask(s, "tools/list", modern("{}"))
	_, cursor, _ := strings.Cut(first, `"nextCursor":"`)
	cursor, _, _ = strings.Cut(cursor, `"`)
	second := ask(s, "tools/list", `"cursor":"`+cursor+`",`+modern("{}"))
	for what, got := range map[string]string{"the first page": first, "the second": second} {
		if !strings.Contains(got, `"ttlMs":60000,"cacheScope":"public","tools":[`) || strings.Count(got, "ttlMs") != 1 || strings.Count(got, "cacheScope") != 1 {
			t.Errorf("%s: %s", what, got)
		}
	}
	if got := ask(s, "resources/list", modern("{}")); !strings.Contains(got, `"ttlMs":1000,"cacheScope":"private","resources":[`) {
		t.Error(got)
	}
	if got := ask(s, "resources/templates/list", modern("{}")); !strings.Contains(got, `"ttlMs":0,"cacheScope":"private"`) {
		t.Error(got)
	}
	for _, c := range []struct {
		ttl   time.Duration
		scope protocol.CacheScope
		want  string
	}{
		{0, "", `"ttlMs":0,"cacheScope":"private"`}, {5, "", `"ttlMs":5,"cacheScope":"private"`}, {5, protocol.CachePublic, `"ttlMs":5,"cacheScope":"public"`},
		{-1, "", `"code":-32603`}, {0, "all", `"code":-32603`},
	} {
		read.Cache = protocol.Cache{TTL: c.ttl * time.Millisecond, Scope: c.scope}
		if got := ask(s, "resources/read", `"uri":"a:b",`+modern("{}")); strings.Count(got, "ttlMs") != strings.Count(c.want, "ttlMs") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %s", c, got)
		}
	}
	read.Cache = protocol.Cache{TTL: 5 * time.Millisecond, Scope: protocol.CachePublic}
	session := inSession(s)
	for _, got := range []string{ask(session, "tools/list", ""), ask(session, "resources/list", ""), ask(session, "resources/read", `"uri":"a:b"`)} {
		if strings.Contains(got, "ttlMs") || strings.Contains(got, "cacheScope") || !strings.Contains(got, `"result"`) {
			t.Errorf("in a session: %s", got)
		}
	}
	// What an application writes itself is held to the same.
	own, err := server.New(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Serve: []string{"tools/list", "tools/call", "resources/list", "resources/read"}, Revisions: protocol.AllRevisions()}, began)
	if err != nil {
		t.Fatal(err)
	}
	for hint, good := range map[string]bool{`"ttlMs":0`: true, `"ttlMs":-1`: false, `"ttlMs":1.5`: false, `"ttlMs":"1"`: false, `"cacheScope":"public"`: true, `"cacheScope":"all"`: false, `"cacheScope":1`: false} {
		for method, result := range map[string]string{"tools/list": `"tools":[]`, "resources/read": `"contents":[]`} {
			s, o := own.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{"uri":"a:b",`+modern("{}")+`}}`))
			if _, _, err := s.Respond(began, o.Opened, protocol.Raw(`{`+result+`,`+hint+`}`)); good != (err == nil) || err != nil && !errors.Is(err, lifecycle.ErrParams) {
				t.Errorf("%s %s: %v", method, hint, err)
			}
		}
	}
	plain := inSession(own)
	plain, o := plain.Receive(began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if _, _, err := plain.Respond(began, o.Opened, protocol.Raw(`{"tools":[],"ttlMs":-1}`)); err != nil {
		t.Errorf("in a session: %v", err)
	}
	for _, c := range []protocol.Cache{{TTL: -1}, {Scope: "all"}} {
		h.Cache(protocol.PromptList, c)
		if _, err := h.Catalog(); err == nil || !strings.Contains(err.Error(), "Items.Cache of prompts/list") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// What was registered is a copy, what is said of a list too; layers have what they say together, and one without items of
// a kind says nothing of the others'.
func TestCacheIsCopied(t *testing.T) {
	minute := protocol.Cache{TTL: time.Minute}
	h, empty := &server.Handlers{}, &server.Handlers{}
	h.Tool(protocol.Tool{Name: "a"}, nil)
	h.Cache(protocol.ToolList, minute)
	h.Items().Cache[protocol.ToolList] = protocol.Cache{TTL: time.Hour}
	if got := h.Items().Cache[protocol.ToolList]; got != minute {
		t.Errorf("%+v", got)
	}
	empty.Prompt(protocol.Prompt{Name: "p"}, nil)
	for name, of := range map[string][]*server.Handlers{"above": {h, empty}, "below": {empty, h}, "twice": {empty, h, empty}} {
		both, err := of[0].Over(of[1])
		for _, next := range of[2:] {
			if err == nil {
				both, err = both.Over(next)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := both.Items().Cache[protocol.ToolList]; got != minute {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// What is said of a list in layers holds of both.
func TestCacheOfLayers(t *testing.T) {
	minute, second := protocol.Cache{TTL: time.Minute, Scope: protocol.CachePublic}, protocol.Cache{TTL: time.Second, Scope: protocol.CachePublic}
	for _, c := range []struct {
		upper, lower protocol.Cache
		want         string
	}{
		{minute, second, `"ttlMs":1000,"cacheScope":"public"`}, {second, minute, `"ttlMs":1000,"cacheScope":"public"`},
		{minute, protocol.Cache{}, `"ttlMs":0,"cacheScope":"private"`}, {protocol.Cache{}, minute, `"ttlMs":0,"cacheScope":"private"`},
	} {
		upper, lower := &server.Handlers{}, &server.Handlers{}
		upper.Tool(protocol.Tool{Name: "a"}, nil)
		upper.Cache(protocol.ToolList, c.upper)
		lower.Tool(protocol.Tool{Name: "b"}, nil)
		lower.Cache(protocol.ToolList, c.lower)
		both, err := upper.Over(lower)
		if err != nil {
			t.Fatal(err)
		}
		top := &server.Handlers{}
		top.Tool(protocol.Tool{Name: "c"}, nil)
		top.Cache(protocol.ToolList, minute)
		three, err := top.Over(both)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range []*server.Handlers{both, three} {
			catalog, err := h.Catalog()
			if err != nil {
				t.Fatal(err)
			}
			s, err := server.New(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve(), Revisions: protocol.AllRevisions()}, began)
			if err != nil {
				t.Fatal(err)
			}
			_, o := h.Receive(s, began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+modern("{}")+`}}`))
			if got := texts(o); !strings.Contains(got, c.want) {
				t.Errorf("%+v over %+v: %s", c.upper, c.lower, got)
			}
		}
	}
}
