package remote

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// What is sent out of place does not go out.
func TestOutOfPlace(t *testing.T) {
	m := newMock(t)
	tr, err := New(m.url, Options{})
	wantErr(t, err, nil)
	ctx, end := context.WithCancelCause(context.Background())
	ping := client.Outgoing{Message: jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)}
	wantErr(t, tr.Send(ctx, ping, protocol.Revision{}), links.ErrSessionGone)
	why := errors.New("no time")
	end(why)
	wantErr(t, tr.Send(ctx, ping, protocol.Revision{}), why)
	_, err = tr.Receive(ctx)
	wantErr(t, err, why)
	wantErr(t, tr.Close(context.Background()), nil)
	wantErr(t, tr.Send(context.Background(), ping, protocol.Revision{}), errClosed)
	_, err = tr.Receive(context.Background())
	wantErr(t, err, errClosed)
	if heard := m.heard(); heard != "" {
		t.Error(heard)
	}
}

// Two urls have the same origin if scheme, host and port are the same, whether they are
// written or not.
func TestSameOrigin(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"http://a/x", "http://A:80/y", true},
		{"https://a/x", "HTTPS://a:443/y", true},
		{"https://a/x", "http://a/x", false},
		{"http://a:443/", "https://a/", false},
		{"http://a/", "http://b/", false},
		{"http://a/", "http://a:8080/", false},
		{"http://[::1]:80/", "http://[::1]/", true},
	} {
		a, err := url.Parse(tt.a)
		wantErr(t, err, nil)
		b, err := url.Parse(tt.b)
		wantErr(t, err, nil)
		if sameOrigin(a, b) != tt.same || sameOrigin(b, a) != tt.same {
			t.Error(tt)
		}
	}
}

// A program may have put another http.RoundTripper in the place of the default one.
func TestOtherDefault(t *testing.T) {
	old := http.DefaultTransport
	defer func() { http.DefaultTransport = old }()
	http.DefaultTransport = http.NewFileTransport(http.Dir("."))
	if hc, _, own := newClient(nil); !own || hc.Transport == http.DefaultTransport {
		t.Error(hc.Transport, own)
	}
}
