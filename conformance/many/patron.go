package many

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// work lets the client send requests to a server, repeatedly.
func (p *patron) work(server string) {
	d := p.dices[server]
	wait := d.span(time.Millisecond, 400*time.Millisecond)
	if p.opt.Exact && p.clock.now.Equal(Origin) {
		wait += 5 * time.Second // until no lists are awaited
	}
	p.clock.after(wait, func() {
		if p.net.closing || p.gone {
			return
		}
		if p.c.Phase() == lifecycle.Ready {
			p.ask(server, d)
		}
		p.work(server)
	})
}

// ask sends a request to a server.
func (p *patron) ask(server string, d dice) {
	e := d.errand(newMark(p.party, server, p.numbers[server]+1))
	switch n := d.IntN(100); {
	case n < 55:
		body := fmt.Sprintf(`{"name":%q,"arguments":%s}`, p.qualified(server, workTool), e.with(oddJSON))
		p.request(server, protocol.RawRequest{Name: protocol.MethodToolsCall, Body: jsonrpc.Raw(body)}, e, d)
	case n < 60:
		e.Do = "answer"
		body := fmt.Sprintf(`{"name":%q,"arguments":{"mark":%q}}`, p.qualified(server, "ask"), e.Mark)
		p.request(server, protocol.RawRequest{Name: protocol.MethodPromptsGet, Body: jsonrpc.Raw(body)}, e, d)
	case n < 66:
		e.Do = "answer"
		body := fmt.Sprintf(`{"uri":%q,"_meta":{"mark":%q}}`, server+"+own:"+server, e.Mark)
		p.request(server, protocol.RawRequest{Name: protocol.MethodResourcesRead, Body: jsonrpc.Raw(body)}, e, d)
	case n < 70:
		e.Do = "answer"
		body := fmt.Sprintf(`{"ref":{"type":"ref/prompt","name":%q},"argument":{"name":"mark","value":%q}}`, p.qualified(server, "ask"), e.Mark)
		p.request(server, protocol.RawRequest{Name: protocol.MethodCompletionComplete, Body: jsonrpc.Raw(body)}, e, d)
	case n < 75:
		p.request(server, protocol.RawRequest{Name: server + "/ask", Body: e.arguments()}, e, d)
	case n < 80 && p.stateless():
		p.listen(server, d)
	case n < 80:
		method := pick(d, []string{protocol.MethodResourcesSubscribe, protocol.MethodResourcesUnsubscribe})
		p.request(server, protocol.RawRequest{Name: method, Body: jsonrpc.Raw(fmt.Sprintf(`{"uri":%q}`, server+"+own:"+server))}, errand{Do: "answer"}, d)
	case n < 95:
		p.giveUp(server, d)
	case n < 97 && !p.opt.Exact:
		r, s, eff, err := p.r.Restart(p.s, p.clock.now, server)
		if err != nil {
			if p.served(server) {
				p.fail("Restart of %s: %v", server, err)
			}
			return
		}
		p.count("restarted")
		p.effects(r, s, eff)
	case n < 98 && !p.opt.Exact:
		p.reload(server, d)
	}
}

// served reports whether the Relay has a server now.
func (p *patron) served(server string) bool {
	for _, s := range p.list {
		if s.Name == server {
			return true
		}
	}
	return false
}

// request sends a request of the client.
func (p *patron) request(server string, req protocol.RawRequest, e errand, d dice) {
	opt := client.RequestOptions{Progress: d.chance(60)}
	c, out, err := p.c.Request(p.clock.now, req, opt)
	if err != nil {
		if !errors.Is(err, lifecycle.ErrPhase) && !errors.Is(err, lifecycle.ErrCapability) {
			p.fail("%s of %s: %v", req.Name, p.party, err)
		}
		return
	}
	p.numbers[server]++
	o := &order{server: server, number: p.numbers[server], method: req.Name, e: e}
	p.open[out.Req], p.byMark[e.Mark] = o, o
	p.count("begun " + generic(req.Name))
	p.note(server, "%s: %d %s %s", p.party, o.number, req.Name, e.Do)
	number := out.Req
	bound, most := callTimeout+heldTime+time.Second, maximumTimeout+heldTime+time.Second
	if opt.Progress && (e.Do == "progress" || e.Do == "flood") {
		bound, most = bound+2*time.Second, most+2*time.Second
	}
	if p.opt.Eras { // a question without a session takes until the maximum
		bound = most
	}
	if p.stateless() {
		bound, most = longest, longest
	}
	latest := p.clock.now.Add(most)
	var look func(at time.Time)
	look = func(at time.Time) {
		p.clock.at(at, func() {
			if p.open[number] != o || p.gone {
				return
			}
			if due := p.people.due(server, p.clock.now, at, callTimeout+time.Second, latest); due.After(at) {
				look(due)
			} else {
				p.fail("%s: %s %s of %s has no answer after %v", p.party, o.method, o.e.Mark, server, at.Sub(latest.Add(-most)))
			}
		})
	}
	look(p.clock.now.Add(bound))
	p.stepClient(c, out)
}

// generic is a method without the name of the server.
func generic(method string) string {
	if strings.HasSuffix(method, "/ask") {
		return "custom"
	}
	return method
}

// giveUp cancels a request of the client.
func (p *patron) giveUp(server string, d dice) {
	var list []client.Req
	for info := range p.c.Outbound() {
		if o := p.open[info.Req]; o != nil && o.server == server && !o.gaveUp {
			list = append(list, info.Req)
		}
	}
	if len(list) == 0 {
		return
	}
	req := pick(d, list)
	p.open[req].gaveUp = true
	c, out, err := p.c.Cancel(p.clock.now, req, "no need")
	if err != nil {
		p.fail("Cancel: %v", err)
		return
	}
	p.count("cancelled")
	p.stepClient(c, out)
}

// heard handles events of the client.
func (p *patron) heard(ev client.Event) {
	for _, m := range marks(string(ev.Body)) {
		if !strings.HasPrefix(string(m), "<"+p.party+" to ") {
			p.fail("%s heard what is marked %s", p.party, m)
		}
	}
	switch ev.Kind {
	case lifecycle.ResponseReceived, lifecycle.RequestFailed:
		delete(p.listens, ev.Req)
		if o := p.open[ev.Req]; o != nil {
			delete(p.open, ev.Req)
			delete(p.byMark, o.e.Mark)
			p.judge(o, ev)
			if o.list != nil && ev.Kind == lifecycle.ResponseReceived {
				p.pageCame(o.list, ev)
			}
		}
	case lifecycle.ProgressReceived:
		p.progressed(ev)
	case lifecycle.RequestReceived:
		p.reply(ev)
	case lifecycle.RequestCancelled, lifecycle.RequestLost, lifecycle.RequestExpired:
		delete(p.asked, ev.Call.Seq())
		p.told(ev.Call.Seq())
	case lifecycle.Violation:
		p.fail("%s blames the relay: %s %s %.300s", p.party, ev.Rule, ev.Method, ev.Body)
	case lifecycle.NotificationReceived:
		p.count("heard " + ev.Method)
		if ev.Method == protocol.MethodResourcesUpdated {
			p.updated(ev)
		}
	}
}

// judge checks the outcome of a request of the client.
func (p *patron) judge(o *order, ev client.Event) {
	text := string(ev.Body)
	outcome := ev.Kind.String()
	if ev.Err != nil {
		text, outcome = ev.Err.Message, fmt.Sprintf("error %d", ev.Err.Code)
	}
	switch {
	case ev.Kind == lifecycle.RequestFailed && p.stateless() && tired(ev):
		p.count("asked for ever")
	case ev.Kind == lifecycle.RequestFailed && !o.gaveUp && !p.gone:
		p.fail("%s: %s %s ended with %v", p.party, o.method, o.e.Mark, ev.Cause)
	}
	p.count("ended " + generic(o.method) + ": " + outcome)
	p.note(o.server, "%s: %d %s ended: %s", p.party, o.number, o.method, outcome)
	p.marked(o.e.Mark, "ended", text)
	if ev.Kind != lifecycle.ResponseReceived || o.e.Mark == "" {
		return
	}
	switch {
	case ev.Err == nil && !strings.Contains(text, string(o.e.Mark)):
		p.fail("%s was answered %.300s", o.e.Mark, text)
	case ev.Err == nil && o.method == protocol.MethodToolsCall && strings.Contains(text, "done by") && !strings.Contains(text, oddJSON):
		p.fail("%s was answered %.300s, without %s", o.e.Mark, text, oddJSON)
	case ev.Err != nil && ev.Err.Code == -32050 && (o.e.Do != "refuse" || !strings.Contains(text, string(o.e.Mark))):
		p.fail("%s, which is to %s, ended with %v", o.e.Mark, o.e.Do, ev.Err)
	}
}

// progressed handles progress at the client.
func (p *patron) progressed(ev client.Event) {
	if o := p.open[ev.Req]; o != nil {
		p.run.progress(p.party+": ", o.server, o.number, o.e.Mark, &o.progress, ev.Body)
	} else {
		p.run.progress(p.party+": ", "", 0, "", nil, ev.Body)
	}
}

// told records that a question of a server has ended.
func (p *patron) told(seq uint64) {
	for _, name := range p.names {
		p.people.told(asked{manager.Link{Server: name}, seq}, p.clock.now)
	}
}

// reply answers a request that came from a server.
func (p *patron) reply(ev client.Event) {
	seq, said, d := ev.Call.Seq(), "", p.dice
	if found := marks(string(ev.Body)); len(found) > 0 {
		said = string(found[0])
		for _, name := range p.names {
			if found[0].of(p.party, name) {
				d = p.dices[name]
				if waitsForPeople(ev.Method) {
					p.people.asks(asked{manager.Link{Server: name}, seq})
				}
			}
		}
	}
	p.count("asked for " + ev.Method)
	silent := d.chance(10)
	if silent && !p.stateless() {
		return
	}
	p.asked[seq] = true
	wait := d.span(0, 300*time.Millisecond)
	if p.opt.Exact {
		wait = 20 * time.Millisecond // roots/list does not name its server
	}
	answer := func() {
		if !p.asked[seq] || p.gone {
			return
		}
		delete(p.asked, seq)
		p.told(seq)
		c, out, err := p.c.Respond(p.clock.now, ev.Call, reply(ev.Method, said))
		if err != nil {
			p.fail("the answer to %s: %v", ev.Method, err)
			return
		}
		p.stepClient(c, out)
		if !p.stateless() { // otherwise it is sent with the answers to all other questions
			p.net.replied(mark(said))
		}
	}
	if silent {
		p.ponder(ev, d, answer)
	} else {
		p.clock.after(wait, answer)
	}
}
