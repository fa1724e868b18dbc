package many

import (
	"fmt"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// verb takes the next State of a verb. A refusal is ignored: the client may have
// disconnected, or not support it.
func (p *process) verb(s server.State, out server.Output, err error) bool {
	if err != nil {
		return false
	}
	p.step(s, out)
	return true
}

// finish answers a call.
func (p *process) finish(call server.Call, r protocol.Result) {
	delete(p.jobs, call)
	p.verb(p.s.Respond(p.clock.now, call, r))
}

func (p *process) finishRaw(call server.Call, body jsonrpc.Raw) {
	p.finish(call, body)
}

// ask asks the client for the needs of an errand, within its call.
func (p *process) ask(ev server.Event, e errand) {
	req := protocol.RawRequest{Name: protocol.MethodRootsList}
	switch e.Do {
	case "sample":
		req = sampling(string(e.Mark) + " asks")
	case "elicit":
		req = elicitation(string(e.Mark) + " asks")
	}
	if p.s.Client(ev.Call).Revision.Stateless() {
		p.state++
		state := fmt.Sprintf("%s %d.%d", e.Mark, p.link.number, p.state)
		p.given[state] = e
		if s, out, err := p.s.Respond(p.clock.now, ev.Call, &protocol.InputRequired{Questions: []protocol.Question{{Key: "q", Params: req}}, State: state}); err == nil {
			delete(p.jobs, ev.Call)
			p.step(s, out)
		} else {
			p.finishRaw(ev.Call, p.result(ev.Method, e, "unasked"))
		}
		return
	}
	s, out, err := p.s.Request(p.clock.now, req, server.RequestOptions{Within: ev.Call})
	if err != nil {
		p.finishRaw(ev.Call, p.result(ev.Method, e, "unasked"))
		return
	}
	p.asks[out.Req] = ev.Call
	p.step(s, out)
}

func sampling(text string) protocol.RawRequest {
	return protocol.RawRequest{Name: protocol.MethodSamplingCreateMessage, Body: jsonrpc.Raw(fmt.Sprintf(
		`{"messages":[{"role":"user","content":{"type":"text","text":%q}}],"maxTokens":5}`, text))}
}

func elicitation(text string) protocol.RawRequest {
	return protocol.RawRequest{Name: protocol.MethodElicitationCreate, Body: jsonrpc.Raw(fmt.Sprintf(
		`{"message":%q,"requestedSchema":{"type":"object","properties":{"word":{"type":"string"}}}}`, text))}
}

// answered handles the answer of the client. It must be about the call that asked.
func (p *process) answered(ev server.Event, call server.Call) {
	e, open := p.jobs[call]
	if !open {
		e = errand{}
	}
	p.answers(e, string(ev.Body))
	if open {
		p.finishRaw(call, p.result(protocol.MethodToolsCall, e, fmt.Sprintf("after %s", ev.Kind)))
	}
}

// answers checks an answer of the client to a question of an errand; a cancelled question has none.
func (p *process) answers(e errand, text string) {
	for _, m := range marks(text) {
		if m != e.Mark && e.Mark != "" {
			p.link.net.fail("%s asked for %s and got an answer about %s", p.link.server, e.Mark, m)
		}
		if !m.of(p.link.net.party, p.link.server) {
			p.link.net.fail("%s of %s got an answer about %s", p.link.server, p.link.net.party, m)
		}
	}
}

// log writes a log message.
func (p *process) log(within server.Call, text string) {
	p.verb(p.s.Notify(p.clock.now, protocol.LoggingMessageParams{Level: protocol.LevelError, Data: protocol.StringValue(text)}, within))
}

// progress reports progress of an errand.
func (p *process) progress(call server.Call, e errand, n float64) {
	if _, open := p.jobs[call]; open && !p.dead {
		p.verb(p.s.Progress(p.clock.now, call, protocol.ProgressParams{Progress: n, Message: string(e.Mark)}))
	}
}

// chat lets the process send unrequested messages, repeatedly.
func (p *process) chat(t temper) {
	if !t.chatter.some() {
		return
	}
	p.clock.after(p.dice.span(t.chatter.low, t.chatter.high), func() {
		if p.dead || p.link.net.closing {
			return
		}
		p.remark()
		p.chat(t)
	})
}

// remark is an unrequested message of a process. All of its parts name the server.
func (p *process) remark() {
	if p.s.Phase() != lifecycle.Ready {
		return
	}
	text := fmt.Sprintf("<%s to %s #0>", p.link.net.party, p.link.server)
	switch p.dice.IntN(8) {
	case 0:
		p.log(server.Call{}, text)
	case 1:
		p.change()
	case 2:
		p.verb(p.s.Notify(p.clock.now, protocol.ResourceUpdatedParams{URI: pick(p.dice, p.shelf.uris())}, server.Call{}))
	case 3:
		p.verb(p.s.Request(p.clock.now, protocol.PingParams{}, server.RequestOptions{}))
	case 4:
		p.verb(p.s.Request(p.clock.now, sampling(text), server.RequestOptions{}))
	case 5:
		p.verb(p.s.Request(p.clock.now, elicitation(text), server.RequestOptions{}))
	case 6:
		p.verb(p.s.Request(p.clock.now, protocol.RawRequest{Name: protocol.MethodRootsList}, server.RequestOptions{}))
	case 7:
		for range 40 {
			p.log(server.Call{}, text)
		}
	}
}

// change changes the lists of the process.
func (p *process) change() {
	p.shelf = p.shelf.changed(p.dice)
	p.verb(p.s.SetCatalog(p.clock.now, p.shelf.catalog()))
}
