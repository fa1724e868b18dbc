// Package headers reads and checks the headers of HTTP messages of the Streamable HTTP transport:
// what a server checks of a request before and after it reads the body, what a client
// sends, and what both say about authorization. It works on strings and does no I/O, so it
// fits any HTTP library.
//
// # Loop
//
// A server checks the head of a request with its Rules, reads the body, and checks again:
//
//	h := headers.Read(r.Method, r.Host, r.Header.Values)
//	op, no := rules.Admit(h)
//	if no != nil {
//		return answer(no.Status, no.Fields(), no.Body())
//	}
//	switch op {
//	case headers.OpPost:
//		m := jsonrpc.Decode(body)
//		if no := rules.Check(h, m); no != nil { … }
//	case headers.OpListen: // GET: a stream of the server's own messages
//	case headers.OpResume: // GET with h.LastEventID: the rest of a stream
//	case headers.OpEnd:    // DELETE: the end of the session
//	}
//
// Rules.Local differs between connections: it is true for those that arrived at a
// loopback address. Other endpoints of the same server, such as those of the HTTP+SSE transport,
// call only Guard.
//
// A client writes RequestFields and Authorization into each request. From an
// answer with 401 or 403 it reads ParseChallenge.
//
// # Contract
//
//   - The functions accept any input: no header can cause a panic, and the time is linear in the
//     size of the input.
//   - A Head shares the memory of the request; a Challenge is a copy of at most 20 KiB.
//   - A Refusal repeats no text of the peer; it names at most a header.
//   - The zero Rules trust the network: they accept any Host, for a server that does not
//     know its names. Set Local for connections from this machine, and Hosts to the
//     names of the server; otherwise DNS rebinding is possible (HTTP-101).
//   - An Origin with the same host and port as Host is accepted, with either scheme: a proxy may
//     end TLS.
//   - A browser's request without Origin is refused if Sec-Fetch-Site says that a page of another
//     origin makes it. Other clients send neither and are accepted.
//   - Differences between the revisions are flags of protocol.Revision.
//
// # Not promised
//
// The wording of errors, and which of several faults of a head is reported.
package headers
