package headers

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

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

// member checks what every request within a session needs.
func (r Rules) member(h Head) *Refusal {
	switch {
	case r.NoSession:
	case h.Session == "":
		return Refuse(400, Session+" is missing")
	case !ValidSession(h.Session):
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
