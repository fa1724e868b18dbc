package session

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// A session that the server has forgotten is opened anew: what was on its way fails, what
// comes meanwhile waits, lists are read again, and who subscribed can know.
func TestSessionGone(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		_, failed := tools(t, c)
		p.answer(p.hear("tools/list"), `{"tools":[]}`)
		wantErr(t, within(t, failed), nil)
		_, subscribed := later(func() (jsonrpc.Raw, error) {
			return c.Request(t.Context(), protocol.SubscribeParams{URI: "test://a"}, RequestOptions{})
		})
		p.answer(p.hear("resources/subscribe"), `{}`)
		wantErr(t, within(t, subscribed), nil)

		before := ask(t.Context(), c)
		o := p.hear("resources/read")
		p.in <- news{err: links.ErrSessionGone}
		wantErr(t, within(t, before), links.ErrSessionGone)
		after := ask(t.Context(), c)
		list, listed := tools(t, c)
		synctest.Wait()
		p.answer(o, `{"contents":[]}`) // a late one of the old session
		p.shake()
		// Who waited and the list race to the queue.
		for range 2 {
			switch o := <-p.sent; o.Message.Method {
			case "tools/list":
				p.answer(o, `{"tools":[`+addTool+`]}`)
			default:
				p.answer(o, `{"contents":[]}`)
			}
		}
		wantErr(t, within(t, after), nil)
		wantErr(t, within(t, listed), nil)
		if got := within(t, list); len(got) != 1 {
			t.Error(got)
		}
		if got := strings.Join(c.Lost(), " "); got != "test://a" {
			t.Error(got)
		}
	})
}

// A server that loses each session at once is asked ever less often, and then given up. One
// that was of use meanwhile is not.
func TestSessionGoneAgain(t *testing.T) {
	for _, useful := range []bool{false, true} {
		session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
			began := time.Now()
			for range 5 {
				p.in <- news{err: links.ErrSessionGone}
				p.shake()
				if useful {
					failed := ask(t.Context(), c)
					p.answer(p.hear("resources/read"), `{"contents":[]}`)
					wantErr(t, within(t, failed), nil)
				}
			}
			if took := time.Since(began); (took > 5*time.Second) == useful || took > time.Minute {
				t.Error(useful, took)
			}
			p.in <- news{err: links.ErrSessionGone}
			if useful {
				p.shake()
				return
			}
			within(t, c.Done())
			wantErr(t, c.Err(), links.ErrSessionGone)
			wantErr(t, within(t, ask(t.Context(), c)), errClosed)
		})
	}
}

// A client that only listens outlives any number of restarts of its server, if there is time
// between them.
func TestSessionGoneSeldom(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		for range 15 {
			time.Sleep(maxPause)
			p.in <- news{err: links.ErrSessionGone}
			began := time.Now()
			p.shake()
			if took := time.Since(began); took > 0 {
				t.Error("opened after", took)
			}
		}
	})
}

// A new session that cannot be opened is tried again, and then given up.
func TestReopenFails(t *testing.T) {
	session(t, Options{Reopen: 3}, func(t *testing.T, p *peer, c *Client) {
		p.in <- news{err: links.ErrSessionGone}
		synctest.Wait()
		waiting := ask(t.Context(), c)
		for range 3 {
			p.in <- news{a: links.Arrival{Req: p.hear("initialize").Req, Err: errors.New("connection refused")}}
		}
		within(t, c.Done())
		wantText(t, c.Err(), "connection refused")
		wantErr(t, within(t, waiting), errClosed)
	})
	session(t, Options{Reopen: -1}, func(t *testing.T, p *peer, c *Client) {
		p.in <- news{err: links.ErrSessionGone}
		within(t, c.Done())
		wantErr(t, c.Err(), links.ErrSessionGone)
	})
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) { // closed while it waits
		p.in <- news{err: links.ErrSessionGone}
		p.hear("initialize")
		p.in <- news{err: links.ErrSessionGone}
		synctest.Wait()
		wantErr(t, c.Close(t.Context()), nil)
	})
}

// The end of the server ends what waits.
func TestServerEnds(t *testing.T) {
	for _, cause := range []error{io.EOF, errors.New("cut")} {
		session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
			failed := ask(t.Context(), c)
			p.hear("resources/read")
			if c.Err() != nil {
				t.Error(c.Err())
			}
			p.in <- news{err: cause}
			err := within(t, failed)
			wantErr(t, err, &lifecycle.Cause{Kind: lifecycle.CauseLost})
			wantErr(t, err, cause)
			within(t, c.Done())
			wantErr(t, c.Err(), cause)
			wantErr(t, c.Close(t.Context()), cause)
		})
	}
}

// The end of the server is not held up by what it has not taken.
func TestServerEndsUnread(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		failed := ask(t.Context(), c)
		synctest.Wait()
		began := time.Now()
		p.in <- news{err: io.EOF}
		within(t, c.Done())
		wantErr(t, within(t, failed), io.EOF)
		if took := time.Since(began); took > 0 {
			t.Error(took)
		}
	})
}

// A server that does not take what it is sent is not listened to, and given up.
func TestStall(t *testing.T) {
	session(t, Options{QueueBytes: 2000}, func(t *testing.T, p *peer, c *Client) {
		pings := 0
		stop := make(chan struct{})
		go func() {
			for ; ; pings++ {
				select {
				case p.in <- news{a: links.Arrival{Message: jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)}}:
				case <-stop:
					return
				}
			}
		}()
		synctest.Wait()
		if pings > 30 || c.out.Bytes > 3000 {
			t.Error(pings, "pings were taken,", c.out.Bytes, "bytes are queued")
		}
		_, failed := later(func() (jsonrpc.Raw, error) {
			return c.Request(t.Context(), protocol.ReadResourceParams{URI: "test://a"}, RequestOptions{RequestOptions: client.RequestOptions{Timeout: time.Hour}})
		})
		p.hear("") // it reads again, and there is room after a while
		synctest.Wait()
		for range 30 {
			p.skip()
		}
		time.Sleep(links.DefaultSendTimeout - time.Second)
		select {
		case <-c.Done():
			t.Error("given up too early")
		default:
		}
		time.Sleep(2 * time.Second)
		within(t, c.Done())
		if c.Err() != links.ErrSendTimeout { //nolint:errorlint // that itself
			t.Errorf("%v", c.Err())
		}
		wantErr(t, within(t, failed), links.ErrSendTimeout)
		close(stop)
	})
}

// Close lets requests finish for Grace, and functions return.
func TestClose(t *testing.T) {
	returned := false
	opt := Options{Grace: time.Minute, Serve: func(ctx context.Context, _ *Client, _ client.Event) (protocol.Result, error) {
		<-ctx.Done()
		time.Sleep(time.Second)
		returned = true
		return nil, nil
	}}
	session(t, opt, func(t *testing.T, p *peer, c *Client) {
		p.say(sampling, "1", "x")
		synctest.Wait()
		failed := ask(t.Context(), c)
		o := p.hear("resources/read")
		closed := make(chan error, 1)
		go func() { closed <- c.Close(t.Context()) }()
		synctest.Wait()
		wantErr(t, within(t, ask(t.Context(), c)), lifecycle.ErrPhase)
		p.answer(o, `{"contents":[]}`)
		wantErr(t, within(t, failed), nil)
		wantErr(t, within(t, closed), nil)
		if !returned || c.Close(t.Context()) != nil || c.Err() != nil {
			t.Error(returned, c.Err())
		}
	})
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		failed := ask(t.Context(), c)
		p.hear("resources/read")
		go p.skip() // the cancellation
		wantErr(t, c.Close(t.Context()), nil)
		wantErr(t, within(t, failed), &lifecycle.Cause{Kind: lifecycle.CauseShutdown})
	})
}

// A context that ends makes Close quick, whatever does not move.
func TestCloseIsQuick(t *testing.T) {
	release := make(chan struct{})
	opt := Options{Grace: time.Hour, Serve: func(context.Context, *Client, client.Event) (protocol.Result, error) {
		<-release
		return nil, nil
	}}
	session(t, opt, func(t *testing.T, p *peer, c *Client) {
		release = make(chan struct{})
		defer close(release)
		p.say(sampling, "1", "x")
		_ = ask(t.Context(), c) // which nobody reads
		synctest.Wait()
		ctx, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		began := time.Now()
		if err := c.Close(ctx); err != context.DeadlineExceeded { //nolint:errorlint // that itself
			t.Errorf("%v", err)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Error(took)
		}
	})
}

// A Client that was not opened can be closed.
func TestCloseUnopened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := New(config(), newPeer(t), Options{Serve: none, Event: func(*Client, client.Event) {}})
		wantErr(t, err, nil)
		wantErr(t, c.Close(t.Context()), nil)
		wantErr(t, c.Close(t.Context()), nil)
		within(t, c.Done())
	})
}

// Keepalive pings, and gives a silent server up.
func TestKeepalive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		go func() {
			p.shake()
			p.answer(p.hear("ping"), `{}`)
			p.hear("ping")
			p.hear("notifications/cancelled")
		}()
		cfg := config()
		cfg.Keepalive = lifecycle.Keepalive{Interval: time.Minute, Misses: 1}
		c, err := Connect(t.Context(), cfg, p, Options{Serve: none})
		wantErr(t, err, nil)
		within(t, c.Done())
		wantErr(t, c.Err(), &lifecycle.Cause{Kind: lifecycle.CausePeerSilent})
	})
}
