package nethttp_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/registry"
)

const cancelled = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}}`

// What happens while a function runs whose request is not taken in yet. The call is id 1, of the tool
// named first.
var meanwhile = []struct {
	name, tool string
	do         func(b *bubble, session string) []*response // beside that of the call
}{
	{"it returns", "gate", func(b *bubble, _ string) []*response {
		b.k.free <- struct{}{}
		return nil
	}},
	{"it returns late", "gate", func(b *bubble, _ string) []*response {
		time.Sleep(50 * time.Millisecond)
		b.k.free <- struct{}{}
		return nil
	}},
	{"cancelled", "gate", func(b *bubble, session string) []*response {
		return []*response{b.serve("POST", session, "", cancelled, nil)}
	}},
	{"cancelled, and another with its id", "gate", func(b *bubble, session string) []*response {
		c := b.serve("POST", session, "", cancelled, nil)
		<-c.done
		return []*response{c, b.serve("POST", session, "", callOf("echo", `{}`), nil)}
	}},
	{"DELETE", "gate", func(b *bubble, session string) []*response {
		return []*response{b.serve("DELETE", session, "", "", nil)}
	}},
	{"the same id", "gate", func(b *bubble, session string) []*response {
		r := b.serve("POST", session, "", callOf("echo", `{}`), nil)
		<-r.done
		b.k.free <- struct{}{}
		return []*response{r}
	}},
	{"the same id, as a text", "gate", func(b *bubble, session string) []*response {
		r := b.serve("POST", session, "", strings.Replace(callOf("echo", `{}`), `"id":1`, `"id":"1"`, 1), nil)
		<-r.done
		b.k.free <- struct{}{}
		return []*response{r}
	}},
	{"another call is first", "gate", func(b *bubble, session string) []*response {
		r := b.serve("POST", session, "", strings.Replace(callOf("echo", `{}`), `"id":1`, `"id":2`, 1), nil)
		<-r.done
		b.k.free <- struct{}{}
		return []*response{r}
	}},
	{"another call beside, then the end", "gate", func(b *bubble, session string) []*response {
		r := b.serve("POST", session, "", strings.Replace(callOf("gate", `{}`), `"id":1`, `"id":2`, 1), nil)
		<-b.k.begun
		return []*response{r, b.serve("DELETE", session, "", "", nil)}
	}},
	{"a ping", "gate", func(b *bubble, session string) []*response {
		r := b.serve("POST", session, "", `{"jsonrpc":"2.0","id":7,"method":"ping"}`, nil)
		<-r.done
		b.k.free <- struct{}{}
		return []*response{r}
	}},
	{"the application tells something", "gate", func(b *bubble, session string) []*response {
		r := b.serve("GET", session, "", "", nil)
		synctest.Wait()
		if err := b.h.Notify(context.Background(), session, protocol.LoggingMessageParams{Level: "error", Data: `"x"`}); err != nil {
			b.t.Error(err)
		}
		b.k.free <- struct{}{}
		synctest.Wait()
		r.cut()
		return []*response{r}
	}},
	{"End", "gate", func(b *bubble, session string) []*response {
		_ = b.h.End(context.Background(), session)
		return nil
	}},
	{"Close", "gate", func(b *bubble, _ string) []*response {
		b.h.Close()
		return nil
	}},
	{"Shutdown", "gate", func(b *bubble, _ string) []*response {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = b.h.Shutdown(ctx)
		return nil
	}},
	{"other functions", "gate", func(b *bubble, session string) []*response {
		h := new(server.Handlers)
		h.Tool(protocol.Tool{Name: "new", InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("new"), nil
		})
		if err := b.h.Replace(context.Background(), h); err != nil {
			b.t.Error(err)
		}
		r := b.serve("POST", session, "", strings.Replace(callOf("new", `{}`), `"id":1`, `"id":2`, 1), nil)
		<-r.done
		b.k.free <- struct{}{}
		return []*response{r}
	}},
	{"it reports progress", "steps", func(b *bubble, _ string) []*response {
		for range 3 {
			b.k.free <- struct{}{}
		}
		return nil
	}},
	{"it asks for its call", "look at the call", func(b *bubble, _ string) []*response {
		b.k.free <- struct{}{}
		return nil
	}},
	{"it asks for the session", "look at the state", func(b *bubble, _ string) []*response {
		b.k.free <- struct{}{}
		return nil
	}},
	{"it notes", "note", func(b *bubble, _ string) []*response {
		b.k.free <- struct{}{}
		return nil
	}},
	{"it asks", "ask", func(b *bubble, session string) []*response {
		synctest.Wait()
		return []*response{b.serve("POST", session, "", `{"jsonrpc":"2.0","id":1,"result":{"role":"user","model":"m","content":{"type":"text","text":"x"}}}`, nil)}
	}},
	{"it hangs up", "poll", func(b *bubble, _ string) []*response {
		time.Sleep(time.Second)
		b.k.free <- struct{}{}
		return nil
	}},
}

var (
	primed        = regexp.MustCompile(`id: \d+-1\nretry: 1000\ndata: \n\n`)
	streamNumbers = regexp.MustCompile(`id: \d+-`)
)

// A request whose function runs first is nothing that anybody can tell: not the client, not the
// function, not the application.
func TestEarly(t *testing.T) {
	for i, m := range append(meanwhile, meanwhile...) {
		after := time.Duration(0)
		if i >= len(meanwhile) {
			after = -1
		}
		t.Run(fmt.Sprint(m.name, after), func(t *testing.T) {
			var told [2]string
			for i, opt := range []nethttp.Options{{}, {Event: func(string, server.Event) {}}} {
				synctest.Test(t, func(t *testing.T) {
					opt.StreamAfter = after
					opt.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
					b := newBubble(t, opt)
					defer b.close()
					session := b.open("2025-11-25")
					call := b.serve("POST", session, "", callOf(m.tool, `{}`), nil)
					<-b.k.begun
					synctest.Wait()
					if got := b.h.Early(); m.tool == "gate" && got != 1-i {
						t.Errorf("%d requests are not taken in, want %d", got, 1-i)
					}
					if _, idle := b.h.Idle(session); idle || b.h.Status().Running != 1 {
						t.Errorf("idle: %v, %+v", idle, b.h.Status())
					}
					all := append(m.do(b, session), call)
					synctest.Wait()
					told[i] = fmt.Sprintf("%+v\n", b.h.Status())
					time.Sleep(time.Minute)
					for _, r := range all {
						r.cut()
						<-r.done
						told[i] += fmt.Sprintln(r.status(), r.head.Get("Content-Type"), r.text())
					}
					for len(b.k.ended) > 0 {
						told[i] += fmt.Sprintln(<-b.k.ended)
					}
					if got := b.h.Early(); got != 0 {
						t.Errorf("%d requests are not taken in at the end", got)
					}
				})
			}
			if after < 0 { // the head of a stream, and its first event, come with what follows, or a little later
				for i := range told { // and streams have streamNumbers in the order in which requests are taken in
					told[i] = streamNumbers.ReplaceAllString(primed.ReplaceAllString(told[i], ""), "id: ")
				}
			}
			if told[0] != told[1] {
				t.Errorf("it was\n%s\nand where the turn comes first\n%s", told[0], told[1])
			}
		})
	}
}

// The client leaves, and the answer is kept or not as where the turn comes first.
func TestEarlyVanish(t *testing.T) {
	for _, late := range []time.Duration{0, 50 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			b := newBubble(t, nethttp.Options{})
			defer b.close()
			session := b.open("2025-11-25")
			call := b.serve("POST", session, "", callOf("gate", `{}`), nil)
			<-b.k.begun
			call.cut()
			time.Sleep(late)
			b.k.free <- struct{}{}
			<-call.done
			time.Sleep(time.Minute)
			if got := b.h.Status(); got.Running != 0 || got.Connections != 0 || b.h.Kept() != 0 {
				t.Errorf("after %v: %+v, %d bytes kept", late, got, b.h.Kept())
			}
		})
	}
}

// The time of a tool counts from when its request came, and its Companion loses no call.
func TestEarlyFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKit()
		r := registryOf(t, k)
		b := newBubbleOf(t, k, nethttp.Options{Companion: func(server.Peer) server.Companion { return r.View().Companion() }})
		defer b.close()
		session := b.open("2025-11-25")
		<-b.serve("POST", session, "", `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, nil).done
		begin := time.Now()
		call := b.serve("POST", session, "", callOf("gate", `{}`), nil)
		<-b.k.begun
		synctest.Wait()
		if got := b.h.Early(); got != 1 {
			t.Errorf("%d requests are not taken in", got)
		}
		<-call.done
		if d := time.Since(begin); d != 20*time.Millisecond || !strings.Contains(call.text(), `"isError":true`) {
			t.Errorf("after %v: %s", d, call.text())
		}
	})
}

// registryOf returns a registry that has the functions of k, each for 20 ms.
func registryOf(t *testing.T, k *kit) *registry.Registry {
	t.Helper()
	g, err := registry.NewGroup(registry.Definition{Name: "g", Handlers: k.handlers(), Timeout: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := registry.New(0).Register(g)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
