package typed_test

import (
	"context"
	"fmt"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/typed"
)

type order struct {
	Dish string `json:"dish"`
}

type guest struct {
	Name  string `json:"name" doc:"Who the table is for." schema:"minLength=1"`
	Seats int    `json:"seats" schema:"min=1,max=8,default=2"`
}

// A tool that asks its user: it runs again with the answers.
func ExampleElicit() {
	h := new(server.Handlers)
	typed.Tool(h, protocol.Tool{Name: "book"}, func(_ context.Context, c server.Caller, in order) (string, error) {
		q := typed.Ask(c)
		who, said := typed.Elicit[guest](q, "who", "For whom is "+in.Dish+"?")
		if err := q.Open(""); err != nil {
			return "", err
		}
		if said != protocol.ActionAccept {
			return "No table is booked.", nil
		}
		return fmt.Sprintf("%s for %d, in the name of %s.", in.Dish, who.Seats, who.Name), nil
	})
	// A driver runs it with the Caller of the session; here the user is Ada.
	j, _ := h.Job(server.Event{Kind: lifecycle.RequestReceived, Method: "tools/call", Body: `{"name":"book","arguments":{"dish":"Soup"}}`})
	a := j.Run(context.Background(), &user{answers: []string{`{"action":"accept","content":{"name":"Ada","seats":3}}`}})
	fmt.Printf("%s\n", a.Result.AppendJSON(nil))
	// Output: {"content":[{"type":"text","text":"Soup for 3, in the name of Ada."}]}
}
