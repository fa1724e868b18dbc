package verbs

import (
	"fmt"
	"strings"

	"github.com/sansmcp/mcp/protocol"
)

// methods states the methods of 2025-11-25 from the pages of the specification, once for
// all tests and independently of the tables of the product; Methods removes what an older
// revision does not have. A line is: name, kind, sender, capability of the answering side or of
// the sender of a notification, the phases in which the message is sent and in which it is served, marks, valid
// params, invalid params, and a valid result. A capability after @ is one of the receiver of a notification.
// Phases are u(ninitialized), i(nitializing), r(eady) and s(hutting down). Marks are
// c(ancellable), p(aginated), b(are: params may be absent) and a(nswered by the
// application).
const methods = `
initialize                            request client  -                      u    u     -    {"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"n","version":"1"}}  {"capabilities":{}}  {"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"n","version":"1"}}
ping                                  request both    -                      irs  uirs  cb   {}  {"_meta":5}  {}
tools/list                            request client  tools                  r    ir    cpb  {}  {"cursor":5}  {"tools":[]}
tools/call                            request client  tools                  r    ir    ca   {"name":"t"}  {}  {"content":[]}
resources/list                        request client  resources              r    ir    cpb  {}  {"cursor":[]}  {"resources":[]}
resources/templates/list              request client  resources              r    ir    cpb  {}  {"cursor":false}  {"resourceTemplates":[]}
resources/read                        request client  resources              r    ir    ca   {"uri":"a:b"}  {"uri":5}  {"contents":[]}
resources/subscribe                   request client  resources.subscribe    r    ir    c    {"uri":"a:b"}  {}  {}
resources/unsubscribe                 request client  resources.subscribe    r    ir    c    {"uri":"a:b"}  {}  {}
prompts/list                          request client  prompts                r    ir    cpb  {}  {"cursor":{}}  {"prompts":[]}
prompts/get                           request client  prompts                r    ir    ca   {"name":"p"}  {"name":"p","arguments":{"a":1}}  {"messages":[]}
completion/complete                   request client  completions            r    ir    ca   {"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}  {"ref":{"type":"x"}}  {"completion":{"values":[]}}
logging/setLevel                      request client  logging                r    ir    c    {"level":"info"}  {"level":"loud"}  {}
roots/list                            request server  roots                  r    r     cb   {}  {"_meta":[]}  {"roots":[]}
sampling/createMessage                request server  sampling               r    r     ca   {"messages":[],"maxTokens":1}  {"messages":[]}  {"role":"assistant","content":{"type":"text","text":""},"model":"m"}
elicitation/create                    request server  elicitation            r    r     ca   {"message":"m","requestedSchema":{"type":"object","properties":{}}}  {"message":"m"}  {"action":"decline"}
notifications/initialized             note    client  -                      i    i     b    {}  {"_meta":5}  -
notifications/cancelled               note    both    -                      irs  uirs  -    {"requestId":77}  {}  -
notifications/progress                note    both    -                      uirs uirs  -    {"progressToken":77,"progress":1}  {}  -
notifications/roots/list_changed      note    client  roots.listChanged      r    r     b    {}  {"_meta":5}  -
notifications/message                 note    server  logging                ir   ir    -    {"level":"error","data":1}  {"level":"error"}  -
notifications/resources/updated       note    server  resources.subscribe    r    r     -    {"uri":"a:b"}  {}  -
notifications/resources/list_changed  note    server  resources.listChanged  r    r     b    {}  {"_meta":5}  -
notifications/tools/list_changed      note    server  tools.listChanged      r    r     b    {}  {"_meta":5}  -
notifications/prompts/list_changed    note    server  prompts.listChanged    r    r     b    {}  {"_meta":5}  -
notifications/elicitation/complete    note    server  @elicitation.url       r    r     -    {"elicitationId":"e"}  {}  -
`

// Method is a method as the specification states it.
type Method struct {
	Name        string              // as on the wire
	Request     bool                // otherwise a notification
	Sender      protocol.Party      // who may send it
	Gate        protocol.Capability // of the side that answers a request or sends a notification; resources.subscribe includes resources
	Needs       string              // the same as a member of capabilities, or ""
	Requires    protocol.Capability // of the receiver of a notification
	Send, Serve protocol.Phases     // of the sender, of the receiver
	Cancellable bool                // by notifications/cancelled
	Paginated   bool                // with cursor and nextCursor
	Bare        bool                // params may be absent
	App         bool                // the application answers it, not the State
	Params      string              // valid ones
	Wrong       string              // invalid ones
	Result      string              // a valid one, "" for a notification
}

// Methods returns the methods of a revision, and the names that only others have. It
// panics for an invalid table.
func Methods(r protocol.Revision) (list []Method, others []string) {
	for _, line := range strings.Split(strings.TrimSpace(methods), "\n") {
		m := method(line)
		since := map[string]string{"elicitation/create": "2025-06-18", "notifications/elicitation/complete": "2025-11-25"}[m.Name]
		if r.String() < since {
			others = append(others, m.Name)
			continue
		}
		if m.Name == "completion/complete" && r.String() == "2024-11-05" {
			m.Gate, m.Needs = 0, ""
		}
		list = append(list, m)
	}
	return list, others
}

// method reads a line of the table.
func method(line string) Method {
	f := strings.Fields(line)
	if len(f) != 10 {
		panic(fmt.Sprintf("verbs: %d fields in %q", len(f), line))
	}
	mark := func(letter string) bool { return strings.Contains(f[6], letter) }
	m := Method{
		Name: f[0], Request: f[1] == "request", Send: phases(f[4]), Serve: phases(f[5]),
		Sender:      map[string]protocol.Party{"client": protocol.Client, "server": protocol.Server, "both": protocol.BothParties}[f[2]],
		Cancellable: mark("c"), Paginated: mark("p"), Bare: mark("b"), App: mark("a"),
		Params: f[7], Wrong: f[8],
	}
	if m.Request {
		m.Result = f[9]
	}
	if told, ok := strings.CutPrefix(f[3], "@"); ok {
		m.Requires, _ = capability(told)
	} else {
		m.Gate, m.Needs = capability(f[3])
	}
	return m
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

// capability reads a name like resources.subscribe.
func capability(name string) (set protocol.Capability, member string) {
	if name == "-" {
		return 0, ""
	}
	whole, part, parted := strings.Cut(name, ".")
	for c := protocol.Capability(1); c.String() != ""; c <<= 1 {
		if c.String() == name || parted && c.String() == whole {
			set |= c
		}
	}
	if set == 0 {
		panic(fmt.Sprintf("verbs: no capability %q", name))
	}
	if parted {
		return set, fmt.Sprintf(`%q:{%q:true}`, whole, part)
	}
	return set, fmt.Sprintf(`%q:{}`, name)
}
