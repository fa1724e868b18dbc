package many

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// spoken are the supported revisions: only those with sessions, as nil means, or all.
func (o Options) spoken() []protocol.Revision {
	if o.Eras {
		return protocol.AllRevisions()
	}
	return nil
}

// era draws the revisions of a party, with its own dice: everything else is drawn as without.
func (o Options) era(of string) []protocol.Revision {
	if !o.Eras {
		return nil
	}
	return pick(newDice(o.Seed, "era of "+of), [][]protocol.Revision{nil, protocol.StatelessRevisions(), protocol.AllRevisions()})
}

// eras draws the eras of the servers.
func (r *run) eras() map[string][]protocol.Revision {
	m := map[string][]protocol.Revision{}
	for _, name := range r.names {
		m[name] = r.opt.era("server " + name)
	}
	return m
}

// madeAgain handles a repeated call with answers: they answer questions of this process, and arrive once.
func (p *process) madeAgain(ev server.Event, in *protocol.InputResponses) {
	e, asked := p.given[in.State]
	if !asked {
		p.link.net.fail("%s of %s is told what it did not ask: %.500s", p.link.server, p.link.net.party, ev.Body)
		return
	}
	delete(p.given, in.State)
	p.jobs[ev.Call] = e
	p.link.net.counts["made again"]++
	p.answers(e, string(in.Results["q"]))
	p.finishRaw(ev.Call, p.result(ev.Method, e, "after "+lifecycle.ResponseReceived.String()))
}

// asks reports whether a body is the result of a call that asks.
func asks(body protocol.Raw) bool {
	return rawjson.Text(string(body), "resultType") == protocol.ResultInputRequired
}

// stateless reports whether the client has no session.
func (p *patron) stateless() bool { return p.c.Revision().Stateless() }

// The longest time for which a client without a session waits before it answers a question anyway, or cancels
// the call; and how long a request of it may take in all.
const (
	longThought = 8 * time.Second
	longest     = 60 * time.Second
)

// ponder lets a client without a session answer a question late, or cancel its call: no one else can.
func (p *patron) ponder(ev client.Event, d dice, answer func()) {
	p.clock.after(d.span(callTimeout/2, longThought), func() {
		if !p.asked[ev.Call.Seq()] || p.gone {
			return
		}
		if d.chance(50) {
			p.count("answered late")
			answer()
			return
		}
		if o := p.open[ev.Req]; o != nil && !o.gaveUp {
			o.gaveUp = true
			c, out, err := p.c.Cancel(p.clock.now, ev.Req, "no answer")
			if err != nil {
				p.fail("Cancel of what asks: %v", err)
				return
			}
			p.count("given up while asking")
			p.stepClient(c, out)
		}
	})
}

// tired reports whether a request ended because its server kept asking.
func tired(ev client.Event) bool {
	return ev.Cause != nil && ev.Cause.Kind == lifecycle.CauseInvalidResponse && strings.Contains(fmt.Sprint(ev.Cause), "rounds of questions")
}

// forge sends a client's message with a requestState under another id, sometimes with another state: its effects
// belong to the same call.
func (p *patron) forge(text string) {
	body, _ := rawjson.Get(text, "params")
	state := rawjson.Text(body, "requestState")
	if !p.opt.Eras || p.opt.Exact || state == "" || !p.dice.chance(15) {
		return
	}
	m := markOfCall(body)
	if hash, number, _ := strings.Cut(state, "."); p.dice.chance(50) {
		forged := pick(p.dice, []string{"x", number, "." + number, hash + ".", "1" + state, state + "1"})
		body = rawjson.Set(body, "requestState", string(rawjson.AppendQuote(nil, forged)))
	}
	p.forgeries++
	id := fmt.Sprintf("forged %d", p.forgeries)
	p.forged[id] = m
	p.count("forged")
	text = rawjson.Set(rawjson.Set(text, "params", body), "id", string(rawjson.AppendQuote(nil, id)))
	p.clock.after(p.dice.span(0, 4*time.Second), func() {
		if !p.gone {
			p.fold(p.s.Receive(p.clock.now, jsonrpc.DecodeString(text)))
		}
	})
}

// markOfCall returns the mark that a call has in its arguments.
func markOfCall(params string) mark {
	raw, _ := rawjson.Get(params, "arguments")
	for _, m := range marks(raw) {
		return m
	}
	return ""
}

// intercepted handles the answer to a forged request, which the client does not know.
func (p *patron) intercepted(m jsonrpc.Message) bool {
	id, _ := m.ID.Str()
	of, ours := p.forged[id]
	if !ours {
		return false
	}
	delete(p.forged, id)
	text := string(m.Body)
	switch {
	case m.Err != nil:
		text = m.Err.Message
		p.count(fmt.Sprintf("forged: error %d", m.Err.Code))
	case asks(m.Body):
		p.count("forged: asks")
		return true // servers may ask questions within it that belong to no call
	default:
		p.count("forged: answered")
	}
	p.marked(of, "was forged, and ended", text)
	return true
}

// listen lets a client without a session subscribe to a resource of a server, or unsubscribe.
func (p *patron) listen(server string, d dice) {
	for req, of := range p.listens {
		if of != server {
			continue
		}
		delete(p.listens, req)
		if c, out, err := p.c.Cancel(p.clock.now, req, ""); err == nil {
			p.stepClient(c, out)
		}
		return
	}
	want := protocol.SubscriptionFilter{ToolsListChanged: d.chance(50), PromptsListChanged: d.chance(50), ResourceSubscriptions: []string{server + "+own:" + server}}
	c, out, err := p.c.Request(p.clock.now, protocol.ListenParams{Notifications: want}, client.RequestOptions{})
	if err != nil {
		if !errors.Is(err, lifecycle.ErrPhase) && !errors.Is(err, lifecycle.ErrCapability) && !errors.Is(err, lifecycle.ErrLimit) {
			p.fail("listen of %s: %v", p.party, err)
		}
		return
	}
	p.count("begun listen")
	p.listens[out.Req] = server
	p.stepClient(c, out)
}

// hearsNoMore ends all subscriptions.
func (p *patron) hearsNoMore() {
	for range len(p.listens) {
		for _, name := range p.names {
			for _, of := range p.listens {
				if of == name {
					p.listen(name, p.dice)
					break
				}
			}
		}
	}
}

// updated checks an update of a resource: someone must be subscribed to it.
func (p *patron) updated(ev client.Event) {
	uri := rawjson.Text(string(ev.Body), "uri")
	if of := p.listens[ev.Req]; p.stateless() && !ev.Req.IsZero() && of != "" && !strings.HasPrefix(uri, of+"+own:"+of) {
		p.fail("%s listens to %s, and heard of %s", p.party, of, uri)
	}
}
