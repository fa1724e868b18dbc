package nethttp_test

import (
	"context"
	"fmt"
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
