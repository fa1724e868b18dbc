package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// peer is a Transport whose other end is the test.
type peer struct {
	t      *testing.T
	sent   chan client.Outgoing
	in     chan news
	gone   chan struct{} // closed by Close
	refuse func(client.Outgoing) error
	speaks protocol.Revision
}

type news struct {
	a   links.Arrival
	err error
}

func newPeer(t *testing.T) *peer {
	return &peer{t: t, sent: make(chan client.Outgoing), in: make(chan news), gone: make(chan struct{}), speaks: protocol.Revision20251125}
}

func (p *peer) Send(ctx context.Context, o client.Outgoing, _ protocol.Revision) error {
	if p.refuse != nil {
		if err := p.refuse(o); err != nil {
			return err
		}
	}
	select {
	case p.sent <- o:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-p.gone:
		return io.ErrClosedPipe
	}
}

func (p *peer) Receive(ctx context.Context) (links.Arrival, error) {
	select {
	case n := <-p.in:
		return n.a, n.err
	case <-ctx.Done():
		return links.Arrival{}, context.Cause(ctx)
	case <-p.gone:
		return links.Arrival{}, io.EOF
	}
}

func (p *peer) Close(context.Context) error {
	close(p.gone)
	return nil
}

// hear returns the next message of the client, which has to be of the method, or an answer
// if that is "".
func (p *peer) hear(method string) client.Outgoing {
	p.t.Helper()
	select {
	case o := <-p.sent:
		if o.Message.Method != method {
			p.t.Fatalf("heard %s, want %q", jsonrpc.Append(nil, o.Message), method)
		}
		return o
	case <-time.After(10 * time.Minute):
		p.t.Fatalf("did not hear %q", method)
	}
	return client.Outgoing{}
}

// skip takes the next message, whatever it is.
func (p *peer) skip() { <-p.sent }

// quiet fails if the client says something within the time.
func (p *peer) quiet(d time.Duration) {
	p.t.Helper()
	select {
	case o := <-p.sent:
		p.t.Fatalf("heard %s", jsonrpc.Append(nil, o.Message))
	case <-time.After(d):
	}
}

func (p *peer) say(format string, args ...any) {
	text := fmt.Sprintf(`{"jsonrpc":"2.0",`+format+`}`, args...)
	p.in <- news{a: links.Arrival{Message: jsonrpc.DecodeString(text)}}
}

// answer answers what was heard.
func (p *peer) answer(o client.Outgoing, result string) {
	p.say(`"id":%s,"result":%s`, o.Message.ID, result)
}

// shake does the peer's part of the handshake.
func (p *peer) shake() {
	p.answer(p.hear("initialize"), `{"protocolVersion":"`+p.speaks.String()+`","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{}},"serverInfo":{"name":"s","version":"1"}}`)
	p.hear("notifications/initialized")
}

func config() client.Config {
	return client.Config{
		Info:    protocol.Implementation{Name: "c", Version: "1"},
		Serve:   []string{"sampling/createMessage", "elicitation/create"},
		Declare: protocol.CapElicitationForm | protocol.CapElicitationURL,
		Roots:   []protocol.Root{{URI: "file:///a"}}, RootsListChanged: true,
	}
}

// none answers nothing.
func none(context.Context, *Client, client.Event) (protocol.Result, error) {
	return nil, errors.New("it has neither model nor user")
}

// session runs a test of an open session under virtual time, and closes it.
func session(t *testing.T, opt Options, f func(*testing.T, *peer, *Client)) {
	sessionAt(t, protocol.Revision20251125, opt, f)
}

// sessionAt is session in a revision.
func sessionAt(t *testing.T, rev protocol.Revision, opt Options, f func(*testing.T, *peer, *Client)) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		p.speaks = rev
		if opt.Serve == nil {
			opt.Serve = none
		}
		c, err := New(config(), p, opt)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(t.Context())
		go p.shake()
		if err := c.Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		f(t, p, c)
	})
}

// later runs f and returns where its error will be.
func later[R any](f func() (R, error)) (<-chan R, <-chan error) {
	result, failed := make(chan R, 1), make(chan error, 1)
	go func() {
		r, err := f()
		result <- r
		failed <- err
	}()
	return result, failed
}

// ask makes a request that the test does not care for.
func ask(ctx context.Context, c *Client) <-chan error {
	_, failed := later(func() (jsonrpc.Raw, error) {
		return c.Request(ctx, protocol.ReadResourceParams{URI: "test://a"}, RequestOptions{})
	})
	return failed
}

func within[T any](t *testing.T, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(10 * time.Minute):
		t.Fatal("did not happen")
	}
	return v
}

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("%v, want %v", err, want)
	}
}

func wantText(t *testing.T, got any, want string) {
	t.Helper()
	if text := fmt.Sprint(got); !strings.Contains(text, want) {
		t.Fatalf("%s, want %s in it", text, want)
	}
}
