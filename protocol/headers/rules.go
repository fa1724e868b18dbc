package headers

import (
	"github.com/sansmcp/mcp/protocol"
)

// Op is what an HTTP request asks for.
type Op uint8

// The ops. The zero Op asks for nothing.
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
