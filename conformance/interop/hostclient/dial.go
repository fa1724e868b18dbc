package main

import (
	"log/slog"
	"net/http"
	"sync/atomic"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/conformance/interop/drive"
)

var noCall client.Call

// dial returns the transport to the server: a process, or at a URL. What is HTTP+SSE it finds out
// by itself.
func (s *driven) dial(srv *drive.Server) (links.Transport, error) {
	if srv.URL == "" {
		s.id = func() string { return "" }
		return child.Over(srv.Out, srv.In, child.Options{})
	}
	seen := new(seen)
	s.id = func() string { id, _ := seen.id.Load().(string); return id }
	return remote.New(srv.URL, remote.Options{Client: &http.Client{Transport: seen}, Log: slog.Default()})
}

// seen notes the id of the session, which the requests have.
type seen struct{ id atomic.Value }

func (s *seen) RoundTrip(r *http.Request) (*http.Response, error) {
	if id := r.Header.Get("Mcp-Session-Id"); id != "" {
		s.id.Store(id)
	}
	return http.DefaultTransport.RoundTrip(r)
}
