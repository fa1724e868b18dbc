package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Whatever a server and its transport do, each request ends once, with its own answer or an
// error of a kind that is documented, and after Close nothing runs and nothing is kept.
func TestStorm(t *testing.T) {
	for seed := range int64(60) {
		synctest.Test(t, func(t *testing.T) { storm(t, rand.New(rand.NewSource(seed)), seed%3 == 0) })
	}
}

func storm(t *testing.T, r *rand.Rand, ends bool) {
	p := newPeer(t)
	opt := Options{
		Serve: func(ctx context.Context, c *Client, ev client.Event) (protocol.Result, error) {
			select {
			case <-time.After(time.Second):
				return sampled("x"), nil
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		},
		MaxServing: 3, MaxEvents: 5, QueueBytes: 5000, Grace: time.Duration(r.Intn(3)) * time.Second,
		Event: func(c *Client, ev client.Event) { time.Sleep(10 * time.Millisecond) },
	}
	c, err := New(config(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		hostile(p, rand.New(rand.NewSource(r.Int63())), ends)
	}()
	_ = c.Open(t.Context())
	var wg sync.WaitGroup
	for i := range 20 {
		rr := rand.New(rand.NewSource(r.Int63()))
		wg.Go(func() {
			for j := range 10 {
				ctx, end := context.WithTimeout(t.Context(), time.Duration(rr.Intn(120))*time.Second)
				uri := fmt.Sprintf("test://%d/%d", i, j)
				got, err := Do[protocol.ReadResourceResult](ctx, c, protocol.ReadResourceParams{URI: uri})
				end()
				var cause *lifecycle.Cause
				var rpc *jsonrpc.Error
				switch {
				case err == nil:
					if len(got.Contents) != 1 || got.Contents[0].Text != uri {
						t.Errorf("%s: %v", uri, got)
					}
				case errors.As(err, &cause), errors.As(err, &rpc), errors.Is(err, context.DeadlineExceeded), errors.Is(err, errClosed), errors.Is(err, lifecycle.ErrPhase):
				default:
					t.Errorf("%s: %v", uri, err)
				}
			}
		})
	}
	if r.Intn(2) == 0 {
		time.Sleep(time.Duration(r.Intn(100)) * time.Second)
		_ = c.Close(t.Context()) // in the middle
	}
	wg.Wait()
	_ = c.Close(t.Context())
	<-served
	synctest.Wait()
	if len(c.waiting) != 0 || len(c.serving) != 0 || c.load != (waits.Load{}) || len(c.events.list) != 0 {
		t.Error(len(c.waiting), len(c.serving), c.load, len(c.events.list))
	}
}

// hostile is a server that does what it likes, until its client is gone.
func hostile(p *peer, r *rand.Rand, ends bool) {
	in := func(n news) {
		select {
		case p.in <- n:
		case <-p.gone:
		}
	}
	say := func(format string, args ...any) {
		in(news{a: links.Arrival{Message: jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0",`+format+`}`, args...))}})
	}
	for n := 0; ; n++ {
		select {
		case <-p.gone:
			return
		case <-time.After(time.Duration(r.Intn(20)) * time.Second):
			if r.Intn(3) > 0 {
				continue
			}
			switch r.Intn(6) {
			case 0:
				say(sampling, fmt.Sprint(n), "x")
			case 1:
				say(`"id":%d,"method":"ping"`, n)
			case 2:
				say(`"method":"notifications/cancelled","params":{"requestId":"%d"}`, n-1)
			case 3:
				in(news{err: fmt.Errorf("status 404: %w", links.ErrSessionGone)})
			case 4:
				say(`"method":"notifications/tools/list_changed"`)
			default:
				if ends && r.Intn(4) == 0 {
					in(news{err: io.ErrUnexpectedEOF})
				}
			}
		case o := <-p.sent:
			switch {
			case o.Message.Method == "initialize" && r.Intn(8) > 0:
				say(`"id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"s","version":"1"}}`, o.Message.ID)
			case o.Message.Kind != jsonrpc.KindRequest:
			default:
				params, _ := protocol.Decode[protocol.ReadResourceParams](o.Message.Body)
				switch r.Intn(6) {
				case 0: // says nothing
				case 1:
					in(news{a: links.Arrival{Req: o.Req, Err: [...]error{io.ErrUnexpectedEOF, lifecycle.Unsent(io.ErrUnexpectedEOF)}[r.Intn(2)]}})
				case 2:
					say(`"id":%s,"error":{"code":-1,"message":"no"}`, o.Message.ID)
				default:
					for range 1 + r.Intn(2) { // some twice
						say(`"id":%s,"result":{"contents":[{"uri":%q,"text":%q}]}`, o.Message.ID, params.URI, params.URI)
					}
				}
			}
		}
	}
}
