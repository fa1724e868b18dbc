package sessiontest

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/stdio"
	"github.com/sansmcp/mcp/server/typed"
)

type person struct {
	Name string `json:"name"`
}

// asks has a tool that asks the user of its client.
func asks() *server.Handlers {
	h := new(server.Handlers)
	typed.Tool(h, protocol.Tool{Name: "greet"}, func(_ context.Context, c server.Caller, _ struct{}) (string, error) {
		q := typed.Ask(c)
		who, said := typed.Elicit[person](q, "who", "Who are you?")
		if err := q.Open(""); err != nil {
			return "", err
		}
		if said != protocol.ActionAccept {
			return "Then nobody is greeted.", nil
		}
		return "Hello, " + who.Name + "!", nil
	})
	return h
}

// asked is the Config of a client that can be asked.
var asked = client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}, Serve: []string{protocol.MethodElicitationCreate}}

// thinks answers a question after five minutes.
func thinks(_ context.Context, _ *session.Client, ev client.Event) (protocol.Result, error) {
	time.Sleep(5 * time.Minute)
	p, err := protocol.Decode[protocol.ElicitParams](ev.Body)
	if err != nil {
		return nil, err
	}
	return p.Accept(map[string]protocol.Raw{"name": protocol.StringValue("Ada")})
}

// A tool that asks needs a client: a real one, over a net.Pipe. In a bubble of testing/synctest the
// user takes five minutes and the test no time, and a goroutine that is left over fails the test.
func TestQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		served := make(chan error, 1)
		go func() {
			defer there.Close()
			cfg := server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}}
			served <- stdio.Serve(context.Background(), cfg, asks(), there, there, stdio.Options{})
		}()
		conn, err := child.Over(here, here, child.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c, err := session.Connect(t.Context(), asked, conn, session.Options{Serve: thinks})
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.CallTool(t.Context(), protocol.CallToolParams{Name: "greet"}, session.RequestOptions{})
		if err != nil || protocol.TextOf(r.Content) != "Hello, Ada!" {
			t.Errorf("%v, %v", protocol.TextOf(r.Content), err)
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}
