package headers

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// admit is Admit.
func (r Rules) admit(h Head) (Op, *Refusal) {
	if no := r.Guard(h); no != nil {
		return 0, no
	}
	op := r.op(h)
	if op == 0 {
		return 0, r.wrongMethod()
	}
	switch h.Repeated {
	case "":
	case ContentType:
		return 0, Refuse(415, "several Content-Type headers")
	default:
		return 0, Refuse(400, "several "+h.Repeated+" headers")
	}
	if op == OpPost {
		if !Accepts(h.Accept, JSON) || !Accepts(h.Accept, EventStream) {
			return 0, Refuse(406, "Accept has to list "+JSON+" and "+EventStream)
		}
		if !IsJSON(h.ContentType) {
			return 0, Refuse(415, "Content-Type has to be "+JSON)
		}
		return op, nil // what else it needs depends on the message
	}
	if op != OpEnd && !Accepts(h.Accept, EventStream) {
		return 0, Refuse(406, "Accept has to list "+EventStream)
	}
	if no := r.member(h); no != nil {
		return 0, no
	}
	return op, nil
}

// op returns what the request asks for, 0 if that is not served.
func (r Rules) op(h Head) Op {
	switch {
	case h.Method == MethodPost:
		return OpPost
	case h.Method == MethodGet && !r.NoListen:
		if h.LastEventID != "" {
			return OpResume
		}
		return OpListen
	case h.Method == MethodDelete && !r.NoEnd:
		return OpEnd
	}
	return 0
}

func (r Rules) wrongMethod() *Refusal {
	no := Refuse(405, "the method is not served here")
	no.Allow = MethodPost
	if !r.NoListen {
		no.Allow += ", " + MethodGet
	}
	if !r.NoEnd {
		no.Allow += ", " + MethodDelete
	}
	return no
}

// check is Check.
func (r Rules) check(h Head, m jsonrpc.Message) *Refusal {
	if m.Kind == jsonrpc.KindRequest && m.Method == string(protocol.MethodInitialize) {
		return nil
	}
	if m.Kind == jsonrpc.KindInvalid && h.Session == "" {
		return unreadable(m)
	}
	return r.member(h)
}

// member checks what every request within a session needs.
func (r Rules) member(h Head) *Refusal {
	if h.Session == "" {
		return Refuse(400, Session+" is missing")
	}
	if !ValidSession(h.Session) {
		return NoSession()
	}
	if h.HasVersion && !r.speaks(h.Version) {
		return r.unspoken()
	}
	return nil
}

// speaks reports whether the server speaks the revision of that name.
func (r Rules) speaks(version string) bool {
	rev, ok := protocol.ParseRevision(version)
	if !ok || len(r.Revisions) == 0 {
		return ok
	}
	for _, have := range r.Revisions {
		if have == rev {
			return true
		}
	}
	return false
}

// unspoken is the answer to a version that the server does not speak. It names those that it
// speaks.
func (r Rules) unspoken() *Refusal {
	list := r.Revisions
	if len(list) == 0 {
		list = protocol.Revisions()
	}
	data := []byte(`{"supported":[`)
	for i, rev := range protocol.SortRevisions(list) {
		if i > 0 {
			data = append(data, ',')
		}
		data = append(append(append(data, '"'), rev.String()...), '"')
	}
	no := Refuse(400, Version+" names a revision that this server does not speak")
	no.Err.Data = jsonrpc.Raw(append(data, "]}"...))
	return no
}

// unreadable is the answer to a text that is no message.
func unreadable(m jsonrpc.Message) *Refusal {
	no := Refuse(400, m.Fault.String())
	switch m.Fault {
	case jsonrpc.FaultSyntax, jsonrpc.FaultUTF8, jsonrpc.FaultTrailing:
		no.Err.Code = jsonrpc.CodeParseError
	}
	return no
}
