package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// puppet is a Transport whose other end is the test. It answers initialize by itself.
type puppet struct {
	in   chan jsonrpc.Message
	gone chan struct{}
	end  sync.Once

	mu   sync.Mutex
	sent []client.Outgoing
}

func newPuppet() *puppet {
	return &puppet{in: make(chan jsonrpc.Message, 100), gone: make(chan struct{})}
}

func (p *puppet) Send(_ context.Context, o client.Outgoing, _ protocol.Revision) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = append(p.sent, o)
	if o.Message.Method == "initialize" {
		p.say(`"id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`, o.Message.ID)
	}
	return nil
}

func (p *puppet) say(format string, args ...any) {
	p.in <- jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0",`+format+`}`, args...))
}

func (p *puppet) Receive(ctx context.Context) (links.Arrival, error) {
	select {
	case m := <-p.in:
		return links.Arrival{Message: m}, nil
	case <-p.gone:
		return links.Arrival{}, io.EOF
	case <-ctx.Done():
		return links.Arrival{}, context.Cause(ctx)
	}
}

func (p *puppet) Close(context.Context) error {
	p.end.Do(func() { close(p.gone) })
	return nil
}

// answers returns how many answers with a result and with an error were sent.
func (p *puppet) answers() (good, bad int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, o := range p.sent {
		switch o.Message.Kind {
		case jsonrpc.KindResult:
			good++
		case jsonrpc.KindError:
			bad++
		}
	}
	return good, bad
}

// A call of a server that is not there, for whatever reason, did not begin: the outcome says so, and
// it may be made again.
func TestCallOfWhoIsNotThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet()
		f, err := fleet.New(calls.Config{Manager: quiet()}, fleet.Options{Dial: func(_ context.Context, endpoint any) (links.Transport, error) {
			if endpoint == "away" {
				return nil, errors.New("not now")
			}
			return p, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		_ = join(t.Context(), f, "away", manager.Options{Endpoint: "away", Supervise: true})
		if err = join(t.Context(), f, "there", manager.Options{Endpoint: "there"}); err != nil {
			t.Fatal(err)
		}
		call := func(server string) error {
			_, err := fleet.Do[protocol.CallToolResult](t.Context(), f.Server(server), protocol.CallToolParams{Name: "x"}, fleet.RequestOptions{})
			return err
		}
		want := func(name string, err error, kind toolerror.Kind, far lifecycle.Delivery) {
			t.Helper()
			o := attempt.FromError("x", err)
			again, repeatable := attempt.Retryable(o.Err, attempt.Hints{})
			if !errors.Is(o.Err, kind) || lifecycle.DeliveryOf(err) != far || !again || repeatable != far.Repeatable() {
				t.Errorf("%s: %v, %v, %v, %v: %v", name, o.Err, lifecycle.DeliveryOf(err), again, repeatable, err)
			}
		}
		want("unknown", call("nobody"), toolerror.Unavailable, lifecycle.NotSent)
		want("away", call("away"), toolerror.Unavailable, lifecycle.NotSent)
		ended := make(chan error, 1)
		go func() { ended <- call("there") }()
		synctest.Wait()
		_ = p.Close(t.Context())
		want("lost", <-ended, toolerror.ConnectionLost, lifecycle.MayHaveRun)
		want("gone", call("there"), toolerror.Unavailable, lifecycle.NotSent)
		_ = f.Close(t.Context())
		want("closed", call("there"), toolerror.Unavailable, lifecycle.NotSent)
	})
}

// Exactly as many functions run for a server as Options say, or as many bytes; one more is refused,
// and one that returns makes room for one.
func TestServingLimits(t *testing.T) {
	for name, tt := range map[string]struct {
		opt fleet.Options
		pad int
	}{
		"number": {fleet.Options{MaxServing: 3}, 1},
		"bytes":  {fleet.Options{MaxServingBytes: 3 * 200}, 200},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, release := newPuppet(), make(chan struct{})
				tt.opt.Dial = func(context.Context, any) (links.Transport, error) { return p, nil }
				tt.opt.Serve = func(context.Context, *fleet.Fleet, manager.Event) (protocol.Result, error) {
					<-release
					return protocol.Raw(`{}`), nil
				}
				cfg := settings()
				cfg.Client.Serve, cfg.Client.ServeUnknown = []string{"x/y"}, true
				f, err := fleet.New(calls.Config{Manager: cfg}, tt.opt)
				if err != nil {
					t.Fatal(err)
				}
				if err = join(t.Context(), f, "a", manager.Options{}); err != nil {
					t.Fatal(err)
				}
				body := `{"x":"` + fmt.Sprintf("%0*d", tt.pad-len(`{"x":""}`), 0) + `"}`
				if tt.pad == 1 {
					body = `{}`
				}
				n := 0
				asks := func(good, bad int) {
					t.Helper()
					n++
					p.say(`"id":%d,"method":"x/y","params":%s`, n, body)
					synctest.Wait()
					if g, b := p.answers(); g != good || b != bad {
						t.Errorf("request %d: %d answered, %d refused; want %d, %d", n, g, b, good, bad)
					}
				}
				asks(0, 0)
				asks(0, 0)
				asks(0, 0)
				asks(0, 1)
				release <- struct{}{}
				synctest.Wait()
				asks(1, 1)
				asks(1, 2)
				close(release)
				synctest.Wait()
				if g, b := p.answers(); g != 4 || b != 2 {
					t.Errorf("%d answered, %d refused", g, b)
				}
				time.Sleep(time.Second)
				if err := f.Close(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
