package many

import (
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// process is one run of a server at the far end of a link: a real server.State with an
// application that does its errands, and what its temper makes it do.
type process struct {
	link  *link
	dice  dice
	clock *clock
	s     server.State
	shelf shelf // its lists
	jobs  map[server.Call]errand
	asks  map[server.Req]server.Call // its requests, by their calls
	state int                        // counts its questions without a session
	given map[string]errand          // the errands of its questions without a session, by the state
	alarm alarm
	mute  bool
	dead  bool
}

// start runs a process for a link.
func start(l *link) *process {
	t := l.net.tempers[l.server]
	p := &process{
		link: l, clock: l.net.clock, dice: newDice(l.net.seed, fmt.Sprintf("process %s %s %d", l.net.party, l.server, l.number)),
		jobs: map[server.Call]errand{}, asks: map[server.Req]server.Call{}, given: map[string]errand{},
	}
	p.shelf = newShelf(l.server, p.dice)
	cfg := server.Config{
		Info: protocol.Implementation{Name: l.server, Version: fmt.Sprint(l.number)}, Catalog: p.shelf.catalog(),
		Unlisted: true, Serve: []string{"tools/call", "resources/read", "prompts/get", "completion/complete", l.server + "/ask"},
		Subscribe: true, Logging: true,
		ListChanged: protocol.CapToolsListChanged | protocol.CapResourcesListChanged | protocol.CapPromptsListChanged,
		ChangeDelay: 10 * time.Millisecond, Policy: lifecycle.Policy{PassThrough: true},
		Timeouts: lifecycle.Timeouts{Request: 20 * time.Second, Human: 20 * time.Second},
	}
	cfg.Revisions = l.net.eras[l.server]
	if t.version && p.dice.chance(40) {
		cfg.Revisions = protocol.Revisions()[1:2]
	}
	s, err := server.New(cfg, p.clock.now)
	if err != nil {
		panic(err) // the Config is always valid
	}
	p.s = s
	p.mute = p.dice.chance(t.muteStart)
	if t.muteAfter.some() {
		p.clock.after(p.dice.span(t.muteAfter.low, t.muteAfter.high), func() { p.mute = true })
	}
	if t.dieAfter.some() {
		p.clock.after(p.dice.span(t.dieAfter.low, t.dieAfter.high), func() { p.die("of age") })
	}
	p.chat(t)
	return p
}

// receive handles a line of the client.
func (p *process) receive(text string) {
	if p.dead {
		return
	}
	p.step(p.s.Receive(p.clock.now, jsonrpc.DecodeString(text)))
}

// inputClosed handles the end of input: the process ends, unless it is stubborn.
func (p *process) inputClosed() {
	t := p.link.net.tempers[p.link.server]
	if p.dead || p.dice.chance(t.stubborn) {
		return
	}
	p.step(p.s.InputClosed(p.clock.now))
	p.clock.after(p.dice.span(t.lingering.low, t.lingering.high), func() { p.die("") })
}

// die ends the process, and thereby its link.
func (p *process) die(why string) {
	if p.dead {
		return
	}
	p.dead = true
	p.link.ended(why)
}

// step does what an Output requires.
func (p *process) step(s server.State, out server.Output) {
	p.s = s
	if err := s.Check(); err != nil {
		p.link.net.fail("server %s: %v", p.link.server, err)
	}
	for _, o := range out.Send {
		p.say(string(jsonrpc.Append(nil, o.Message)))
	}
	for _, ev := range out.Events {
		switch ev.Kind {
		case lifecycle.RequestReceived:
			p.take(ev)
		case lifecycle.RequestCancelled, lifecycle.RequestExpired, lifecycle.RequestLost:
			p.dropped(ev)
		case lifecycle.ResponseReceived, lifecycle.RequestFailed:
			if call, ok := p.asks[ev.Req]; ok {
				delete(p.asks, ev.Req)
				p.answered(ev, call)
			}
		}
	}
	if _, ok := s.NextDeadline(); ok { // otherwise an effect of its events has set it
		p.alarm.set(p.clock, s.NextDeadline, func() {
			if !p.dead {
				p.step(p.s.Tick(p.clock.now))
			}
		})
	}
	if out.Close != nil {
		p.die("its session is over")
	}
}

// say writes a line to the client.
func (p *process) say(text string) {
	if p.dead || p.mute {
		return
	}
	if p.dice.chance(p.link.net.tempers[p.link.server].garbage) {
		p.link.carryDown(pick(p.dice, rubbish))
	}
	p.link.carryDown(text)
}

// take begins to work on a request of the client.
func (p *process) take(ev server.Event) {
	e := errand{Do: "answer"}
	switch ev.Method {
	case protocol.MethodToolsCall:
		if params, err := protocol.Decode[protocol.CallToolParams](ev.Body); err == nil {
			e = readErrand(params.Arguments)
		}
	case p.link.server + "/ask":
		e = readErrand(ev.Body)
	}
	in, _ := protocol.ReadResponses(ev.Body, ev.Span)
	for _, m := range marks(string(ev.Body)) {
		anybody := p.link.net.seeking && ev.Method == protocol.MethodResourcesRead && strings.HasPrefix(string(m), "<"+p.link.net.party+" ")
		if !anybody && !m.of(p.link.net.party, p.link.server) {
			p.link.net.fail("%s of %s received what is marked %s: %s %.300s", p.link.server, p.link.net.party, m, ev.Method, ev.Body)
		}
		if strings.HasSuffix(string(m), " #0>") { // not an errand
			continue
		}
		e.Mark = m
		if in != nil { // of a repeated call, or of an answer
			continue
		}
		p.link.net.served[m]++
		if n := p.link.net.served[m]; n > 1 && !anybody && !p.link.net.unsafe[m] {
			p.link.net.fail("%s of %s received %s twice", p.link.server, p.link.net.party, m)
		}
	}
	if odd := p.link.net.odd; odd != "" && ev.Method == protocol.MethodToolsCall && !strings.Contains(string(ev.Body), odd) {
		p.link.net.fail("%s received %s, without %s", p.link.server, ev.Body, odd)
	}
	if in != nil {
		p.madeAgain(ev, in)
		return
	}
	p.jobs[ev.Call] = e
	p.prelude(ev, e)
	if e.Do != "mute" && !p.dead {
		p.clock.after(e.Wait, func() { p.perform(ev, e) })
	}
}

// dropped handles a cancelled call.
func (p *process) dropped(ev server.Event) {
	e, ok := p.jobs[ev.Call]
	delete(p.jobs, ev.Call)
	if ok && e.Do == "late" && ev.Kind == lifecycle.RequestCancelled {
		text := string(jsonrpc.Append(nil, jsonrpc.Message{Kind: jsonrpc.KindResult, ID: ev.ID, Body: p.result(ev.Method, e, "late")}))
		p.clock.after(e.Wait, func() { p.say(text) })
	}
}

// prelude is what the process does before the answer.
func (p *process) prelude(ev server.Event, e errand) {
	switch e.Do {
	case "garbage":
		for range e.Count {
			p.say(pick(p.dice, rubbish))
		}
	case "flood":
		for i := range 200 * e.Count {
			p.log(ev.Call, fmt.Sprintf("%s %d", e.Mark, i))
			p.progress(ev.Call, e, float64(i+1))
		}
	case "stranger":
		for _, text := range strangers {
			p.say(text)
		}
	case "change":
		p.change()
	case "progress":
		for i := range e.Count {
			p.clock.after(e.Wait*time.Duration(i)/time.Duration(e.Count), func() { p.progress(ev.Call, e, float64(i+1)) })
		}
	}
}

// perform answers a request, or asks what it needs for that.
func (p *process) perform(ev server.Event, e errand) {
	if _, open := p.jobs[ev.Call]; !open || p.dead {
		return
	}
	switch e.Do {
	case "die":
		p.die("in the middle of " + string(e.Mark))
	case "sample", "elicit", "roots":
		p.ask(ev, e)
	case "fail":
		p.finish(ev.Call, protocol.ErrorResult(string(e.Mark)+" failed"))
	case "refuse":
		delete(p.jobs, ev.Call)
		p.verb(p.s.Fail(p.clock.now, ev.Call, jsonrpc.Error{Code: -32050, Message: string(e.Mark) + " refused", Data: protocol.StringValue(string(e.Mark))}))
	case "wrong":
		p.finish(ev.Call, jsonrpc.Raw(fmt.Sprintf(`{"content":5,"mark":%q}`, e.Mark)))
	case "twice":
		body := p.result(ev.Method, e, "")
		p.finishRaw(ev.Call, body)
		p.say(string(jsonrpc.Append(nil, jsonrpc.Message{Kind: jsonrpc.KindResult, ID: ev.ID, Body: body})))
	case "big":
		p.finishRaw(ev.Call, p.result(ev.Method, e, strings.Repeat("x", 20_000)))
	default:
		p.finishRaw(ev.Call, p.result(ev.Method, e, ""))
	}
}

// result is the answer to an errand.
func (p *process) result(method string, e errand, more string) jsonrpc.Raw {
	text := fmt.Sprintf("%s done by %s %s", e.Mark, p.link.server, more)
	if p.link.net.odd != "" && method == protocol.MethodToolsCall {
		return jsonrpc.Raw(fmt.Sprintf(`{ "odd" : %s,"content":[{"text":%q , "type":"text"}]}`, p.link.net.odd, text))
	}
	switch method {
	case protocol.MethodResourcesRead:
		return encode(protocol.ReadResourceResult{Contents: []protocol.ResourceContents{protocol.TextResource("mark:"+p.link.server, "", text)}})
	case protocol.MethodPromptsGet:
		return encode(protocol.GetPromptResult{Messages: []protocol.PromptMessage{{Role: protocol.RoleUser, Content: protocol.TextContent(text)}}})
	case protocol.MethodCompletionComplete:
		return encode(protocol.CompleteResult{Completion: protocol.Completion{Values: []string{text}}})
	}
	return encode(*protocol.TextResult(text))
}

// encode writes a result.
func encode(r protocol.Result) jsonrpc.Raw {
	raw, err := protocol.EncodeResult(r)
	if err != nil {
		panic(err) // the results here are valid
	}
	return raw
}
