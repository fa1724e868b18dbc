package headers

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// Guard checks Host and Origin (HTTP-216), which every request to a server must pass. A
// request that fails gets status 403 (HTTP-101).
//
// A browser sends some requests without Origin, such as a GET for an image. So Guard also
// refuses a request without Origin if its Sec-Fetch-Site is cross-site or same-site: a page of
// another origin makes it. Browsers send that header to https and to loopback addresses, other
// clients do not send it. An allowed Origin passes whatever Sec-Fetch-Site says. AnyOrigin turns
// both checks off.
func (r Rules) Guard(h Head) *Refusal {
	if h.Repeated == Origin {
		return Refuse(403, "several Origin headers")
	}
	if !r.AnyHost && !r.host(h.Host) {
		return Refuse(403, "the Host is not one of this server")
	}
	if r.AnyOrigin {
		return nil
	}
	if h.HasOrigin && !r.origin(h) || !h.HasOrigin && foreign(h.FetchSite) {
		return Refuse(403, "the Origin may not use this server")
	}
	return nil
}

// Admit checks a request before its body is read. It begins with
// Guard. The status of a refusal is 400 for a repeated header (415 for Content-Type), a GET or DELETE without a session
// id (HTTP-044) or with a version that the server does not speak (HTTP-053); 404 for an
// invalid session id; 405 for another method, and for GET and DELETE with a version
// without sessions; 406 for an Accept without the type of the answer; 415 for a body that is
// compressed or not JSON. A missing Accept accepts everything. The Accept of a POST must list both
// types (HTTP-007); if it accepts only JSON, the request is admitted, and the answer cannot be a
// stream.
func (r Rules) Admit(h Head) (Op, *Refusal) {
	if no := r.Guard(h); no != nil {
		return 0, no
	}
	if r.stateless(h) {
		r.NoListen, r.NoEnd = true, true // HTTP-210
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
		if !Accepts(h.Accept, JSON) {
			return 0, Refuse(406, "Accept has to list "+JSON+" and "+EventStream)
		}
		if !IsJSON(h.ContentType) {
			return 0, Refuse(415, "Content-Type has to be "+JSON)
		}
		if h.Encoding != "" && !strings.EqualFold(trim(h.Encoding), "identity") {
			return 0, Refuse(415, "the body must not be compressed")
		}
		return op, nil // the other needs depend on the message
	}
	if op != OpEnd && !Accepts(h.Accept, EventStream) {
		return 0, Refuse(406, "Accept has to list "+EventStream)
	}
	if no := r.member(h); no != nil {
		return 0, no
	}
	return op, nil
}

// Check checks the head of a POST against the message in its body. initialize opens a
// session, so it needs no session id and its version is not checked. Every other message
// needs a session id (400 without one, HTTP-044; 404 for an invalid one) and, if it
// names a version, one that the server speaks and that has sessions (400, HTTP-053). The version may
// be absent or differ from the negotiated one, which applies (HTTP-052). Check refuses a text that
// is not a message and has no session with 400 and the error of its fault, and likewise one with
// more text after the message.
//
// The caller knows whether the session exists: if not, it answers with NoSession.
func (r Rules) Check(h Head, m jsonrpc.Message) *Refusal {
	if m.Kind == jsonrpc.KindRequest && m.Method == protocol.MethodInitialize {
		return nil
	}
	invalid := m.Kind == jsonrpc.KindInvalid
	if invalid && (h.Session == "" || r.stateless(h)) {
		return unreadable(m)
	}
	if no := r.member(h); no != nil || !invalid {
		return no
	}
	if r.NoSession || m.Fault == jsonrpc.FaultTrailing {
		return unreadable(m)
	}
	return nil
}

// op returns what the request asks for, 0 if the server does not offer it.
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
	case r.stateless(h):
		return Refuse(400, "the revision of "+Version+" has requests and notifications without a session alone")
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

// speaks reports whether the server speaks the revision with that name.
func (r Rules) speaks(version string) bool {
	rev, ok := protocol.ParseRevision(version)
	if !ok || len(r.Revisions) == 0 {
		return ok && rev.Handshake()
	}
	return slices.Contains(r.Revisions, rev)
}

// stateless reports whether the request names a revision without sessions that the server speaks.
func (r Rules) stateless(h Head) bool {
	rev, ok := protocol.ParseRevision(h.Version)
	return ok && !rev.Handshake() && slices.Contains(r.Revisions, rev)
}

// unspoken refuses a version that the server does not speak. It names those that the server
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

// unreadable refuses a text that is not a message.
func unreadable(m jsonrpc.Message) *Refusal {
	no := Refuse(400, m.Fault.String())
	switch m.Fault {
	case jsonrpc.FaultSyntax, jsonrpc.FaultUTF8, jsonrpc.FaultTrailing:
		no.Err.Code = jsonrpc.CodeParseError
	}
	return no
}
