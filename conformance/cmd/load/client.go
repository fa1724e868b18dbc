package main

import (
	"context"
	"errors"
	"net/http"

	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// silent is the transport of a client that leaves its session without DELETE.
type silent struct{ http.RoundTripper }

// RoundTrip refuses to end the session.
func (s silent) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodDelete {
		return nil, errors.New("the client has vanished")
	}
	return s.RoundTripper.RoundTrip(r)
}

// watched is a transport that records what a client ignores.
type watched struct {
	links.Transport
	session int
	book    *book

	lost map[lifecycle.Req]bool
}

func watch(t links.Transport, session int, b *book) *watched {
	return &watched{Transport: t, session: session, book: b, lost: map[lifecycle.Req]bool{}}
}

// Receive passes on what arrived.
func (t *watched) Receive(ctx context.Context) (links.Arrival, error) {
	a, err := t.Transport.Receive(ctx)
	switch m := a.Message; {
	case err != nil:
	case a.Req != lifecycle.Req{}:
		if t.lost[a.Req] {
			t.book.report("lost twice", "session %d, request %v", t.session, a.Req)
		}
		t.lost[a.Req] = true
	case m.Kind == jsonrpc.KindInvalid:
		t.book.report("no message", "session %d: %v", t.session, m)
	}
	return a, err
}
