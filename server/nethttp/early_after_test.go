package nethttp_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// What a function leaves behind can do nothing with its Caller once it has returned, whether its request
// was taken in first or not.
func TestEarlyLeftBehind(t *testing.T) {
	for _, after := range []time.Duration{0, -1} {
		var told [2]string
		for i, opt := range []nethttp.Options{{}, {Event: func(string, server.Event) {}}} {
			synctest.Test(t, func(t *testing.T) {
				var mine server.Caller
				var its context.Context
				h := new(server.Handlers)
				h.Tool(protocol.Tool{Name: "leave", InputSchema: object}, func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
					mine, its = c, ctx
					return protocol.TextResult("left"), nil
				})
				opt.StreamAfter = after
				handler, err := nethttp.NewHandler(serverConfig, h, opt)
				if err != nil {
					t.Fatal(err)
				}
				b := &bubble{t: t, h: handler}
				defer b.close()
				session := b.open("2025-11-25")
				get := b.serve("GET", session, "", "", nil)
				synctest.Wait()
				call := b.serve("POST", session, "", callOf("leave", `{}`), nil)
				<-call.done
				told[i] = fmt.Sprintln(call.status(), call.text(),
					its.Err(), mine.Call().Seq(), mine.State().Status().Inbound,
					mine.Progress(protocol.ProgressParams{Progress: 1}),
					mine.Notify(protocol.LoggingMessageParams{Level: "error", Data: `"x"`}),
					nethttp.HangUp(its, 0))
				ctx, cancel := context.WithTimeout(context.Background(), time.Second)
				defer cancel()
				_, err = mine.Request(ctx, protocol.CreateMessageParams{Messages: []protocol.SamplingMessage{}, MaxTokens: 1}, server.RequestOptions{})
				synctest.Wait()
				get.cut()
				<-get.done
				told[i] += fmt.Sprintln(err, handler.Status().Running, get.text())
			})
		}
		if told[0] != told[1] {
			t.Errorf("it was\n%s\nand where the turn comes first\n%s", told[0], told[1])
		}
	}
}

// poison is a Companion that answers each call that it sees, and then does what is worst.
type poison struct {
	h      *server.Handlers
	commit func()
	step   func()
	answer bool
	did    bool
}

func (p *poison) Step(s server.State, now time.Time, out server.Output) (server.State, server.Output, time.Time) {
	for _, ev := range out.Events {
		if ev.Call.IsZero() || p.did {
			continue
		}
		if p.step != nil {
			p.did = true
			p.step()
		}
		if p.answer {
			p.did = true
			var more server.Output
			s, more, _ = s.Respond(now, ev.Call, protocol.TextResult("of the companion"))
			out.Merge(more)
		}
	}
	return s, out, time.Time{}
}

func (p *poison) Commit() {
	if p.did && p.commit != nil {
		f := p.commit
		p.commit = nil
		f()
	}
}
func (p *poison) Handlers() *server.Handlers { return p.h }
func (p *poison) SkipsBriefCalls() bool      { return true }

// An answer that came while a Companion panicked is nobody else's.
func TestEarlyAnswerOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKit()
		first := true
		b := newBubbleOf(t, k, nethttp.Options{Recover: true, Companion: func(server.Peer) server.Companion {
			p := &poison{h: k.handlers()}
			if first {
				first, p.answer, p.commit = false, true, func() { panic("commit") }
			}
			return p
		}})
		defer b.close()
		one, two := b.open("2025-11-25"), b.open("2025-11-25")
		for _, s := range []string{one, two} {
			<-b.serve("POST", s, "", `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, nil).done
		}
		a := b.serve("POST", one, "", callOf("gate", `{}`), nil)
		<-b.k.begun
		time.Sleep(20 * time.Millisecond)
		<-a.done
		for range 5 {
			r := b.serve("POST", two, "", callOf("echo", `{}`), nil)
			<-r.done
			if want := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"echo {}"}]}}`; r.text() != want {
				t.Errorf("%s, want %s", r.text(), want)
			}
		}
	})
}

// A Companion that ends the goroutine of another request takes none of the call that was put off with it.
func TestEarlyEnterEnds(t *testing.T) {
	for name, end := range map[string]func(){"panic": func() { panic("step") }, "goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := newKit()
				b := newBubbleOf(t, k, nethttp.Options{Companion: func(server.Peer) server.Companion {
					return &poison{h: k.handlers(), step: end}
				}})
				defer b.close()
				session := b.open("2025-11-25")
				<-b.serve("POST", session, "", `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, nil).done
				a := b.serve("POST", session, "", callOf("gate", `{}`), nil)
				<-b.k.begun
				func() {
					done := make(chan struct{})
					go func() {
						defer close(done)
						defer func() { _ = recover() }() // as net/http does
						_ = b.h.StepNow(context.Background(), session)
					}()
					<-done
				}()
				time.Sleep(time.Minute)
				<-a.done
				if a.status() != http.StatusInternalServerError {
					t.Errorf("status %d: %s", a.status(), a.text())
				}
				if got := b.h.Status(); got.Running != 0 {
					t.Errorf("%+v", got)
				}
			})
		})
	}
}

// A request that was taken in, and whose answer came before its client's goroutine looked, reads no stream of its
// session any more: what served it serves others.
func TestEarlyLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, nethttp.Options{})
		defer b.close()
		for range 20 { // both that it was taken in and its answer are there to be seen: one of them is
			session := b.open("2025-11-25")
			answer, ok := b.h.Late(session, callOf("gate", `{}`), func() {
				_ = b.h.StepNow(context.Background(), session)
				b.k.free <- struct{}{}
				synctest.Wait()
			})
			if !ok { // it goes on as a call that was taken in first
				continue
			}
			if _, idle := b.h.Idle(session); !idle {
				t.Fatalf("something of the session is left after %s", answer)
			}
		}
	})
}
