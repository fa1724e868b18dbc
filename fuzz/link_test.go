package fuzz_test

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// FuzzLink runs a client and a server over a link that loses, repeats, reorders,
// truncates and corrupts messages, while time jumps, the applications act at random
// and snapshots may replace each end. After every step
// each State is sound, each request has ended at most once, ids ascend, and every sent message
// can be read. The program has a byte for each action, followed by its arguments.
func FuzzLink(f *testing.F) {
	f.Add([]byte{0, 1, 0, 1, 0, 0})
	f.Add([]byte("\x00\x01\x00\x01\x0a\x00\x00\x01\x0b\x01\x00\x00\x00"))
	f.Add(bytes.Repeat([]byte{0, 1, 10, 0, 9, 1, 11, 7, 3, 4, 2, 1, 0, 12, 13}, 12))
	f.Add(bytes.Repeat([]byte{0, 0, 1, 1, 0, 10, 3, 0, 1, 10, 17, 0, 1, 13, 1, 0, 8, 7, 40, 9, 0, 15, 3}, 8))
	sets := [2]*linkSetup{newLinkSetup(f), newLinkSetup(f, protocol.Revision20250326)} // the latter has batches
	f.Fuzz(func(t *testing.T, program []byte) {
		x := sets[len(program)&1]
		defer printed(t, x.recorded(program))
		x.start(t, program).run()
	})
}

// recorded runs a program with a Recorder for each end.
func (x *linkSetup) recorded(program []byte) func(failer) ([]*transcript.Recorder, func()) {
	return func(t failer) ([]*transcript.Recorder, func()) {
		l, s, c := x.start(t, program), x.config[server1].Server, x.config[client0].Client
		if len(s.Revisions) == 0 {
			s.Revisions, c.Revisions = protocol.Revisions(), protocol.Revisions() // the default
		}
		l.ends[client0].rec = transcript.NewRecorder(protocol.Client, transcript.ClientOptions(c), c.Revisions[0], epoch)
		l.ends[server1].rec = transcript.NewRecorder(protocol.Server, transcript.ServerOptions(s, x.items[0]), s.Revisions[0], epoch)
		return []*transcript.Recorder{l.ends[client0].rec, l.ends[server1].rec}, l.run
	}
}

func (l *link) run() {
	l.do(client0, verbs.Verb{Op: verbs.OpInitialize})
	for len(l.program) > 0 && l.steps < 400 {
		l.act()
	}
	l.finish()
}

const (
	client0 = iota // the ends, and the messages on their way to them
	server1
)

// linkSetup is shared by all runs.
type linkSetup struct {
	config  [2]verbs.Config // of the ends
	items   [2]server.Items // of the catalogs
	catalog [2]*server.Catalog
	first   [2]verbs.Machine
}

func newLinkSetup(f testing.TB, revisions ...protocol.Revision) *linkSetup {
	items := server.Items{
		Tools:   []protocol.Tool{{Name: "t", InputSchema: `{"type":"object","properties":{"n":{"type":"integer"}}}`}},
		Prompts: []protocol.Prompt{{Name: "p"}}, PageSize: 1,
		Resources: []protocol.Resource{{URI: "a:b/", Name: "b"}, {URI: "a:b/c", Name: "c"}},
	}
	var x linkSetup
	for i := range x.catalog {
		c, err := server.NewCatalog(items)
		if err != nil {
			f.Fatal(err)
		}
		x.items[i], x.catalog[i] = items, c
		items.Tools = append(slices.Clip(items.Tools), protocol.Tool{Name: "u", InputSchema: `{"type":"object"}`})
	}
	timeouts := lifecycle.Timeouts{Inbound: time.Minute, Request: 20 * time.Second, Human: 40 * time.Second, Maximum: 2 * time.Minute, Ping: 3 * time.Second}
	limits := lifecycle.Limits{Inbound: 4, Outbound: 5, Batch: 3, Subscriptions: 2, Text: 64, Schema: 256, Progress: lifecycle.Rate{PerSecond: 1, Burst: 3}}
	keep := lifecycle.Keepalive{Interval: 30 * time.Second, Misses: 2}
	x.config[server1] = verbs.Config{Party: lifecycle.Server, Server: server.Config{
		Info: who, Revisions: revisions, Catalog: x.catalog[0], Subscribe: true, Logging: true, ListChanged: protocol.CapToolsListChanged, ServeUnknown: true,
		Serve: []string{"tools/call", "resources/read", "prompts/get", "completion/complete"}, Timeouts: timeouts, Limits: limits, Keepalive: keep,
	}}
	asked, declared := []string{"sampling/createMessage", "elicitation/create"}, newerCaps
	if len(revisions) > 0 { // revisions without elicitation
		asked, declared = asked[:1], 0
	}
	x.config[client0] = verbs.Config{Party: lifecycle.Client, Client: client.Config{
		Info: who, Revisions: revisions, Serve: asked, Declare: declared, Roots: []protocol.Root{{URI: "file:///a"}},
		RootsListChanged: true, ServeUnknown: true, Timeouts: timeouts, Limits: limits, Keepalive: keep,
	}}
	for i, cfg := range x.config {
		m, err := cfg.New(epoch)
		if err != nil {
			f.Fatal(err)
		}
		x.first[i] = m
	}
	return &x
}

// link is one run.
type link struct {
	t       failer
	set     *linkSetup
	program []byte
	now     time.Time
	steps   int
	ends    [2]linkEnd
}

// linkEnd is one end, with the messages on their way to it.
type linkEnd struct {
	end
	inbox [][]byte
	old   verbs.Machine // an earlier State
	text  string        // its snapshot at that time
}

func (x *linkSetup) start(t failer, program []byte) *link {
	l := &link{t: t, set: x, program: program, now: epoch}
	for i, m := range x.first {
		l.ends[i] = linkEnd{end: newEnd(t, m, nil), old: m, text: string(m.Snapshot())}
	}
	return l
}

// next returns the next argument of the program.
func (l *link) next() int {
	if len(l.program) == 0 {
		return 0
	}
	b := l.program[0]
	l.program = l.program[1:]
	return int(b)
}

// do does a verb of end i, and queues what it sends.
func (l *link) do(i int, v verbs.Verb) {
	l.t.Helper()
	l.sent(i, l.ends[i].do(l.now, v))
}

func (l *link) sent(i int, out lifecycle.Output) {
	l.steps++
	for _, o := range out.Send {
		l.ends[1-i].inbox = append(l.ends[1-i].inbox, jsonrpc.Append(nil, o.Message))
	}
}

// act does one action of the program.
func (l *link) act() {
	op := l.next()
	i := op >> 4 & 1
	e := &l.ends[i]
	switch op & 15 {
	case 0, 1, 2, 3, 4, 5, 6:
		l.carry(i, op&15)
	case 7:
		l.now = l.now.Add(time.Millisecond << (l.next() % 40))
		l.sent(i, e.tick(l.now))
	case 8:
		if due, ok := e.m.NextDeadline(); ok {
			l.now = later(l.now, due)
			l.sent(i, e.tick(l.now))
		}
	case 9:
		l.restore(i)
	case 10:
		l.request(i)
	case 11, 12, 13:
		l.answer(i, op&15)
	case 14:
		l.tell(i)
	case 15:
		l.end(i)
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// carry damages what is on its way to end i, and delivers most of it.
func (l *link) carry(i, how int) {
	e := &l.ends[i]
	if len(e.inbox) == 0 {
		return
	}
	at := 0
	if how == 1 {
		at = l.next() % len(e.inbox)
	}
	data := e.inbox[at]
	if how != 3 { // 3 repeats the message
		e.inbox = slices.Delete(slices.Clone(e.inbox), at, at+1)
	}
	switch how {
	case 2:
		return
	case 4:
		data = slices.Clone(data)
		data[(l.next()|l.next()<<8)%len(data)] = byte(l.next())
	case 5:
		data = data[:(l.next()|l.next()<<8)%len(data)]
	case 6:
		other := data
		if len(e.inbox) > 0 && l.next()&1 == 0 {
			other, e.inbox = e.inbox[0], slices.Clone(e.inbox[1:])
		}
		data = slices.Concat([]byte{'['}, data, []byte{','}, other, []byte{']'})
	}
	l.sent(i, e.receive(l.now, data, jsonrpc.Decode(data)))
}

// restore replaces end i by its restored snapshot, and keeps the old State to check that it
// does not change.
func (l *link) restore(i int) {
	e, policy, options := &l.ends[i], lifecycle.Policy{}, []string(nil)
	text, cfg := e.m.Snapshot(), l.set.config[i]
	if l.steps%4 == 0 { // from here until the next time
		policy = lifecycle.Policy{PassThrough: true, KeepNulls: true, StrictInitialized: true}
		options = []string{"passThrough", "keepNulls", "strictInitialized"}
	}
	cfg.Server.Policy, cfg.Client.Policy = policy, policy
	next, err := cfg.Restore(text, l.now)
	if err != nil {
		l.t.Fatalf("%v: %s", err, text)
	}
	if e.rec != nil {
		e.rec.RestoredWith(l.now, next, options...)
	}
	inRange := l.now.Sub(epoch) < math.MaxInt64/2 // with a clock out of range, timeouts restart
	if i == client0 && inRange && string(next.Snapshot()) != string(text) {
		l.t.Fatalf("restored as\n%s\nfrom\n%s", next.Snapshot(), text)
	}
	if string(e.old.Snapshot()) != e.text {
		l.t.Fatalf("an old State has changed to\n%s\nfrom\n%s", e.old.Snapshot(), e.text)
	}
	e.old, e.text, e.m = e.m, string(text), next
	e.books.Loose = e.books.Loose || policy.PassThrough
	e.books.Restored(next)
	for j, c := range e.calls {
		e.calls[j] = next.Call(c.Seq(), c.Key())
	}
	for j, r := range e.reqs {
		e.reqs[j] = next.Req(r.Seq())
	}
	if err := next.Check(); err != nil {
		l.t.Fatal(err)
	}
}
