// Package headers is about the heads of the HTTP messages of the Streamable HTTP transport:
// what a server checks of a request before and after its body is read, what a client
// sends, and what both say about authorization. It works on strings and does no I/O, so that
// it goes with any HTTP library.
//
// # Loop
//
// A server reads the head of a request, has its Rules look at it, reads the body, and looks
// again:
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
// Rules.Local differs from connection to connection: it is true of those that arrived at a
// loopback address. Other endpoints of the same server, as those of the HTTP+SSE transport,
// call Guard alone.
//
// A client writes Request into each of its requests, and Authorization beside it. Of an
// answer with 401 or 403 it reads ParseChallenge.
//
// # Contract
//
//   - Everything here is total: no header can make it panic, and it takes time in
//     proportion to what it is given.
//   - A Head shares the memory of the request; a Challenge is a copy of at most 20 KiB.
//   - What a Refusal says of the peer's texts is the name of a header.
//   - The zero Rules trust the network: they let any Host in, as a server needs that does not
//     know its names. Set Local for connections from this machine, and Hosts for the
//     names of the server, or DNS rebinding is open (HTTP-101).
//   - An Origin of the same host and port as Host is let in, with either scheme: something in
//     front may end TLS.
//   - A browser's request without Origin is refused if Sec-Fetch-Site says that a page of another
//     origin makes it. Clients that are no browsers send neither and are let in.
//   - Differences between the revisions are flags of protocol.Revision.
//
// # Not promised
//
// The wording of errors, and which of several faults of a head is reported.
package headers
