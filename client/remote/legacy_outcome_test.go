package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// oldWire is a server of HTTP+SSE without a connection, so that a bubble has all of it.
type oldWire struct {
	events io.Writer // the stream, once it is asked for
	// read does what becomes of the POST of resources/read. wrote says that its head has left.
	read func(r *http.Request, wrote func()) (*http.Response, error)
}

func respond(status int, body io.Reader, fields ...string) *http.Response {
	h := http.Header{}
	for i := 0; i < len(fields); i += 2 {
		h.Set(fields[i], fields[i+1])
	}
	return &http.Response{StatusCode: status, ProtoMajor: 1, Header: h, Body: io.NopCloser(body)}
}

func (o *oldWire) RoundTrip(r *http.Request) (*http.Response, error) {
	wrote := httptrace.ContextClientTrace(r.Context()).WroteHeaders
	switch {
	case r.Method == http.MethodGet:
		from, to := io.Pipe()
		o.events = to
		go func() { _, _ = io.WriteString(to, "event: endpoint\ndata: /messages\n\n") }()
		context.AfterFunc(r.Context(), func() { _ = to.CloseWithError(r.Context().Err()) })
		return respond(http.StatusOK, from, "Content-Type", "text/event-stream"), nil
	case r.URL.Path != "/messages":
		wrote()
		return respond(http.StatusMethodNotAllowed, strings.NewReader("")), nil
	}
	body, _ := io.ReadAll(r.Body)
	m := jsonrpc.Decode(body)
	if m.Method == "resources/read" {
		return o.read(r, wrote)
	}
	wrote()
	if m.Kind == jsonrpc.KindRequest {
		go func() {
			_, _ = fmt.Fprintf(o.events, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", m.ID, strings.Replace(initialized, "2025-11-25", "2024-11-05", 1))
		}()
	}
	return respond(http.StatusAccepted, strings.NewReader("")), nil
}

// What happens to a POST over HTTP+SSE, and what the caller is told: how far it came, how long that took, and what
// stands behind it.
func TestLegacyOutcomes(t *testing.T) {
	dial := errors.New("connection refused")
	for name, tt := range map[string]struct {
		read   func(r *http.Request, wrote func()) (*http.Response, error)
		want   lifecycle.Delivery
		reason exchange.Reason
		status int
		after  time.Duration // Retry-After
		is     error
		took   time.Duration
	}{
		"no connection": {func(*http.Request, func()) (*http.Response, error) { return nil, dial }, lifecycle.NotSent, exchange.NotSent, 0, 0, dial, 0},
		"broken off":    {func(_ *http.Request, wrote func()) (*http.Response, error) { wrote(); return nil, io.ErrUnexpectedEOF }, lifecycle.MayHaveRun, exchange.NoResponse, 0, 0, io.ErrUnexpectedEOF, 0},
		"refused by HTTP/2": {func(_ *http.Request, wrote func()) (*http.Response, error) {
			wrote()
			return nil, streamError{StreamID: 1, Code: refusedStream}
		}, lifecycle.Rejected, exchange.Rejected, 0, 0, streamError{StreamID: 1, Code: refusedStream}, 0},
		"silent": {func(r *http.Request, wrote func()) (*http.Response, error) { // some carry a request out before they accept it
			wrote()
			<-r.Context().Done()
			return nil, r.Context().Err()
		}, lifecycle.MayHaveRun, 0, 0, 0, nil, time.Hour},
		"overloaded": {func(_ *http.Request, wrote func()) (*http.Response, error) {
			wrote()
			return respond(http.StatusServiceUnavailable, strings.NewReader("busy"), "Retry-After", "3"), nil
		}, lifecycle.MayHaveRun, exchange.Refused, 503, 3 * time.Second, nil, 0},
		"no token": {func(_ *http.Request, wrote func()) (*http.Response, error) {
			wrote()
			return respond(http.StatusUnauthorized, strings.NewReader(""), "WWW-Authenticate", "Bearer"), nil
		}, lifecycle.Rejected, exchange.Unauthorized, 401, 0, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr, err := New("http://server.example/mcp", Options{Client: &http.Client{Transport: &oldWire{read: tt.read}}, HeaderTimeout: 7 * time.Second})
				wantErr(t, err, nil)
				c, err := session.Connect(t.Context(), config(), tr, session.Options{})
				wantErr(t, err, nil)
				began := time.Now()
				err = readIn(t.Context(), c, time.Hour)
				if took := time.Since(began); took != tt.took || lifecycle.DeliveryOf(err) != tt.want {
					t.Errorf("%v, after %v: %v; want %v, after %v", err, took, lifecycle.DeliveryOf(err), tt.want, tt.took)
				}
				var f exchange.Failure
				if errors.As(err, &f) != (tt.reason != 0) || f.Reason != tt.reason || f.Status != tt.status || f.After != tt.after || tt.is != nil && !errors.Is(err, tt.is) {
					t.Errorf("%v: %+v", err, f)
				}
				wantErr(t, c.Close(t.Context()), nil)
			})
		})
	}
}

// A server that speaks no TLS is told from one whose TLS is at fault.
func TestSchemeMismatch(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	tr, err := New(strings.Replace(srv.URL, "http:", "https:", 1), Options{})
	wantErr(t, err, nil)
	_, err = session.Connect(t.Context(), config(), tr, session.Options{})
	wantErr(t, err, http.ErrSchemeMismatch)
	if lifecycle.DeliveryOf(err) != lifecycle.NotSent {
		t.Error(lifecycle.DeliveryOf(err))
	}
}

// An http.RoundTripper need not say of a response which request it is of.
func TestResponseOfNoRequest(t *testing.T) {
	m := newMock(t)
	moved := 0
	m.post = func(w http.ResponseWriter, r *http.Request, _ jsonrpc.Message) bool {
		if r.URL.Path == "/there" {
			return false
		}
		moved++
		http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
		return true
	}
	c := m.connect(Options{Client: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			resp.Request = nil
		}
		return resp, err
	})}}, session.Options{})
	if err := read(c); err != nil || moved < 3 {
		t.Errorf("%v, %d moved", err, moved)
	}
}
