package relay_test

import (
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// drawn draws the eras of the client and of each server.
func drawn(rt *rapid.T) option {
	return func(w *world) {
		if rapid.Bool().Draw(rt, "stateless client") {
			statelessClient(w)
		}
		w.cc.Limits.Inbound, w.cfg.Manager.Client.Limits.Inbound = 100, 100
		if !rapid.Bool().Draw(rt, "stateless servers") {
			return
		}
		w.cfg.Manager.Client.Revisions = protocol.AllRevisions()
		for _, name := range names {
			w.peers[name].cfg.Revisions = rapid.SampledFrom([][]protocol.Revision{nil, protocol.AllRevisions(), protocol.StatelessRevisions()}).Draw(rt, "era of "+name)
		}
	}
}

// stateless reports whether the client has no session.
func (x *chaos) stateless() bool { return x.s.Revision().IsZero() }

// asksOf has a server ask something: by a request, or by the result of a call that it holds.
func (x *chaos) asksOf(t *rapid.T, p *peer, calls []server.Event, verb func(server.State, server.Output, error)) {
	m := x.mark()
	form := protocol.RawRequest{Name: protocol.MethodElicitationCreate, Body: jsonrpc.Raw(`{"message":"` + m + `","requestedSchema":{"type":"object","properties":{"mark":{"type":"string"}}}}`)}
	if p.s.Revision().IsZero() {
		if len(calls) == 0 {
			return
		}
		call := calls[rapid.IntRange(0, len(calls)-1).Draw(t, "call")].Call
		ask := &protocol.InputRequired{Questions: []protocol.Question{{Key: "a", Params: form}}, State: m}
		if rapid.Bool().Draw(t, "twice") {
			ask.Questions = append(ask.Questions, protocol.Question{Key: "b", Params: form})
		}
		x.asks[p.name+m] = m
		verb(p.s.Respond(x.now, call, ask))
		return
	}
	if p.s.Phase() != lifecycle.Ready {
		return
	}
	if !x.stateless() && rapid.Bool().Draw(t, "custom") {
		form = protocol.RawRequest{Name: "acme/ask", Body: jsonrpc.Raw(`{"mark":"` + m + `"}`)}
	}
	opt := server.RequestOptions{Timeout: lifecycle.NoTimeout}
	if len(calls) > 0 && rapid.Bool().Draw(t, "within") {
		opt.Within = calls[rapid.IntRange(0, len(calls)-1).Draw(t, "call")].Call
	}
	s, out, err := p.s.Request(x.now, form, opt)
	if err == nil {
		x.asks[p.name+out.Req.String()+fmt.Sprint(p.opens)] = m
		x.serve(p)(s, out)
	}
}

// madeAgain looks at a call that comes with answers: they are to what the server asked, and come once.
func (x *chaos) madeAgain(name string, body jsonrpc.Raw) {
	in, err := protocol.ReadResponses(body, jsonrpc.Span{})
	if err != nil {
		x.t.Fatal(err)
	}
	if in == nil {
		return
	}
	key := name + in.State
	if _, known := x.asks[key]; !known {
		x.t.Fatalf("%s did not ask for %s", name, body)
	}
	if x.given[key]++; x.given[key] > 1 {
		x.t.Fatalf("what %s asked is answered twice: %s", name, body)
	}
	for _, answer := range in.Results {
		if got := markOf(string(answer)); got != in.State {
			x.t.Fatalf("%s asked %s and got %s", name, in.State, answer)
		}
	}
}

// markOfCall returns the mark of a call, whatever else is in its params.
func markOfCall(body jsonrpc.Raw) string {
	raw, _ := rawjson.Get(string(body), "arguments")
	return markOf(raw)
}

// replied answers what the client was asked.
func (x *chaos) replied(ev client.Event) {
	m := markOf(string(ev.Body))
	answer := `{"mark":"` + m + `"}`
	if ev.Method == protocol.MethodElicitationCreate {
		answer = `{"action":"accept","content":` + answer + `}`
	}
	x.client(must(x.c.Respond(x.now, ev.Call, jsonrpc.Raw(answer))))
}

// repliedAll answers all that the client was asked, until nothing is.
func (x *chaos) repliedAll() {
	for _, ev := range x.got { // those that come meanwhile are behind
		for c := range x.c.Inbound() {
			if ev.Kind == lifecycle.RequestReceived && ev.Call == c.Call {
				x.replied(ev)
			}
		}
	}
}

// forge sends what the client has sent, or much like it, under another id. Whatever comes of it is of the same call.
func (x *chaos) forge(t *rapid.T) {
	var sent []string
	for _, line := range x.lines {
		if strings.HasPrefix(line, "client>relay ") && strings.Contains(line, `"requestState"`) {
			sent = append(sent, line[len("client>relay "):])
		}
	}
	if len(sent) == 0 {
		return
	}
	line := rapid.SampledFrom(sent).Draw(t, "line")
	body, _ := rawjson.Get(line, "params")
	m, forged := markOfCall(jsonrpc.Raw(body)), rapid.Bool().Draw(t, "forged")
	if forged {
		state := rawjson.Text(body, "requestState")
		hash, number, _ := strings.Cut(state, ".")
		state = rapid.SampledFrom([]string{"", "x", number, hash, hash + ".", "." + number, "1" + state, state + "1"}).Draw(t, "state")
		body = rawjson.Set(body, "requestState", string(rawjson.AppendQuote(nil, state)))
	}
	x.next++
	id := fmt.Sprintf("f%d", x.next)
	x.forged[id] = m
	line = rawjson.Set(rawjson.Set(line, "params", body), "id", `"`+id+`"`)
	x.later(func() { x.feed(jsonrpc.DecodeString(line)) })
}

// intercepts takes the answers to what the client itself did not send.
func (x *chaos) intercepts(m jsonrpc.Message) bool {
	id, _ := m.ID.Str()
	of, ours := x.forged[id]
	if !ours {
		return false
	}
	if m.Kind != jsonrpc.KindResult && m.Kind != jsonrpc.KindError {
		x.t.Fatalf("%v", m)
	}
	delete(x.forged, id)
	said := string(m.Body)
	if m.Err != nil {
		said = m.Err.Message
	}
	if kind := rawjson.Text(said, "resultType"); kind != protocol.ResultInputRequired && markOf(said) != "" && markOf(said) != of {
		x.t.Fatalf("the forged call %s got %s", of, said)
	}
	return true
}

// listen has a client without a session subscribe to resources.
func (x *chaos) listen(uri string) {
	p := protocol.ListenParams{Notifications: protocol.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{uri}}}
	req := x.request(p, noTimeout)
	x.marks[req], x.listens[req] = "", uri
}

// healed lets all servers come back, and looks whether the client hears of what it has subscribed to.
func (x *chaos) healed() {
	for _, name := range names {
		x.peers[name].dead = false
		x.speak(name)
	}
	r, s, eff, err := x.r.SetServers(x.s, x.now, x.defs0)
	if err != nil {
		x.t.Fatal(err)
	}
	x.defs = x.defs0
	x.relay(r, s, eff)
	x.marks[x.request(protocol.RawRequest{Name: "tools/list"}, client.RequestOptions{Timeout: lifecycle.NoTimeout})] = "" // which wakes what rests
	x.pass(5 * time.Minute)
	x.look()
	if text := string(x.r.Snapshot()); strings.Contains(text, `"parked"`) {
		x.t.Fatalf("after a long time calls are parked: %s", text)
	}
	x.repliedAll()
	for _, name := range names {
		uri, want := "own://"+name, 0
		for req, to := range x.listens {
			if to == uri && x.ends[req] == 0 {
				want++
			}
		}
		n, p := len(x.got), x.peers[name]
		if s, out, err := p.s.Notify(x.now, protocol.ResourceUpdatedParams{URI: uri}, server.Call{}); err == nil {
			x.serve(p)(s, out)
		}
		for _, ev := range x.got[n:] {
			if ev.Method == "notifications/resources/updated" && rawjson.Text(string(ev.Body), "uri") == uri {
				want--
			}
		}
		if want > 0 {
			x.t.Fatalf("%d subscriptions did not hear of %s\n%s", want, uri, strings.Join(x.lines[max(0, len(x.lines)-40):], "\n"))
		}
	}
	for req := range x.listens {
		if x.ends[req] == 0 {
			x.client(must(x.c.Cancel(x.now, req, "")))
		}
	}
	x.look()
}
