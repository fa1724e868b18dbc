package transcript_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/conformance/transcript/fixture"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/nethttp"
)

// TestOverHTTP runs every wire transcript for a server of Streamable HTTP
// against the driver: in a bubble, where time passes at once and every extra line
// is noticed, and, unless it lets time pass, over a socket of the loopback interface.
func TestOverHTTP(t *testing.T) {
	files, err := transcript.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !f.Socket {
			continue
		}
		name := strings.TrimSuffix(strings.TrimPrefix(f.Path, "testdata/"), ".txt")
		for _, r := range f.Revisions {
			t.Run(name+"/"+r.String()+"/bubble", func(t *testing.T) { synctest.Test(t, func(t *testing.T) { overHTTP(t, f, r, pipes(), synctest.Wait) }) })
			if f.Waits() {
				continue
			}
			t.Run(name+"/"+r.String()+"/socket", func(t *testing.T) {
				l, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					t.Fatal(err)
				}
				overHTTP(t, f, r, l, nil)
			})
		}
	}
}

func overHTTP(t *testing.T, f *transcript.File, r protocol.Revision, l net.Listener, settle func()) {
	if err := runOverHTTP(t, f, r, l, settle); err != nil {
		t.Error(err)
	}
}

// runOverHTTP runs a file against a handler configured for it.
func runOverHTTP(t *testing.T, f *transcript.File, r protocol.Revision, l net.Listener, settle func()) error {
	cfg, err := transcript.Server(f.Options(r))
	if err != nil {
		t.Fatal(err)
	}
	var last atomic.Value // the context of the newest call
	app := fixture.Watched(func(ctx context.Context) { last.Store(&ctx) })
	h, err := nethttp.NewHandler(cfg, app, options(f.Site))
	if err != nil {
		t.Fatal(err)
	}
	site := &http.Server{Handler: h}
	done := make(chan error)
	go func() { done <- site.Serve(l) }()
	client := &http.Transport{DisableCompression: true}
	if p, ok := l.(*pipeListener); ok {
		client.DialContext = p.dial
	}
	at := transcript.Endpoint{
		URL: "http://" + l.Addr().String() + "/mcp", Transport: client, Settle: settle,
		Shutdown: func(grace time.Duration) {
			go func() {
				ctx, cancel := context.WithTimeout(context.Background(), grace)
				defer cancel()
				_ = h.Shutdown(ctx) // the script shows the effects
			}()
		},
		HangUp: func(retry time.Duration) error { return nethttp.HangUp(*last.Load().(*context.Context), retry) },
		Notify: func(session string, n protocol.Params) error { return h.Notify(context.Background(), session, n) },
	}
	failure := f.OverHTTP(at, r)
	client.CloseIdleConnections()
	h.Close()
	if err := site.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
	if settle != nil {
		time.Sleep(time.Second) // idle goroutines end within that
	}
	return failure
}

// options are the options of the site of a file.
func options(s transcript.Site) nethttp.Options {
	opt := nethttp.Options{
		Streams: s.Streams, Hosts: s.Rules.Hosts, Origins: s.Rules.Origins,
		IdleTimeout: s.Idle, MaxBody: s.MaxBody, MaxSessions: s.MaxSessions,
		StreamAfter: time.Hour, // a single answer is JSON, however slow this machine is
	}
	if s.Token != "" {
		opt.Authenticate = func(r *http.Request) (nethttp.Principal, error) {
			token, sent := headers.Bearer(r.Header.Get("Authorization"))
			switch {
			case !sent:
				return nethttp.Principal{}, &nethttp.AuthError{}
			case token != s.Token:
				return nethttp.Principal{}, &nethttp.AuthError{Code: "invalid_token"}
			}
			return nethttp.Principal{ID: "somebody"}, nil
		}
	}
	if s.Scopes != nil {
		var err error
		if opt.Authenticate, err = nethttp.Verified(s.Scopes, s.Scopes.Policy); err != nil {
			panic(err)
		}
	}
	if s.Metadata != "" {
		opt.Metadata = &nethttp.ResourceMetadata{Resource: s.Metadata, AuthorizationServers: []string{"https://login.example"}}
	}
	return opt
}
