package many

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// user is a machine with links, as a driver sees it. happened reports whether a
// message had an effect.
type user interface {
	happened(r manager.Report) (something bool)
}

// network does the Actions of one machine in a simple way: links in memory whose far ends
// are processes.
type network struct {
	clock   *clock
	seed    uint64
	eras    map[string][]protocol.Revision // of the servers
	party   string                         // the name of the machine, for the marks
	tempers map[string]temper
	links   map[manager.Link]*link
	numbers map[string]int // how many links each server had
	user    user
	fail    func(format string, args ...any)
	note    func(server, text string)
	odd     string        // a text that must pass unchanged, in arguments and in results
	seeking bool          // the server of an unlisted uri is found by asking all
	unsafe  map[mark]bool // which errands may be repeated
	served  map[mark]int  // how often each errand has arrived at a server
	closing bool          // the run is ending: processes are quiet
	counts  map[string]int
}

// link is one connection.
type link struct {
	net    *network
	id     manager.Link
	server string
	number int // of the links to this server
	dice   dice
	proc   *process
	reqs   map[jsonrpc.ID]client.Req // requests of the machine, by their ids
	lastID jsonrpc.ID                // of the last of them

	opening, open, closing, killed, over bool
	up, down                             time.Time // when the last message of each direction arrives
}

// The errors of links.
var (
	errRefused = errors.New("many: connection refused")
	errLost    = errors.New("many: message lost")
	errDied    = errors.New("many: process died")
)

// do does the actions of a machine.
func (n *network) do(actions []manager.Action) {
	for _, a := range actions {
		l := n.links[a.Link]
		n.counts[fmt.Sprint(a.Kind)]++
		if a.Kind != manager.ActSend {
			n.note(a.Link.Server, fmt.Sprintf("%s: %v", n.party, a.Kind))
		}
		switch a.Kind {
		case manager.ActOpen:
			if l != nil {
				n.fail("%v is opened twice", a.Link)
				return
			}
			n.open(a)
		case manager.ActSend:
			switch {
			case l == nil || !l.open || l.closing || l.killed:
				n.fail("%v: a message for a link that is not open: %s", a.Link, jsonrpc.Append(nil, a.Out.Message))
				return
			case l.over: // its end is not known to the machine yet, or this is the step that tells it
				continue
			}
			n.note(l.server, fmt.Sprintf("%s is sent %v %s", n.party, a.Out.Message.Kind, a.Out.Message.Method))
			l.carryUp(a.Out)
		case manager.ActClose:
			if l == nil || l.closing || l.killed {
				n.fail("%v: close of a link that is not open", a.Link)
				return
			}
			l.close()
		case manager.ActKill:
			if l == nil || l.killed {
				n.fail("%v: kill of a link that is not there", a.Link)
				return
			}
			l.kill()
		default:
			n.fail("%v: no such action: %v", a.Link, a.Kind)
		}
	}
}

// open begins to open a link.
func (n *network) open(a manager.Action) {
	server := a.Link.Server
	if a.Endpoint != n.endpoint(server) {
		n.fail("%v: the endpoint is %v", a.Link, a.Endpoint)
	}
	n.numbers[server]++
	l := &link{net: n, id: a.Link, server: server, number: n.numbers[server], opening: true, reqs: map[jsonrpc.ID]client.Req{}}
	l.dice = newDice(n.seed, fmt.Sprintf("link %s %s %d", n.party, server, l.number))
	n.links[a.Link] = l
	t := n.tempers[server]
	hangs, refused, wait := l.dice.chance(t.hangs), l.dice.chance(t.refuses), l.dice.span(t.open.low, t.open.high)
	if hangs {
		return
	}
	n.clock.after(wait, func() {
		if !l.opening || l.closing || l.killed {
			return
		}
		l.opening = false
		if refused {
			l.end()
			n.user.happened(manager.Report{Kind: manager.OpenFailed, Link: l.id, Err: errRefused})
			return
		}
		l.open = true
		l.proc = start(l)
		n.user.happened(manager.Report{Kind: manager.Opened, Link: l.id})
	})
}

// endpoint returns the endpoint of a server.
func (n *network) endpoint(server string) any { return "way to " + server }

// carryUp sends a message of the machine to the process.
func (l *link) carryUp(o lifecycle.Outgoing) {
	text := string(jsonrpc.Append(nil, o.Message))
	t := l.net.tempers[l.server]
	if o.Message.Kind == jsonrpc.KindRequest {
		l.lastID = o.Message.ID.Clone()
		l.reqs[l.lastID] = o.Req
	}
	at := l.arrival(&l.up, t)
	if l.dice.chance(t.loss) {
		if l.dice.chance(50) && !o.Req.IsZero() && o.Message.Kind == jsonrpc.KindRequest {
			l.net.clock.at(at, func() {
				if !l.over && !l.killed {
					l.net.counts["send failed"]++
					l.net.user.happened(manager.Report{Kind: manager.SendFailed, Link: l.id, Req: o.Req, Err: errLost})
				}
			})
		}
		return
	}
	l.net.clock.at(at, func() {
		if !l.over {
			l.proc.receive(text)
		}
	})
}

// carryDown sends a line of the process to the machine.
func (l *link) carryDown(text string) {
	if l.over {
		return
	}
	t := l.net.tempers[l.server]
	at := l.arrival(&l.down, t)
	m := jsonrpc.DecodeString(text)
	if l.dice.chance(t.loss) {
		req, known := l.reqs[m.ID]
		if l.dice.chance(50) && known && (m.Kind == jsonrpc.KindResult || m.Kind == jsonrpc.KindError) {
			l.net.clock.at(at, func() {
				if !l.over && !l.killed {
					l.net.counts["response lost"]++
					l.net.user.happened(manager.Report{Kind: manager.ResponseLost, Link: l.id, Req: req, Err: errLost})
				}
			})
		}
		return
	}
	l.net.clock.at(at, func() {
		if !l.killed && !l.over {
			l.net.user.happened(manager.Report{Kind: manager.Received, Link: l.id, Message: m})
		}
	})
}

// arrival returns the arrival time of a message sent now: not before the previous one.
func (l *link) arrival(last *time.Time, t temper) time.Time {
	at := l.net.clock.now.Add(l.dice.span(t.delay.low, t.delay.high))
	if at.Before(*last) {
		at = *last
	}
	*last = at
	return at
}

// close ends the input of the process, after the messages under way.
func (l *link) close() {
	l.closing = true
	if l.opening { // no process yet: the dial ends
		l.opening = false
		l.net.clock.after(0, func() { l.report(nil) })
		return
	}
	l.net.clock.at(l.arrival(&l.up, l.net.tempers[l.server]), func() {
		if l.proc != nil && !l.over {
			l.proc.inputClosed()
		}
	})
}

// kill ends the link and the process at once.
func (l *link) kill() {
	l.killed, l.opening = true, false
	if l.proc != nil {
		l.proc.dead = true
	}
	if l.over {
		return
	}
	l.end()
	if l.dice.chance(50) { // a driver may report it or not
		l.net.clock.after(l.dice.span(0, 100*time.Millisecond), func() { l.net.user.happened(manager.Report{Kind: manager.Ended, Link: l.id}) })
	}
}

// ended handles the end of the process. The machine learns of it after the messages under way
// to it, and may later still get delayed ones.
func (l *link) ended(why string) {
	t := l.net.tempers[l.server]
	var cause error
	if why != "" && !l.closing {
		cause = fmt.Errorf("%w: %s", errDied, why)
	}
	l.net.clock.at(l.arrival(&l.down, t), func() { l.report(cause) })
}

// report reports the end of the link to the machine, once.
func (l *link) report(cause error) {
	if l.over || l.killed {
		return
	}
	l.end()
	l.net.user.happened(manager.Report{Kind: manager.Ended, Link: l.id, Err: cause})
	if l.proc != nil && l.dice.chance(l.net.tempers[l.server].ghosts) {
		l.net.clock.after(l.dice.span(0, 2*time.Second), l.ghost)
	}
}

// end marks the link as ended.
func (l *link) end() {
	l.over, l.open = true, false
	if l.proc != nil {
		l.proc.dead = true
	}
}

// ghost delivers a message of the dead process, which must have no effect.
func (l *link) ghost() {
	l.net.counts["ghosts"]++
	late := jsonrpc.Message{Kind: jsonrpc.KindResult, ID: l.lastID, Body: `{"content":[]}`}
	if l.net.user.happened(manager.Report{Kind: manager.Received, Link: l.id, Message: late}) {
		l.net.fail("%v: an answer that came after the end of its link had an effect", l.id)
	}
}

// alive returns the links that are neither ended nor killed.
func (n *network) alive() (list []manager.Link) {
	for id, l := range n.links {
		if !l.over && !l.killed {
			list = append(list, id)
		}
	}
	slices.SortFunc(list, func(a, b manager.Link) int { return cmp.Compare(a.Epoch, b.Epoch) })
	return list
}

// idle checks the processes after a long time without requests: none
// works on anything.
func (n *network) idle() {
	for _, id := range n.alive() {
		l := n.links[id]
		if l.proc == nil || l.proc.mute || n.tempers[l.server].loss > 0 {
			continue
		}
		for _, e := range l.proc.jobs {
			n.fail("%s: %v still works on %s, and nobody waits for it", n.party, id, e.Mark)
		}
	}
}

// replied records that the application has answered a server's question for an errand: the
// answer must arrive soon, if the server still waits for it.
func (n *network) replied(m mark) {
	for _, server := range slices.Sorted(maps.Keys(n.tempers)) {
		t := n.tempers[server]
		if !m.of(n.party, server) || t.loss > 0 {
			continue
		}
		n.clock.after(t.delay.high+100*time.Millisecond, func() {
			for _, id := range n.alive() {
				l := n.links[id]
				if l.server != server || l.proc == nil || l.closing {
					continue
				}
				for _, call := range l.proc.asks {
					if l.proc.jobs[call].Mark == m {
						n.fail("%v asked for %s, its client has answered, and it has not heard", id, m)
					}
				}
			}
		})
	}
}
