package main

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/sansmcp/mcp/conformance/interop/junk"
	"github.com/sansmcp/mcp/conformance/proxy"
)

// bad are bodies and events that are no message.
var bad = append(slices.Clone(junk.Texts), "")

// postJunk sends the server a body that is no message, in the name of the client. The
// server has to refuse it.
func (p *disturber) postJunk(x *proxy.Exchange) {
	p.mu.Lock()
	n := p.n
	p.n++
	err := p.write()
	p.mu.Unlock()
	if err != nil {
		return
	}
	text := bad[n%len(bad)]
	status := p.send(x, http.MethodPost, []byte(text))
	// A client that has gone meanwhile has no answer.
	if x.Request.Context().Err() == nil && (status < 400 || status > 499) {
		p.fail(fmt.Errorf("the server answered the body %q with status %d", text, status))
	}
}

// junkEvent returns the nth event that is no message: without an id, so that it is no
// place to go on from.
func junkEvent(n int) []byte {
	text := bad[n%len(bad)]
	switch n % 3 {
	case 0:
		return fmt.Appendf(nil, "data: %s\n\n", text)
	case 1:
		return fmt.Appendf(nil, ": a comment\nno-such-field: %s\nevent: message\ndata: %s\n\n", text, text)
	}
	return fmt.Appendf(nil, "event: no-such-event\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"error\",\"data\":%q}}\n\n", text)
}
