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

// Rules say which requests a server accepts. The zero Rules are those of a server that
// speaks every revision and that other machines reach under any name.
type Rules struct {
	// Local says that the connection arrived on a loopback address. Loopback must then be true for
	// the Host, with any port, or it must be one of Hosts: a web page whose
	// name was made to resolve to the loopback address has another Host (DNS rebinding; HTTP-003).
	Local bool
	// Hosts are the names of the server: "mcp.example.com" for any
	// port, "mcp.example.com:8443" for one. If it is empty and the connection is not Local,
	// any Host is accepted, which leaves a server in a private network open to DNS
	// rebinding.
	Hosts []string
	// Origins are the origins of web pages that may use the server, such as "https://example.com",
	// in addition to its own Host and, if Local, the loopback names.
	Origins []string
	// AnyHost and AnyOrigin turn the checks off, if a proxy makes them.
	AnyHost, AnyOrigin bool
	// Revisions are those that the server speaks; empty means all of the library's.
	Revisions []protocol.Revision
	// NoListen says that the server does not support GET (HTTP-025), NoEnd that it does not support
	// DELETE (HTTP-049): the status is then 405.
	NoListen, NoEnd bool
	// NoSession says that the server has no sessions: requests need no session id, and a
	// present one is ignored. GET and DELETE need one, so set NoListen and NoEnd too.
	NoSession bool
}
