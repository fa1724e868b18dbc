package gating_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/protocol"
)

// papers states the method table of 2025-06-18 from its pages. Phases are those in which
// the message is sent and in which it is served: u(ninitialized), i(nitializing), r(eady),
// s(hutting down). Marks: c(ancellable), p(aginated). Then params that are good, and some
// that are not.
const papers = `
initialize                            request client  -                      u    u     -   {"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"n","version":"1"}}  {"capabilities":{}}
ping                                  request both    -                      irs  uirs  c   {}  {"_meta":5}
tools/list                            request client  tools                  r    ir    cp  {}  {"cursor":5}
tools/call                            request client  tools                  r    ir    c   {"name":"t"}  {}
resources/list                        request client  resources              r    ir    cp  {}  {"cursor":[]}
resources/templates/list              request client  resources              r    ir    cp  {}  {"cursor":false}
resources/read                        request client  resources              r    ir    c   {"uri":"a:b"}  {"uri":5}
resources/subscribe                   request client  resources.subscribe    r    ir    c   {"uri":"a:b"}  {}
resources/unsubscribe                 request client  resources.subscribe    r    ir    c   {"uri":"a:b"}  {}
prompts/list                          request client  prompts                r    ir    cp  {}  {"cursor":{}}
prompts/get                           request client  prompts                r    ir    c   {"name":"p"}  {"name":"p","arguments":{"a":1}}
completion/complete                   request client  completions            r    ir    c   {"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}  {"ref":{"type":"x"}}
logging/setLevel                      request client  logging                r    ir    c   {"level":"info"}  {"level":"loud"}
roots/list                            request server  roots                  r    r     c   {}  {"_meta":[]}
sampling/createMessage                request server  sampling               r    r     c   {"messages":[],"maxTokens":1}  {"messages":[]}
elicitation/create                    request server  elicitation            r    r     c   {"message":"m","requestedSchema":{"type":"object","properties":{}}}  {"message":"m"}
notifications/initialized             note    client  -                      i    i     -   {}  {"_meta":5}
notifications/cancelled               note    both    -                      irs  uirs  -   {"requestId":77}  {}
notifications/progress                note    both    -                      uirs uirs  -   {"progressToken":77,"progress":1}  {}
notifications/roots/list_changed      note    client  roots.listChanged      r    r     -   {}  {"_meta":5}
notifications/message                 note    server  logging                ir   ir    -   {"level":"error","data":1}  {"level":"error"}
notifications/resources/updated       note    server  resources.subscribe    r    r     -   {"uri":"a:b"}  {}
notifications/resources/list_changed  note    server  resources.listChanged  r    r     -   {}  {"_meta":5}
notifications/tools/list_changed      note    server  tools.listChanged      r    r     -   {}  {"_meta":5}
notifications/prompts/list_changed    note    server  prompts.listChanged    r    r     -   {}  {"_meta":5}
x/custom                              request client  -                      r    ir    c   {"a":1}  []
x/ask                                 request server  -                      r    r     c   {"a":1}  []
`

// method is a line of papers.
type method struct {
	name          string
	request       bool
	sender        protocol.Party
	gate          protocol.Capability
	send, serve   protocol.Phases
	marks         string
	params, wrong string
	custom        bool
}

var phaseLetters = map[rune]protocol.Phase{
	'u': protocol.Uninitialized, 'i': protocol.Initializing, 'r': protocol.Ready, 's': protocol.ShuttingDown,
}

func phases(letters string) (set protocol.Phases) {
	for _, l := range letters {
		set |= protocol.PhaseSet(phaseLetters[l])
	}
	return set
}

// capability reads a name like resources.subscribe, which stands for resources too.
func capability(t testing.TB, name string) (set protocol.Capability) {
	if name == "-" {
		return 0
	}
	whole, _, part := strings.Cut(name, ".")
	for c := protocol.Capability(1); c.String() != ""; c <<= 1 {
		if c.String() == name || part && c.String() == whole {
			set |= c
		}
	}
	if set == 0 {
		t.Fatalf("no capability %q", name)
	}
	return set
}

// stated returns the methods of a revision, and the names that only others have.
func stated(t testing.TB, r protocol.Revision) (list []method, others []string) {
	for _, line := range strings.Split(strings.TrimSpace(papers), "\n") {
		f := strings.Fields(line)
		if len(f) != 9 {
			t.Fatalf("%d fields in %q", len(f), line)
		}
		m := method{
			name: f[0], request: f[1] == "request", gate: capability(t, f[3]), send: phases(f[4]), serve: phases(f[5]),
			marks: f[6], params: f[7], wrong: f[8], custom: strings.HasPrefix(f[0], "x/"),
		}
		m.sender = map[string]protocol.Party{"client": protocol.Client, "server": protocol.Server, "both": protocol.BothParties}[f[2]]
		switch r.String() { // what came with 2025-06-18 and 2025-03-26
		case "2024-11-05":
			if m.name == "completion/complete" {
				m.gate = 0
			}
			fallthrough
		case "2025-03-26":
			if m.name == "elicitation/create" {
				others = append(others, m.name)
				continue
			}
		}
		list = append(list, m)
	}
	return list, others
}

// The method table says what the papers say, and nothing else.
func TestTable(t *testing.T) {
	for _, r := range protocol.Revisions() {
		list, others := stated(t, r)
		names := map[string]bool{}
		for _, m := range list {
			if m.custom {
				continue
			}
			names[m.name] = true
			row := r.Row(protocol.MethodOf(m.name))
			if row == nil {
				t.Errorf("%v has no %s", r, m.name)
				continue
			}
			if row.Name() != m.name || row.Notification == m.request || row.Sender() != m.sender || row.Gate != m.gate ||
				row.Send != m.send || row.Serve != m.serve ||
				row.Cancellable != strings.Contains(m.marks, "c") || row.Paginated != strings.Contains(m.marks, "p") {
				t.Errorf("%v: %s is %+v, want %+v", r, m.name, row, m)
			}
			if row.Receiver != m.sender.Peer() && m.sender != protocol.BothParties || row.Receiver != m.sender && m.sender == protocol.BothParties {
				t.Errorf("%v: %s goes to %v", r, m.name, row.Receiver)
			}
		}
		for i := range protocol.MethodCount + 3 {
			row := r.Row(protocol.Method(i))
			if name := protocol.Method(i).String(); row != nil && (!names[name] || slices.Contains(others, name)) || row == nil && names[name] {
				t.Errorf("%v: a row for %q: %v", r, name, row)
			}
		}
	}
}
