package host_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
)

var question = protocol.CreateMessageParams{Messages: []protocol.SamplingMessage{}, MaxTokens: 1}

const answered = `{"jsonrpc":"2.0","id":%s,"result":{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"}}`

// A function that has its answer waits for a place as long as others have all of them, before
// those that have not begun, and no longer than its call.
func TestPlaceAfterAnAnswer(t *testing.T) {
	begun, release, over := make(chan string, 9), make(chan struct{}), make(chan error, 9)
	p := meet(context.Background(), t, host.Options{Work: host.NewWork(host.WorkOptions{MaxRunning: 1})},
		func(ctx context.Context, c server.Caller, call protocol.CallToolParams) (*protocol.CallToolResult, error) {
			if string(call.Arguments) == "{}" {
				begun <- "busy"
				<-release
				return protocol.TextResult("busy"), nil
			}
			_, err := c.Request(ctx, question, server.RequestOptions{})
			over <- errors.Join(err, ctx.Err())
			return protocol.TextResult("asked"), nil
		})
	ask := func(id string) {
		p.say(`{"jsonrpc":"2.0","id":"` + id + `","method":"tools/call","params":{"name":"t","arguments":{"ask":1}}}`)
	}
	ask("a")
	p.hears(`"id":1,"method":"sampling/createMessage"`)
	ask("b") // the first waits for its client and has no place
	p.hears(`"id":2,"method":"sampling/createMessage"`)
	p.call("c")
	<-begun
	p.say(fmt.Sprintf(answered, "1"))
	p.say(fmt.Sprintf(answered, "2"))
	p.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"b"}}`)
	if err := <-over; !errors.Is(err, context.Canceled) { // b, without a place
		t.Error("the cancelled one ends with", err)
	}
	select {
	case err := <-over:
		t.Error("it went on without a place:", err)
	default:
	}
	close(release)
	if err := <-over; err != nil { // a
		t.Error(err)
	}
	p.hears(`"id":"a","result"`)
	p.hears(`"id":"c","result"`)
	close(p.in)
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

// A function may ask from several goroutines: it has a place again when all have their answers.
func TestSeveralQuestions(t *testing.T) {
	p := meet(context.Background(), t, host.Options{Work: host.NewWork(host.WorkOptions{MaxRunning: 1})},
		func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() {
					if _, err := c.Request(ctx, question, server.RequestOptions{}); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			return protocol.TextResult("asked"), nil
		})
	p.call("a")
	for _, id := range []string{"1", "2", "3"} {
		p.hears(`"id":` + id + `,"method":"sampling/createMessage"`)
	}
	for _, id := range []string{"2", "1", "3"} {
		p.say(fmt.Sprintf(answered, id))
	}
	p.hears(`"id":"a","result"`)
	if err := p.host.Replace(nil); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error("Replace(nil) gives", err)
	}
	close(p.in)
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

// A function that asks several times at once, or leaves something behind that asks when it has returned, has one
// place and gives one back: afterwards no more run at a time than before.
func TestPlacesAreOfFunctions(t *testing.T) {
	for name, asks := range map[string]func(context.Context, server.Caller){
		"at once": func(ctx context.Context, c server.Caller) {
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() { _, _ = c.Request(ctx, question, server.RequestOptions{}) })
			}
			wg.Wait()
		},
		"one after another": func(ctx context.Context, c server.Caller) {
			for range 3 {
				_, _ = c.Request(ctx, question, server.RequestOptions{})
			}
		},
		"returned": func(_ context.Context, c server.Caller) {
			go func() {
				time.Sleep(time.Second)
				_, _ = c.Request(context.Background(), question, server.RequestOptions{})
			}()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := host.NewWork(host.WorkOptions{MaxRunning: 2, NoShares: true})
				var running, most atomic.Int32
				s := newShelf(t, w, func(ctx context.Context, c server.Caller, call protocol.CallToolParams) (*protocol.CallToolResult, error) {
					if string(call.Arguments) != "{}" {
						asks(ctx, c)
						return protocol.TextResult("asked"), nil
					}
					if n := running.Add(1); n > most.Load() {
						most.Store(n)
					}
					time.Sleep(time.Minute)
					running.Add(-1)
					return protocol.TextResult("done"), nil
				})
				s.call("a", `{"ask":1}`)
				for range 3 {
					synctest.Wait()
					for info := range s.state().Outbound() {
						s.receive(answered, fmt.Sprint(info.Req.Seq()))
					}
				}
				pass(2 * time.Second)
				if n := s.state().Status(); n.Inbound+n.Outbound != 0 {
					t.Fatalf("%+v", n)
				}
				for i := range 5 {
					s.call(fmt.Sprint(i), "{}")
				}
				pass(time.Second)
				if got := w.Status(); running.Load() != 2 || got.Running != 2 || got.Waiting != 3 {
					t.Errorf("%d run, %+v", running.Load(), got)
				}
				pass(time.Hour)
				if most.Load() != 2 || w.Status() != (host.WorkStatus{}) {
					t.Errorf("%d ran at a time; %+v is left", most.Load(), w.Status())
				}
			})
		})
	}
}
