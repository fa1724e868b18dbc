package relay_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// chaos is a world in which everything happens, and what has to hold in it: each request carries a
// mark, and so does all that belongs to it, so that whatever reaches somebody else shows.
type chaos struct {
	*world
	marks map[client.Req]string // of the client's requests
	ends  map[client.Req]int
	asks  map[string]string // by server and handle there: the mark of what it asked
	given map[string]int    // how often such a request has ended
	next  int
	seenC int            // events of the client that were looked at
	seenS map[string]int // of the servers
	defs0 []relay.Server
	old   []manager.Link

	forged  map[string]string     // by id, what nobody sent as the client: the mark of the call
	listens map[client.Req]string // the uris of subscriptions of a client without a session
}

func (x *chaos) mark() string {
	x.next++
	return fmt.Sprintf("m%d.", x.next)
}

// markOf returns the mark in a text, "" for none.
func markOf(text string) string {
	i := strings.Index(text, "m")
	for i >= 0 && i < len(text) {
		j := i + 1
		for j < len(text) && text[j] >= '0' && text[j] <= '9' {
			j++
		}
		if j > i+1 && j < len(text) && text[j] == '.' {
			return text[i : j+1]
		}
		k := strings.Index(text[i+1:], "m")
		if k < 0 {
			break
		}
		i += 1 + k
	}
	return ""
}

// look checks what the last step brought to the client and to the servers.
func (x *chaos) look() {
	for ; x.seenC < len(x.got); x.seenC++ {
		switch ev := x.got[x.seenC]; ev.Kind {
		case lifecycle.ResponseReceived, lifecycle.RequestFailed:
			x.ends[ev.Req]++
			if x.ends[ev.Req] > 1 {
				x.t.Fatalf("request %v ended twice", ev.Req)
			}
			said := string(ev.Body)
			if ev.Err != nil {
				said = ev.Err.Message
			}
			if m := markOf(said); m != "" && m != x.marks[ev.Req] {
				x.t.Fatalf("request %s got %s", x.marks[ev.Req], said)
			}
			if ev.Kind == lifecycle.ResponseReceived && ev.Err == nil && x.marks[ev.Req] != "" && markOf(said) == "" {
				x.t.Fatalf("request %s got %s", x.marks[ev.Req], said)
			}
		case lifecycle.ProgressReceived:
			if m := markOf(string(ev.Body)); m != x.marks[ev.Req] || x.ends[ev.Req] > 0 {
				x.t.Fatalf("request %s got the progress %s, ended %d", x.marks[ev.Req], ev.Body, x.ends[ev.Req])
			}
		case lifecycle.Violation:
			x.t.Fatalf("the relay broke %s: %s %s %v", ev.Rule, ev.Method, ev.Body, ev.Cause)
		}
	}
	for _, name := range names {
		p := x.peers[name]
		for ; x.seenS[name] < len(p.heard); x.seenS[name]++ {
			switch ev := p.heard[x.seenS[name]]; ev.Kind {
			case lifecycle.ResponseReceived, lifecycle.RequestFailed:
				key := name + ev.Req.String() + fmt.Sprint(p.opens)
				m, known := x.asks[key]
				if !known {
					continue
				}
				if x.given[key]++; x.given[key] > 1 {
					x.t.Fatalf("what %s asked ended twice", name)
				}
				if got := markOf(string(ev.Body)); got != "" && got != m {
					x.t.Fatalf("%s asked %s and got %s", name, m, ev.Body)
				}
			case lifecycle.RequestReceived:
				if ev.Method != "tools/call" {
					continue
				}
				if !strings.Contains(string(ev.Body), `"to":"`+name+`"`) {
					x.t.Fatalf("%s got the call %s", name, ev.Body)
				}
				x.madeAgain(name, ev.Body)
			case lifecycle.Violation:
				x.t.Fatalf("the relay broke %s: %s %s %v", ev.Rule, ev.Method, ev.Body, ev.Cause)
			}
		}
	}
}

var names = []string{"a", "b", "c"}

// call has the client call a tool of a server.
func (x *chaos) callOf(name, tool string) {
	m := x.mark()
	req := x.request(protocol.CallToolParams{Name: tool, Arguments: jsonrpc.Raw(`{"to":"` + name + `","mark":"` + m + `"}`)},
		client.RequestOptions{Progress: true, Timeout: lifecycle.NoTimeout, Maximum: lifecycle.NoTimeout})
	x.marks[req] = m
}

// openCalls are the calls that a server holds.
func (x *chaos) openCalls(p *peer) (list []server.Event) {
	if !p.open {
		return nil
	}
	ended := map[server.Call]bool{}
	for _, ev := range p.heard {
		if ev.Kind == lifecycle.RequestCancelled || ev.Kind == lifecycle.RequestLost {
			ended[ev.Call] = true
		}
	}
	for _, ev := range p.calls {
		if !ended[ev.Call] {
			list = append(list, ev)
		}
	}
	return list
}

func (x *chaos) actions() map[string]func(*rapid.T) {
	peerOf := func(t *rapid.T) *peer { return x.peers[rapid.SampledFrom(names).Draw(t, "server")] }
	held := func(t *rapid.T, do func(p *peer, ev server.Event)) {
		p := peerOf(t)
		if calls := x.openCalls(p); len(calls) > 0 && !p.mute {
			do(p, calls[rapid.IntRange(0, len(calls)-1).Draw(t, "call")])
		}
	}
	every := func(t *rapid.T, do func(p *peer, ev server.Event)) {
		for _, name := range names {
			if p := x.peers[name]; !p.mute {
				for _, ev := range x.openCalls(p) {
					do(p, ev)
				}
			}
		}
	}
	// trouble is rarer than work, so that there is some to be troubled.
	rarely := func(do func(*rapid.T)) func(*rapid.T) {
		return func(t *rapid.T) {
			if rapid.IntRange(0, 3).Draw(t, "trouble") == 0 {
				do(t)
			}
		}
	}
	verb := func(p *peer) func(server.State, server.Output, error) {
		return func(s server.State, out server.Output, err error) {
			if err == nil {
				x.serve(p)(s, out)
			}
		}
	}
	acts := map[string]func(*rapid.T){
		"call": func(t *rapid.T) {
			p := peerOf(t)
			for range rapid.IntRange(1, 3).Draw(t, "calls") {
				x.callOf(p.name, rapid.SampledFrom([]string{p.name, p.name + "-slow", p.name + "-slow", "mcp." + p.name + "." + p.name + "-slow"}).Draw(t, "tool"))
			}
		},
		"list": func(t *rapid.T) {
			req := x.request(protocol.RawRequest{Name: rapid.SampledFrom([]string{"tools/list", "resources/list", "prompts/list"}).Draw(t, "method")}, client.RequestOptions{Timeout: lifecycle.NoTimeout})
			x.marks[req] = ""
		},
		"answer": func(t *rapid.T) {
			held(t, func(p *peer, ev server.Event) {
				verb(p)(p.s.Respond(x.now, ev.Call, protocol.TextResult(markOfCall(ev.Body))))
			})
		},
		"fail": func(t *rapid.T) {
			held(t, func(p *peer, ev server.Event) {
				verb(p)(p.s.Fail(x.now, ev.Call, jsonrpc.Error{Code: -7, Message: markOfCall(ev.Body)}))
			})
		},
		"call more": nil,
		"progress": func(t *rapid.T) {
			every(t, func(p *peer, ev server.Event) {
				x.next++
				verb(p)(p.s.Progress(x.now, ev.Call, protocol.ProgressParams{Progress: float64(x.next), Message: markOfCall(ev.Body)}))
			})
		},
		"ask": func(t *rapid.T) {
			if p := peerOf(t); p.open && !p.mute {
				x.asksOf(t, p, x.openCalls(p), verb(p))
			}
		},
		"reply": func(t *rapid.T) {
			var open []client.CallInfo
			for c := range x.c.Inbound() {
				open = append(open, c)
			}
			if len(open) == 0 {
				return
			}
			c := open[rapid.IntRange(0, len(open)-1).Draw(t, "call")]
			for _, ev := range x.got {
				if ev.Kind == lifecycle.RequestReceived && ev.Call == c.Call {
					x.replied(ev)
				}
			}
		},
		"cancel": func(t *rapid.T) {
			var open []client.ReqInfo
			for r := range x.c.Outbound() {
				open = append(open, r)
			}
			if len(open) > 0 {
				r := open[rapid.IntRange(0, len(open)-1).Draw(t, "request")]
				x.client(must(x.c.Cancel(x.now, r.Req, "enough")))
			}
		},
		"kill": rarely(func(t *rapid.T) {
			p := peerOf(t)
			p.dead = rapid.Bool().Draw(t, "dead")
			if p.link.Server != "" {
				x.old = append(x.old, p.link)
			}
			x.kill(p.name)
		}),
		"mute":  rarely(func(t *rapid.T) { peerOf(t).mute = true }),
		"speak": func(t *rapid.T) { x.speak(peerOf(t).name) },
		"changed": func(t *rapid.T) {
			p := peerOf(t)
			if !p.open || p.mute {
				return
			}
			x.next++
			p.h.Tool(protocol.Tool{Name: fmt.Sprintf("%s-%d", p.name, x.next), InputSchema: `{"type":"object"}`}, nil)
			if c, err := p.h.Catalog(); err == nil {
				verb(p)(p.s.SetCatalog(x.now, c))
			}
		},
		"late": func(t *rapid.T) { // what an incarnation that is over says
			if len(x.old) > 0 {
				link := rapid.SampledFrom(x.old).Draw(t, "link")
				id := rapid.IntRange(1, 40).Draw(t, "id")
				m := jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"late":"m0."}}`, id))
				if x.peers[link.Server].link != link {
					x.relay(x.r.Report(x.s, x.now, manager.Report{Kind: manager.Received, Link: link, Message: m}))
					x.relay(x.r.Report(x.s, x.now, manager.Report{Kind: manager.Ended, Link: link}))
				}
			}
		},
		"restart": rarely(func(t *rapid.T) {
			if r, s, eff, err := x.r.Restart(x.s, x.now, peerOf(t).name); err == nil {
				x.relay(r, s, eff)
			}
		}),
		"reload": rarely(func(t *rapid.T) {
			list := slices.Clone(x.defs0)
			list = list[:rapid.IntRange(0, len(list)).Draw(t, "servers")]
			if rapid.Bool().Draw(t, "reverse") {
				slices.Reverse(list)
			}
			if len(list) > 0 && rapid.Bool().Draw(t, "other") {
				x.next++
				list[0].Definition = fmt.Sprint(x.next)
			}
			r, s, eff, err := x.r.SetServers(x.s, x.now, list)
			if err != nil {
				t.Fatal(err)
			}
			x.defs = list
			x.relay(r, s, eff)
		}),
		"rest": rarely(func(t *rapid.T) { x.relay(x.r.Rest(x.s, x.now)) }),
		"filter": func(t *rapid.T) {
			if len(x.defs) == 0 {
				return
			}
			list := slices.Clone(x.defs)
			list[rapid.IntRange(0, len(list)-1).Draw(t, "at")].Filter = rapid.SampledFrom(filters).Draw(t, "filter")
			r, s, eff, err := x.r.SetServers(x.s, x.now, list)
			if err != nil {
				t.Fatal(err)
			}
			x.defs = list
			x.relay(r, s, eff)
		},
		"read": func(t *rapid.T) {
			uri := rapid.SampledFrom([]string{"own://a", "own://b", "c+own://c", "note:///1", "zz:1", "zz:2", "a+zz:1", "t-b://1"}).Draw(t, "uri")
			method := rapid.SampledFrom([]string{"resources/read", "resources/read", "resources/subscribe", "resources/unsubscribe"}).Draw(t, "method")
			if x.stateless() && method != "resources/read" {
				x.listen(uri)
				return
			}
			x.marks[x.request(protocol.RawRequest{Name: method, Body: jsonrpc.Raw(`{"uri":"` + uri + `"}`)}, client.RequestOptions{Timeout: lifecycle.NoTimeout})] = ""
		},
		"forge": rarely(x.forge),
		"wait": func(t *rapid.T) {
			x.pass(time.Duration(rapid.SampledFrom([]int{1, 50, 1000, 20_000}).Draw(t, "ms")) * time.Millisecond)
		},
	}
	acts["call more"] = acts["call"]
	acts["answer more"] = acts["answer"]
	acts["ask more"] = acts["ask"]
	return acts
}

// filters are those that a server may have: what it is asked for has to pass that of the moment.
var filters = []catalog.Filter{
	{}, {Deny: []catalog.Rule{{Kind: protocol.ToolList, Name: "*-slow"}}}, {Deny: []catalog.Rule{{Kind: protocol.ResourceList, Name: "zz:*"}}},
	{Allow: []catalog.Rule{{Name: "a*"}, {Name: "*://?"}}}, {Deny: []catalog.Rule{{}}}, {Allow: []catalog.Rule{{ReadOnly: protocol.Ptr(false)}}},
}

// keepsOut fails if a server is asked for what its Filter keeps out.
func (x *chaos) keepsOut(name string, m jsonrpc.Message) {
	i := slices.IndexFunc(x.defs, func(s relay.Server) bool { return s.Name == name })
	if i < 0 {
		return
	}
	f, kind, member := x.defs[i].Filter, protocol.ToolList, "name"
	switch m.Method {
	case "tools/call":
		if in, _ := protocol.ReadResponses(m.Body, m.Span); in != nil {
			return // it goes on, as one that a server with a session asks within
		}
	case "resources/read", "resources/subscribe":
		kind, member = protocol.ResourceList, "uri"
	default:
		return
	}
	raw, _ := rawjson.Get(string(m.Body), member)
	key, _ := rawjson.Unquote(raw)
	if f.Denies(kind, key, `{"name":"x"}`) || kind == protocol.ToolList && !f.Passes(kind, key, `{"name":"x"}`) {
		x.t.Fatalf("%s was asked for %s, which its Filter %+v keeps out", name, m.Body, f)
	}
}

// TestRandom drives a relay through whatever a client, servers, the network and the operator can
// do: each request ends exactly once, and nothing reaches anybody else.
func TestRandom(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		moves := rapid.Bool().Draw(rt, "moves")
		cfg := relay.Config{CallTimeout: 15 * time.Second, Naming: naming.Policy{OnLoss: rapid.SampledFrom([]naming.Loss{naming.Hide, naming.Keep}).Draw(rt, "loss")}}
		cfg.Held = relay.Held{Requests: 8, Time: 10 * time.Second}
		w := newWorld(t, names, config(cfg), func(w *world) { w.moves = moves }, resources, drawn(rt))
		w.t = rt
		x := &chaos{world: w, marks: map[client.Req]string{}, ends: map[client.Req]int{}, asks: map[string]string{}, given: map[string]int{}, seenS: map[string]int{}, defs0: w.defs,
			forged: map[string]string{}, listens: map[client.Req]string{}}
		w.watch, w.other = x.keepsOut, x.intercepts
		acts := x.actions()
		acts[""] = func(*rapid.T) { x.look() }
		rt.Repeat(acts)
		x.healed()
		for _, p := range x.peers {
			p.dead = true
		}
		x.pass(time.Hour)
		x.repliedAll()
		x.look()
		if len(x.forged) > 0 {
			rt.Fatalf("%d forged calls have no answer", len(x.forged))
		}
		for req, m := range x.marks {
			if x.ends[req] != 1 {
				rt.Fatalf("request %s ended %d times", m, x.ends[req])
			}
		}
		if n := x.s.Status(); n.Inbound != 0 || n.Outbound != 0 {
			rt.Fatalf("%d and %d requests are open at the end", n.Inbound, n.Outbound)
		}
	})
}
