package nethttp_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/registry"
)

// cabinet is a group of one user: a tool, a prompt whose argument is completed, a resource and a
// template, all with the name of the user in theirs.
func cabinet(t testing.TB, user string) *registry.Group {
	t.Helper()
	var h server.Handlers
	h.Tool(protocol.Tool{Name: user + "_tool", InputSchema: object}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult("tool of " + user), nil
	})
	h.Prompt(protocol.Prompt{Name: user + "_prompt"}, func(context.Context, server.Caller, protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
		return &protocol.GetPromptResult{Messages: []protocol.PromptMessage{}}, nil
	})
	h.Complete(func(context.Context, server.Caller, protocol.CompleteParams) (*protocol.CompleteResult, error) {
		return &protocol.CompleteResult{Completion: protocol.Completion{Values: []string{"of " + user}}}, nil
	})
	read := func(_ context.Context, _ server.Caller, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
		return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{{URI: p.URI, Text: "note of " + user}}}, nil
	}
	h.Resource(protocol.Resource{URI: "note:///" + user + "/1", Name: "note"}, read)
	s, err := registry.NewGroup(registry.Definition{Name: "cabinet-" + user, Handlers: &h})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// users are the views of principals, which may be replaced.
type users struct {
	t    testing.TB
	view map[string]*atomic.Pointer[registry.View]
}

func newUsers(t testing.TB, names ...string) *users {
	u := &users{t: t, view: map[string]*atomic.Pointer[registry.View]{}}
	for _, name := range names {
		u.view[name] = new(atomic.Pointer[registry.View])
		u.set(name, cabinet(t, name))
	}
	return u
}

func (u *users) set(name string, groups ...*registry.Group) {
	u.t.Helper()
	r, _, err := registry.New(protocol.CapTools | protocol.CapPrompts | protocol.CapResources).SetGroups(groups...)
	if err != nil {
		u.t.Fatal(err)
	}
	u.view[name].Store(r.View())
}

func (u *users) companion(p server.Peer) server.Companion {
	view := u.view[p.Principal]
	if view == nil {
		return registry.Follow(func() *registry.View { return nil })
	}
	return registry.Follow(view.Load)
}

// open opens a session of a user.
func (u *users) open(url, name string) *peer {
	p := newPeer(u.t, url)
	p.header.Set("Authorization", "Bearer "+name)
	p.open("2025-11-25")
	return p
}

// ask makes a request and returns the answer.
func (p *peer) ask(method, params string) answer {
	p.t.Helper()
	p.ids++
	return p.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, p.ids, method, params))
}

// sees checks what a user sees and reaches: what is of the user, and nothing of another.
func (p *peer) sees(own, other string) {
	p.t.Helper()
	for _, list := range []string{"tools/list", "prompts/list", "resources/list"} {
		if a := p.ask(list, `{}`).want(200, own); strings.Contains(a.body, other) {
			p.t.Errorf("%s shows %s to %s: %s", list, other, own, a.body)
		}
	}
	complete := func(of string) string {
		return `{"ref":{"type":"ref/prompt","name":"` + of + `_prompt"},"argument":{"name":"a","value":""}}`
	}
	p.call(own+"_tool", `{}`).want(200, "tool of "+own)
	p.ask("prompts/get", `{"name":"`+own+`_prompt"}`).want(200, `"messages"`)
	p.ask("completion/complete", complete(own)).want(200, "of "+own)
	p.ask("resources/read", `{"uri":"note:///`+own+`/1"}`).want(200, "note of "+own)
	p.ask("resources/subscribe", `{"uri":"note:///`+own+`/1"}`).want(200, `"result":{}`)
	p.call(other+"_tool", `{}`).want(200, "-32602")
	p.ask("prompts/get", `{"name":"`+other+`_prompt"}`).want(200, "-32602")
	p.ask("completion/complete", complete(other)).want(200, "-32602")
	p.ask("resources/read", `{"uri":"note:///`+other+`/1"}`).want(200, "-32002")
	p.ask("resources/subscribe", `{"uri":"note:///`+other+`/1"}`).want(200, "-32002")
	p.ask("resources/subscribe", `{"uri":"note:///"}`).want(200, `"result":{}`) // what the own ones begin with
}

// heard reads a listening stream up to a message that is sent now, and returns what came before.
func (p *peer) heard(h *nethttp.Handler, x *stream) string {
	p.t.Helper()
	if err := h.Notify(context.Background(), p.session, protocol.LoggingMessageParams{Level: "info", Data: protocol.StringValue("until here")}); err != nil {
		p.t.Fatal(err)
	}
	all := ""
	for {
		e, ok := x.event()
		if !ok {
			p.t.Fatal("the stream has ended")
		}
		if strings.Contains(e.data, "until here") {
			return all
		}
		all += e.data + "\n"
	}
}

var usersConfig = func() server.Config {
	cfg := serverConfig
	cfg.Subscribe = true
	cfg.ListChanged |= protocol.CapPromptsListChanged | protocol.CapResourcesListChanged
	cfg.HashKey = [16]byte{1}
	return cfg
}()

func startUsers(t *testing.T, u *users, store nethttp.Store) (*nethttp.Handler, string) {
	t.Helper()
	everything := newUsers(t, "everybody").view["everybody"].Load() // declares all kinds, and shows to nobody
	h, err := nethttp.NewHandler(everything.Config(usersConfig), everything.Handlers(), nethttp.Options{Companion: u.companion, Authenticate: tokens, Store: store})
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, h)
	return h, s
}

// Each user sees and reaches what is of that user, whatever the Handler has, and hears of nothing else.
func TestToolsByUser(t *testing.T) {
	u := newUsers(t, "ann", "bob")
	h, url := startUsers(t, u, nil)
	ann, bob := u.open(url, "ann"), u.open(url, "bob")
	listens, other := ann.listen(), bob.listen()
	check := func(when string) {
		t.Helper()
		ann.sees("ann", "bob")
		bob.sees("bob", "ann")
		if text := ann.heard(h, listens) + bob.heard(h, other); text != "" {
			t.Errorf("%s, they hear %s", when, text)
		}
	}
	// The lists are not those of the Handler, which clients are told after the handshake.
	ann.heard(h, listens)
	bob.heard(h, other)
	check("at first")
	// Other functions of the Handler are nobody's.
	all := newUsers(t, "ann")
	all.set("ann", cabinet(t, "ann"), cabinet(t, "bob"), cabinet(t, "admin"))
	if err := h.Replace(context.Background(), all.view["ann"].Load().Handlers()); err != nil {
		t.Fatal(err)
	}
	check("after Replace")
	u.open(url, "ann").sees("ann", "admin") // one that begins then
	for _, uri := range []string{"note:///ann/1", "note:///bob/1", "note:///"} {
		if err := h.Broadcast(context.Background(), protocol.ResourceUpdatedParams{URI: uri}); err != nil {
			t.Fatal(err)
		}
	}
	if text := ann.heard(h, listens); strings.Count(text, "updated") != 1 || !strings.Contains(text, "note:///ann/1") {
		t.Error("ann hears", text)
	}
	if text := bob.heard(h, other); strings.Count(text, "updated") != 1 || !strings.Contains(text, "note:///bob/1") {
		t.Error("bob hears", text)
	}
	// What is taken away is so with the next message, whether StepAll is called or not.
	u.set("ann")
	ann.call("ann_tool", `{}`).want(200, "-32602")
	if a := ann.ask("tools/list", `{}`).want(200, `"tools":[]`); strings.Contains(a.body, "ann_tool") {
		t.Error(a.body)
	}
	u.set("bob", cabinet(t, "bob"), cabinet(t, "ann"))
	if err := h.StepAll(context.Background()); err != nil {
		t.Fatal(err)
	}
	if text := ann.heard(h, listens); strings.Count(text, "list_changed") != 3 {
		t.Error("ann hears", text)
	}
	if text := bob.heard(h, other); strings.Count(text, "list_changed") != 3 {
		t.Error("bob hears", text)
	}
	if err := h.Broadcast(context.Background(), protocol.ResourceUpdatedParams{URI: "note:///ann/1"}); err != nil {
		t.Fatal(err)
	}
	if text := ann.heard(h, listens); text != "" {
		t.Error("ann hears of what is hers no more:", text)
	}
	if text := bob.heard(h, other); !strings.Contains(text, "note:///ann/1") { // by note:///
		t.Error("bob hears", text)
	}
	listens.cut()
	other.cut()
	quiet(t)
}

// The same where two processes share the sessions, whose State is restored for each turn: nothing of
// others shows, and no change is announced that is none.
func TestToolsByUserShared(t *testing.T) {
	u, tab := newUsers(t, "ann", "bob"), newTable()
	a, urlA := startUsers(t, u, nethttp.NewShared(tab))
	_, urlB := startUsers(t, u, nethttp.NewShared(tab))
	ann := u.open(urlA, "ann")
	x := ann.listen()
	ann.heard(a, x)
	for range 2 {
		ann.at(urlB).sees("ann", "bob")
		ann.sees("ann", "bob")
		ann.ids += 5000
	}
	if err := a.StepAll(context.Background()); err != nil {
		t.Fatal(err)
	}
	if text := ann.heard(a, x); text != "" {
		t.Error("ann hears", text)
	}
	u.set("ann", cabinet(t, "ann"), cabinet(t, "bob"))
	ann.at(urlB).call("bob_tool", `{}`).want(200, "tool of bob")
	ann.ids += 5000
	ann.call("bob_tool", `{}`).want(200, "tool of bob")
	if text := ann.heard(a, x); strings.Count(text, "tools/list_changed") != 1 || strings.Count(text, "list_changed") != 3 {
		t.Error("ann hears", text)
	}
}

// A principal that the application knows nothing of is offered nothing.
func TestToolsOfNobody(t *testing.T) {
	u := newUsers(t, "ann")
	_, url := startUsers(t, u, nil)
	bob := u.open(url, "bob")
	for list, member := range map[string]string{"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources"} {
		bob.ask(list, `{}`).want(200, `"`+member+`":[]`)
	}
	bob.call("ann_tool", `{}`).want(200, "-32602")
	bob.call("everybody_tool", `{}`).want(200, "-32602")
}

func newServer(t testing.TB, h *nethttp.Handler) string {
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		h.Close()
		s.Close()
	})
	return s.URL
}
