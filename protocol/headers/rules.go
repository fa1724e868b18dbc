package headers

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// Op is what an HTTP request asks for.
type Op uint8

// The ops. The zero Op is none.
const (
	OpPost   Op = 1 + iota // POST: a message
	OpListen               // GET: a stream of the server's own messages
	OpResume               // GET with Last-Event-ID: the rest of a stream
	OpEnd                  // DELETE: the end of the session
)

// Rules say which requests a server takes. The zero Rules are those of a server that
// speaks every revision and is reached by other machines under any name.
type Rules struct {
	// Local says that the connection arrived on a loopback address. The Host must then be one
	// for which Loopback is true, with any port, or be one of Hosts: a web page whose
	// name was made to resolve to the loopback address has another one (DNS rebinding; HTTP-003).
	Local bool
	// Hosts are the names under which the server is reached: "mcp.example.com" for any
	// port, "mcp.example.com:8443" for one. Where a connection is not Local and there are
	// none, any Host is taken, which leaves a server in a private network open to DNS
	// rebinding.
	Hosts []string
	// Origins are those of web pages that may use the server, as "https://example.com",
	// beside those of its own Host and, if Local, of the loopback names.
	Origins []string
	// AnyHost and AnyOrigin turn the checks off: something in front makes them.
	AnyHost, AnyOrigin bool
	// Revisions are those that the server speaks; empty means all of the library.
	Revisions []protocol.Revision
	// NoListen says that GET is not served (HTTP-025), NoEnd that DELETE is not
	// (HTTP-049): both are answered with 405.
	NoListen, NoEnd bool
	// NoSession says that the server knows no sessions: no request needs a session id, and one
	// that is there counts for nothing. GET and DELETE need one, so NoListen and NoEnd go with it.
	NoSession bool
}

// Guard checks Host and Origin: what every request to a server has to pass, whatever it is
// for. Otherwise the status is 403 (HTTP-101).
//
// A browser sends no Origin with some requests, as a GET for an image. So one without Origin
// is refused as well if its Sec-Fetch-Site is cross-site or same-site, which says that a page of
// another origin makes it. Browsers send that header to https and to loopback addresses, other
// clients do not. An Origin that is allowed is so whatever Sec-Fetch-Site says. AnyOrigin turns
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

// Admit checks what can be checked of a request before its body is read. It begins with
// Guard. A refusal is 400 for a header that is repeated, a GET or DELETE without a session
// id (HTTP-044) or with a version that the server does not speak (HTTP-053), 404 for one
// whose session id cannot be one, 405 for another method, 406 for an Accept without the
// type of the answer, 415 for a body that is not JSON, or is compressed. An Accept that is not
// there takes all. Of a POST it has to list both types (HTTP-007); where it takes JSON alone, the
// request is admitted, and the answer can be no stream.
func (r Rules) Admit(h Head) (Op, *Refusal) {
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
		if !Accepts(h.Accept, JSON) {
			return 0, Refuse(406, "Accept has to list "+JSON+" and "+EventStream)
		}
		if !IsJSON(h.ContentType) {
			return 0, Refuse(415, "Content-Type has to be "+JSON)
		}
		if h.Encoding != "" && !strings.EqualFold(trim(h.Encoding), "identity") {
			return 0, Refuse(415, "the body must not be compressed")
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

// Check checks the head of a POST against the message in its body. initialize opens a
// session, so it needs no session id and its version is not judged. Everything else
// needs a session id (400 without one, HTTP-044; 404 for a text that cannot be one) and, if it
// names a version, one that the server speaks (400, HTTP-053). A version other than the
// negotiated one, or none, is no fault: what holds is what was negotiated (HTTP-052). A text that is no
// message and has no session is refused with 400 and the error of its fault, and so is one with more
// text after the message.
//
// Whether there is a session of that id, the caller knows: NoSession is the answer if not.
func (r Rules) Check(h Head, m jsonrpc.Message) *Refusal {
	if m.Kind == jsonrpc.KindRequest && m.Method == protocol.MethodInitialize {
		return nil
	}
	invalid := m.Kind == jsonrpc.KindInvalid
	if invalid && h.Session == "" {
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
