package guard_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/guard"
)

var start = time.Unix(1_800_000_000, 0)

const site = "https://api.example/mcp"

// ada is an Identity that a Guard for site takes.
func ada(scopes ...string) guard.Identity {
	return guard.Identity{Issuer: "https://login.example", Subject: "ada", Client: "editor", Audience: []string{site}, Scopes: scopes, Expires: start.Add(time.Hour)}
}

func newGuard(t testing.TB, p guard.Policy) guard.Guard {
	t.Helper()
	if p.Audience == nil && !p.AnyAudience {
		p.Audience = []string{site}
	}
	g, err := guard.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func call(tool, args string) jsonrpc.Message {
	return jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}`)
}

// A token is for this server if it has one of the names of the Policy, letter for letter but for what
// makes no difference in a url.
//
// rows: AUTH-021 AUTH-022 AUTH-028 AUTH-029 AUTH-052 AUTH-219
func TestAudience(t *testing.T) {
	for _, tt := range []struct {
		policy, token []string
		ok            bool
	}{
		{[]string{site}, []string{site}, true},
		{[]string{site}, nil, false},
		{[]string{site}, []string{""}, false},
		{[]string{site}, []string{"https://other.example", site}, true},
		{[]string{site}, []string{"https://other.example"}, false},
		{[]string{site}, []string{"HTTPS://API.Example/mcp"}, true},
		{[]string{"HTTPS://API.Example/mcp"}, []string{site}, true},
		{[]string{site}, []string{"https://api.example/MCP"}, false},
		{[]string{site}, []string{site + "/"}, false},
		{[]string{site}, []string{"https://api.example"}, false},
		{[]string{site}, []string{site + "?x"}, false},
		{[]string{site}, []string{"http://api.example/mcp"}, false},
		{[]string{site}, []string{"https://api.example/mcp/../mcp"}, false},
		{[]string{site}, []string{"https://api.example.evil.example/mcp"}, false},
		{[]string{"https://api.example"}, []string{"https://api.example/"}, true},
		{[]string{"https://API.example/"}, []string{"https://api.example"}, true},
		{[]string{"https://api.example"}, []string{"https://api.example//"}, false},
		{[]string{"client-1", site}, []string{"client-1"}, true},
		{[]string{"client-1"}, []string{"Client-1"}, false},
		{[]string{"urn://Client"}, []string{"urn://client"}, false},
	} {
		g := newGuard(t, guard.Policy{Audience: tt.policy, Base: []string{"mcp"}})
		id := ada()
		id.Audience = tt.token
		c := g.Check(start, id)
		if (c == nil) != tt.ok || c != nil && (c.Error != "invalid_token" || c.Scope != "mcp" || headers.Unauthorized(*c).Status != 401) {
			t.Errorf("%q for %q: %+v", tt.token, tt.policy, c)
		}
	}
	id := ada()
	id.Audience = nil
	if c := newGuard(t, guard.Policy{AnyAudience: true}).Check(start, id); c != nil {
		t.Errorf("any: %+v", c)
	}
}

// A token counts until Leeway after it has expired.
//
// rows: AUTH-028 AUTH-031
func TestExpiry(t *testing.T) {
	for _, tt := range []struct {
		leeway, real time.Duration
	}{{0, 30 * time.Second}, {time.Minute, time.Minute}, {-1, 0}} {
		g, id := newGuard(t, guard.Policy{Leeway: tt.leeway}), ada()
		until := id.Expires.Add(tt.real)
		if got := g.Until(id); !got.Equal(until) {
			t.Errorf("%v: until %v", tt.leeway, got)
		}
		if c := g.Check(until.Add(-1), id); c != nil {
			t.Errorf("%v: %+v", tt.leeway, c)
		}
		for _, late := range []time.Time{until, until.Add(1), until.Add(1e6 * time.Hour)} {
			if c := g.Check(late, id); c == nil || c.Error != "invalid_token" || c.ErrorDescription != "the token has expired" {
				t.Errorf("%v: %+v", tt.leeway, c)
			}
		}
		id.Expires = time.Time{}
		if c := g.Check(start.Add(1e6*time.Hour), id); c != nil || !g.Until(id).IsZero() {
			t.Errorf("never: %+v", c)
		}
	}
}

// Who a token names is told apart, whatever texts the issuer has chosen; nobody is let in.
func TestID(t *testing.T) {
	texts := []string{"", " ", "a", "a b", "a  b", "%", "%20", "a%20b", "b", "https://x.example"}
	seen := map[string][3]string{}
	for want, id := range map[string]guard.Identity{ // which are names for good
		"a%20%25 b%25%20": {Issuer: "a %", Subject: "b% ", Client: "c"}, "a%20%25  b%25%20": {Issuer: "a %", Client: "b% "},
	} {
		if id.ID() != want {
			t.Errorf("%q, want %q", id.ID(), want)
		}
	}
	for _, issuer := range texts {
		for _, subject := range texts {
			for _, client := range texts {
				id := ada()
				id.Issuer, id.Subject, id.Client = issuer, subject, client
				who := [3]string{issuer, subject, client}
				if subject != "" {
					who[2] = ""
				}
				if other, ok := seen[id.ID()]; ok && other != who && id.ID() != "" {
					t.Errorf("%q and %q are both %q", other, who, id.ID())
				}
				seen[id.ID()] = who
				nobody := subject == "" && client == ""
				if c := newGuard(t, guard.Policy{}).Check(start, id); (c != nil) != nobody || (id.ID() == "") != nobody {
					t.Errorf("%q: %+v", who, c)
				}
			}
		}
	}
	if got := ada().ID(); got != "https://login.example ada" {
		t.Error(got)
	}
}

// The zero Guard allows nothing, and nothing panics.
func TestZero(t *testing.T) {
	var g guard.Guard
	if c := g.Check(start, ada("mcp")); c == nil || c.Error != "invalid_token" {
		t.Errorf("%+v", c)
	}
	if c := g.Allow(ada("mcp")); c == nil || headers.Unauthorized(*c).Status != 403 {
		t.Errorf("%+v", c)
	}
	if g.Challenge() != (headers.Challenge{}) || !g.Until(ada()).Equal(ada().Expires) {
		t.Error("a zero Guard says something")
	}
	full := newGuard(t, guard.Policy{})
	if c := full.Check(time.Time{}, guard.Identity{}); c == nil {
		t.Error("the zero Identity is let in")
	}
	if c := full.Allow(guard.Identity{}, jsonrpc.Message{}, jsonrpc.DecodeString("["), jsonrpc.BatchOf()); c != nil {
		t.Errorf("no scopes are needed: %+v", c)
	}
}

var shop = guard.Policy{
	Base:   []string{"mcp"},
	Method: map[string][]string{"resources/read": {"files"}, "tools/call": {"mcp", "tools"}, "notifications/cancelled": {"cancel"}},
	Tool: func(name string, args jsonrpc.Raw) []string {
		switch {
		case name == "sell" && strings.Contains(string(args), "gold"):
			return []string{"write", "tools", "gold"}
		case name == "sell":
			return []string{"write"}
		case name == "odd":
			return []string{"two words", "offline_access", `quo"te`, ""}
		}
		return nil
	},
	Implies: map[string][]string{"admin": {"write", "power"}, "power": {"tools", "files"}},
}

// An operation is told all that it needs at once: what is lacking first, then what the token has of
// it; of a batch, that of all elements. A broader scope is enough.
//
// rows: AUTH-103 AUTH-108 AUTH-116 AUTH-220 AUTH-221
func TestScopes(t *testing.T) {
	g := newGuard(t, shop)
	read := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"x://y"}}`)
	list := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	for _, tt := range []struct {
		name string
		has  string
		list []jsonrpc.Message
		want string // "" for allowed
	}{
		{"nothing to do", "", nil, "mcp"},
		{"nothing to do", "mcp", nil, ""},
		{"a list", "", []jsonrpc.Message{list}, "mcp"},
		{"a list", "x mcp y", []jsonrpc.Message{list}, ""},
		{"a call", "", []jsonrpc.Message{call("buy", "{}")}, "mcp tools"},
		{"a call", "mcp", []jsonrpc.Message{call("buy", "{}")}, "tools mcp"},
		{"a tool, none", "", []jsonrpc.Message{call("sell", `{"what":"gold"}`)}, "mcp tools write gold"},
		{"a tool, one", "write", []jsonrpc.Message{call("sell", `{"what":"gold"}`)}, "mcp tools gold write"},
		{"a tool, two", "mcp gold", []jsonrpc.Message{call("sell", `{"what":"gold"}`)}, "tools write mcp gold"},
		{"a tool, all", "gold tools write mcp", []jsonrpc.Message{call("sell", `{"what":"gold"}`)}, ""},
		{"arguments count", "mcp tools write", []jsonrpc.Message{call("sell", `{}`)}, ""},
		{"another case", "MCP", []jsonrpc.Message{list}, "mcp"},
		{"in one text", "mcp,files", []jsonrpc.Message{read}, "mcp files"},
		{"broader", "mcp power", []jsonrpc.Message{read, call("buy", "{}")}, ""},
		{"broader, by two steps", "mcp admin gold", []jsonrpc.Message{read, call("sell", `{"what":"gold"}`)}, ""},
		{"narrower", "mcp files tools", []jsonrpc.Message{call("sell", "{}")}, "write mcp tools"},
		{"several", "mcp", []jsonrpc.Message{read, call("sell", "{}")}, "files tools write mcp"},
		{"a batch", "mcp", []jsonrpc.Message{jsonrpc.BatchOf(list, read, call("sell", "{}"))}, "files tools write mcp"},
		{"a batch, one lacks", "mcp tools write", []jsonrpc.Message{jsonrpc.BatchOf(call("sell", "{}"), read)}, "files mcp tools write"},
		{"a batch within one", "mcp", []jsonrpc.Message{jsonrpc.BatchOf(jsonrpc.BatchOf(read))}, "files mcp"},
		{"a notification", "mcp", []jsonrpc.Message{jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)}, "cancel mcp"},
		{"an answer", "mcp", []jsonrpc.Message{jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{}}`)}, ""},
		{"scopes that are none", "mcp tools", []jsonrpc.Message{call("odd", "{}")}, "mcp tools"},
	} {
		id := ada(strings.Fields(tt.has)...)
		if tt.name == "in one text" {
			id.Scopes = []string{"mcp files"}
		}
		c := g.Allow(id, tt.list...)
		switch {
		case tt.want == "" && c != nil, tt.want != "" && c == nil:
			t.Errorf("%s, %q: %+v", tt.name, tt.has, c)
		case c != nil && (c.Scope != tt.want || c.Error != "insufficient_scope" || c.ErrorDescription != "the token needs more scopes" || headers.Unauthorized(*c).Status != 403):
			t.Errorf("%s, %q: %+v, want %s", tt.name, tt.has, c, tt.want)
		}
	}
	if c := g.Challenge(); c != (headers.Challenge{Scope: "mcp"}) {
		t.Errorf("%+v", c)
	}
}

// The name of a tool is the one that a State calls: the last of two, in whatever way it is written.
// Params that no State takes need nothing more.
func TestToolNames(t *testing.T) {
	var asked []string
	g := newGuard(t, guard.Policy{Tool: func(name string, args jsonrpc.Raw) []string {
		asked = append(asked, name+" "+string(args))
		return nil
	}})
	for params, want := range map[string]string{
		`{"name":"a","arguments":{"x":1}}`:      `a {"x":1}`,
		`{"name":"a","name":"b"}`:               "b ",
		`{"\u006eame":"\u0061"}`:                "a ",
		`{"name":"a","Name":"b"}`:               "a ",
		`{"arguments":{"name":"b"},"name":"a"}`: `a {"name":"b"}`,
		`{"name":"a","arguments":5}`:            "a 5", // a State may be told to take it
		`{"name":"a","name":"b","arguments":5}`: "",
		`{"name":7}`:                            " ",
		`{}`:                                    " ",
	} {
		asked = nil
		g.Allow(ada(), jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+`}`))
		if got := strings.Join(asked, "; "); got != want {
			t.Errorf("%s: %q, want %q", params, got, want)
		}
	}
}

// A challenge stays short, however much is needed, and each token with what it names lacks less.
func TestLongChallenge(t *testing.T) {
	var need []string
	for i := range 1000 {
		need = append(need, "scope-"+strings.Repeat("x", i%20)+string(rune('a'+i%26))+strings.Repeat("y", i/26))
	}
	g := newGuard(t, guard.Policy{Tool: func(string, jsonrpc.Raw) []string { return need }})
	id, rounds := ada(), 0
	for c := g.Allow(id, call("t", "{}")); c != nil; c = g.Allow(id, call("t", "{}")) {
		if len(c.Scope) > 4096 || rounds > 50 {
			t.Fatalf("%d bytes in round %d", len(c.Scope), rounds)
		}
		next := strings.Fields(c.Scope)
		if len(next) == 0 || slices.Contains(id.Scopes, next[0]) {
			t.Fatalf("round %d asks for nothing new", rounds)
		}
		id.Scopes = append(id.Scopes, next...)
		rounds++
	}
	if rounds < 2 {
		t.Errorf("%d rounds", rounds)
	}
	for n, want := range map[int]int{4096: 2, 4097: 1} { // two scopes and the blank between
		need = []string{strings.Repeat("a", 2000), strings.Repeat("b", n-2001)}
		if c := g.Allow(ada(), call("t", "{}")); c == nil || len(strings.Fields(c.Scope)) != want {
			t.Errorf("of %d bytes of scopes: %+v", n, c)
		}
	}
}

// The Policy is copied: what its owner does to it later counts no more.
func TestPolicyIsCopied(t *testing.T) {
	p := guard.Policy{Audience: []string{site}, Base: []string{"mcp"}, Method: map[string][]string{"ping": {"p"}}, Implies: map[string][]string{"all": {"mcp", "p"}}}
	g := newGuard(t, p)
	p.Audience[0], p.Base[0], p.Method["ping"][0], p.Implies["all"][0] = "x", "x", "x", "x"
	delete(p.Method, "ping")
	ping := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if c := g.Check(start, ada()); c != nil {
		t.Errorf("%+v", c)
	}
	if c := g.Allow(ada(), ping); c == nil || c.Scope != "mcp p" {
		t.Errorf("%+v", c)
	}
	if c := g.Allow(ada("all"), ping); c != nil {
		t.Errorf("%+v", c)
	}
}

// More scopes never allow less, and what is allowed is what a naive reading of the Policy allows.
//
// rows: AUTH-030 AUTH-221
func TestMonotone(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f"}
	some := rapid.SliceOfN(rapid.SampledFrom(names), 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		p := guard.Policy{AnyAudience: true, Base: some.Draw(t, "base"), Method: map[string][]string{"tools/call": some.Draw(t, "method")}, Implies: map[string][]string{}}
		need := some.Draw(t, "tool")
		p.Tool = func(string, jsonrpc.Raw) []string { return need }
		for i, s := range names[:len(names)-1] { // to later ones alone, so that there is no circle
			p.Implies[s] = rapid.SliceOfN(rapid.SampledFrom(names[i+1:]), 0, 2).Draw(t, "implied by "+s)
		}
		g, err := guard.New(p)
		if err != nil {
			t.Fatal(err)
		}
		has := some.Draw(t, "has")
		all := map[string]bool{}
		var take func(s string)
		take = func(s string) {
			all[s] = true
			for _, n := range p.Implies[s] {
				take(n)
			}
		}
		for _, s := range has {
			take(s)
		}
		ok := true
		for _, s := range slices.Concat(p.Base, p.Method["tools/call"], need) {
			ok = ok && all[s]
		}
		c := g.Allow(ada(has...), call("t", "{}"))
		if (c == nil) != ok {
			t.Fatalf("%v: %+v", has, c)
		}
		if c == nil {
			more := append(slices.Clone(has), some.Draw(t, "more")...)
			if c := g.Allow(ada(more...), call("t", "{}")); c != nil {
				t.Fatalf("%v are not enough where %v are: %+v", more, has, c)
			}
		} else if c := g.Allow(ada(append(has, strings.Fields(c.Scope)...)...), call("t", "{}")); c != nil {
			t.Fatalf("what was asked for is not enough: %+v", c)
		}
	})
}

// The zero Guard allows nothing, and says so.
func TestZeroGuardAllows(t *testing.T) {
	if c := (guard.Guard{}).Allow(ada()); c == nil || c.Error != "insufficient_scope" || c.ErrorDescription != "nothing is allowed" || c.Scope != "" {
		t.Errorf("%+v", c)
	}
}
