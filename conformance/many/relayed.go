package many

import (
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// patron is a client in front of a Relay, with the Relay and its network.
type patron struct {
	*run
	party string
	net   *network
	c     client.State
	s     server.State
	r     relay.Relay
	base  server.Config
	rcfg  relay.Config
	list  []relay.Server // the Relay's present ones
	dice  dice
	dices map[string]dice // of the work on each server

	toServer, toClient time.Time // when the last message of each direction arrives
	gone               bool      // the client has disconnected
	wake, alarm        alarm     // of the client; of the State and the Relay
	numbers            map[string]int
	open               map[client.Req]*order
	byMark             map[mark]*order
	asked              map[uint64]bool // unanswered requests of the relay
	people             people
	tamper             tamper

	forged    map[string]mark       // by id, requests that the client did not send
	forgeries int                   // counts them
	listens   map[client.Req]string // the servers of the resource subscriptions of a client without a session
}

// order is an open request of a patron.
type order struct {
	server   string
	number   int
	method   string
	e        errand
	gaveUp   bool
	progress float64
	list     *listing // that it is a page of, or nil
}

// The times of relayed runs.
const (
	callTimeout = 3 * time.Second
	heldTime    = 2 * time.Second
)

// oddJSON is a text that passes unchanged only if it is not encoded again.
const oddJSON = `[1.0,1e2, "\u0041\/", {"b":0,"a" :-0}]`

// Relay runs several Relays in parallel, each for its own client, in front of
// servers of the same kinds.
func Relay(opt Options) (Report, error) { return runRelay(opt, tamper{}) }

func runRelay(opt Options, t tamper) (Report, error) {
	r := newRun("relay", opt)
	patrons := 1
	if !opt.Exact {
		patrons += r.dice.IntN(3)
	}
	var list []*patron
	for i := range patrons {
		p := newPatron(r, fmt.Sprintf("c%d", i))
		p.tamper = t
		list = append(list, p)
	}
	if r.err != nil {
		return r.done()
	}
	for _, p := range list {
		p.arrive()
	}
	r.until(Origin.Add(r.opt.Length))
	for _, p := range list {
		p.net.closing = true
		p.hearsNoMore()
	}
	r.until(r.clock.now.Add(callTimeout + heldTime + maximumTimeout + 5*time.Second))
	if r.opt.Eras { // clients without a session answer late
		r.until(r.clock.now.Add(longest))
	}
	for _, p := range list {
		p.quiet()
		p.leave()
	}
	r.drain(r.clock.now.Add(time.Hour))
	for _, p := range list {
		p.left()
	}
	return r.done()
}

func newPatron(r *run, party string) *patron {
	p := &patron{run: r, party: party, dice: newDice(r.opt.Seed, "patron "+party), dices: map[string]dice{},
		numbers: map[string]int{}, open: map[client.Req]*order{}, byMark: map[mark]*order{}, asked: map[uint64]bool{}, people: people{}, forged: map[string]mark{}, listens: map[client.Req]string{}}
	p.net = r.network(party, p)
	p.net.odd = oddJSON
	p.rcfg = relay.Config{
		Info: protocol.Implementation{Name: "relay", Version: "1"}, Manager: managerConfig(r.opt), Naming: naming.Policy{Names: naming.Always, URIs: naming.Always},
		CallTimeout: callTimeout, Held: relay.Held{Time: heldTime, Requests: 64}, Lists: relay.Lists{MinInterval: 300 * time.Millisecond},
	}
	p.rcfg.Manager.Client = client.Config{HashKey: [16]byte{2}, Revisions: r.opt.spoken()}
	if !r.opt.Exact {
		names := &p.rcfg.Naming
		names.Names = pick(p.dice, []naming.Qualify{naming.Auto, naming.Plain, naming.Always})
		names.OnConflict = pick(p.dice, []naming.Conflict{naming.Qualified, naming.Hidden})
		names.URIs = pick(p.dice, []naming.Qualify{naming.Plain, naming.Always})
		p.net.seeking = true // for a removed server
		names.OnLoss = pick(p.dice, []naming.Loss{naming.Hide, naming.Keep})
		p.rcfg.Lists.PageItems = p.dice.IntN(6)
	}
	for _, name := range r.names {
		p.dices[name] = newDice(r.opt.Seed, "work of "+party+" on "+name)
		p.rcfg.Routes = append(p.rcfg.Routes, relay.Route{Method: name + "/", Server: name})
		p.list = append(p.list, relay.Server{Name: name, Definition: "one", Options: manager.Options{Endpoint: p.net.endpoint(name), Resubscribe: true}})
	}
	var err error
	if p.base, err = p.rcfg.Server(server.Config{Info: p.rcfg.Info, HashKey: [16]byte{3}, Revisions: r.opt.spoken()}); err != nil {
		r.fail("Config.Server: %v", err)
		return p
	}
	if p.s, err = server.New(p.base, Origin); err != nil {
		r.fail("server.New: %v", err)
		return p
	}
	if p.r, err = relay.New(p.rcfg, p.list, Origin); err != nil {
		r.fail("relay.New: %v", err)
		return p
	}
	p.c, err = client.New(client.Config{
		Revisions: r.opt.era("client " + party),
		Info:      protocol.Implementation{Name: party, Version: "1"},
		Serve:     []string{protocol.MethodSamplingCreateMessage, protocol.MethodElicitationCreate, protocol.MethodRootsList},
		Declare:   protocol.CapElicitationForm | protocol.CapRootsListChanged, ServeUnknown: true, HashKey: [16]byte{4}, Policy: lifecycle.Policy{PassThrough: true},
		Timeouts: lifecycle.Timeouts{Request: lifecycle.NoTimeout, Maximum: lifecycle.NoTimeout},
	}, Origin)
	if err != nil {
		r.fail("client.New: %v", err)
	}
	return p
}

// arrive opens the client's session, and starts its work until the run closes.
func (p *patron) arrive() {
	if p.err != nil {
		return
	}
	s, out, err := p.c.Connect(p.clock.now, "")
	if err != nil {
		p.fail("Connect: %v", err)
		return
	}
	p.stepClient(s, out)
	for _, name := range p.names {
		p.work(name)
	}
	p.browse()
}

// leave ends the session of the client in one of the possible ways.
func (p *patron) leave() {
	if p.gone || p.err != nil {
		return
	}
	if p.dice.chance(50) {
		p.stepClient(p.c.Disconnected(p.clock.now, nil))
	}
	p.gone = true
	p.fold(p.s.Disconnected(p.clock.now, nil))
	p.effects(p.r.Close(p.s, p.clock.now))
}

// stepClient takes the next State of the client.
func (p *patron) stepClient(c client.State, out client.Output) {
	p.c = c
	p.report.Steps++
	if err := c.Check(); err != nil {
		p.fail("the client: %v", err)
	}
	for _, o := range out.Send {
		text := string(jsonrpc.Append(nil, o.Message))
		p.forge(text)
		p.carry(&p.toServer, func() { p.fold(p.s.Receive(p.clock.now, jsonrpc.DecodeString(text))) })
	}
	for _, ev := range out.Events {
		p.heard(ev)
	}
	p.wake.set(p.clock, c.NextDeadline, func() {
		if !p.gone {
			p.stepClient(p.c.Tick(p.clock.now))
		}
	})
}

// carry delivers a message at the other end of the session with the client.
func (p *patron) carry(last *time.Time, arrive func()) {
	at := p.clock.now.Add(2 * time.Millisecond)
	if !p.opt.Exact {
		at = p.clock.now.Add(p.dice.span(0, 20*time.Millisecond))
	}
	if at.Before(*last) {
		at = *last
	}
	*last = at
	p.clock.at(at, func() {
		if !p.gone {
			arrive()
		}
	})
}

// fold passes an Output of the session with the client to the Relay.
func (p *patron) fold(s server.State, out server.Output) { p.effects(p.r.Handle(s, p.clock.now, out)) }

// effects takes the next Relay, and does its Effects.
func (p *patron) effects(r relay.Relay, s server.State, eff relay.Effects) {
	p.r, p.s = r, s
	p.report.Steps++
	if err := s.Check(); err != nil {
		p.fail("the State below: %v", err)
	}
	if err := r.Check(s); err != nil {
		p.fail("Check: %v", err)
	}
	if p.tamper.effects != nil {
		p.tamper.effects(p.clock.now, &eff)
	}
	p.net.do(eff.Actions)
	for _, ev := range eff.Servers {
		if ev.Kind == manager.ServerChanged {
			p.count("now " + ev.To.String())
			p.note(ev.Link.Server, "%v to %v, again in %v", ev.From, ev.To, left(p.clock.now, ev.RetryAt))
		}
	}
	for _, o := range eff.Send {
		if p.intercepted(o.Message) {
			continue
		}
		text := string(jsonrpc.Append(nil, o.Message))
		p.carry(&p.toClient, func() { p.stepClient(p.c.Receive(p.clock.now, jsonrpc.DecodeString(text))) })
	}
	for _, ev := range eff.Events {
		if ev.Kind == lifecycle.RequestReceived {
			p.fail("the Relay leaves %s to others", ev.Method)
		}
		p.count("below " + ev.Kind.String())
	}
	if p.restores() && !p.gone {
		p.restore()
	}
	p.alarm.set(p.clock, p.due, func() {
		p.fold(p.s.Tick(p.clock.now))
		p.effects(p.r.Tick(p.s, p.clock.now))
		p.ticked(p.r.NextDeadline, p.s.NextDeadline)
	})
}

// due is the next deadline of the State or the Relay.
func (p *patron) due() (time.Time, bool) {
	at, ok := p.tamper.due(p.r.NextDeadline)()
	if own, some := p.s.NextDeadline(); some && (!ok || own.Before(at)) {
		return own, true
	}
	return at, ok
}

// restore replaces the State and the Relay by restored snapshots of them.
func (p *patron) restore() {
	data, below := p.tamper.data(p.r), p.s.Snapshot()
	s, err := server.Restore(p.base, below, p.clock.now)
	if err != nil {
		p.fail("Restore of the State below: %v", err)
		return
	}
	r, err := relay.Restore(p.rcfg, p.list, data, s, p.clock.now)
	if err != nil {
		p.fail("Restore: %v", err)
		return
	}
	p.restored(data, p.r, r, r.Check(s))
	p.r, p.s = r, s
}

// happened passes a report of the network to the Relay: an awaited answer reaches the
// client in the same step.
func (p *patron) happened(r manager.Report) bool {
	at, ok := p.r.NextDeadline()
	due := ok && !at.After(p.clock.now) // any step handles expired deadlines
	next, s, eff := p.r.Report(p.s, p.clock.now, r)
	p.effects(next, s, eff)
	return !due && len(eff.Send)+len(eff.Actions)+len(eff.Events)+len(eff.Servers) > 0
}

// qualified is the qualified name of an item of a server.
func (p *patron) qualified(server, name string) string { return naming.Form{}.ID(server, name) }

// quiet checks what remains after a long time without requests.
func (p *patron) quiet() {
	if p.err != nil || p.gone {
		return
	}
	for _, o := range p.open {
		p.fail("%s: %s %s of %s has not ended", p.party, o.method, o.e.Mark, o.server)
	}
	if len(p.forged) > 0 {
		p.fail("%s: %d forged requests have no answer", p.party, len(p.forged))
	}
	if text := string(p.r.Snapshot()); strings.Contains(text, `"parked"`) || strings.Contains(text, `"listens":[`) {
		p.fail("%s: something is parked, or listened to, after a long time: %.2000s", p.party, text)
	}
	p.net.idle()
}

// left looks for leftovers at the end.
func (p *patron) left() {
	if p.err != nil {
		return
	}
	p.over(p.party+": ", p.net, p.r.NextDeadline)
	if text := string(p.r.Snapshot()); strings.Contains(text, p.party+" to ") {
		p.fail("%s: the snapshot still has marks in the end: %.2000s", p.party, text)
	}
}
