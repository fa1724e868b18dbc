// Command booking is a server over standard input and output whose tool book takes its time, says how
// far it is, and asks its user before it does anything; suggest asks the model and for the roots too:
//
//	go run ./docs/examples/client -tool book -args '{"dish":"Soup"}' -- go run ./docs/examples/booking
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/stdio"
	"github.com/sansmcp/mcp/server/typed"
)

type order struct {
	Dish string `json:"dish" schema:"minLength=1"`
}

type guest struct {
	Name  string `json:"name" doc:"Who the table is for." schema:"minLength=1"`
	Seats int    `json:"seats" schema:"min=1,max=8,default=2"`
}

// book asks who comes, and then books the table.
func book(ctx context.Context, c server.Caller, in order) (string, error) {
	q := typed.Ask(c)
	who, said := typed.Elicit[guest](q, "who", "For whom is "+in.Dish+"?")
	if err := q.Open(""); err != nil {
		return "", err // asks the user; book runs again with the answer
	}
	if said != protocol.ActionAccept {
		return "No table is booked.", nil
	}
	for step, total := 1, 3.0; step <= int(total); step++ {
		select {
		case <-time.After(10 * time.Millisecond): // the work
		case <-ctx.Done(): // cancelled, or timed out: the client no longer waits
			return "", context.Cause(ctx)
		}
		if err := c.Progress(protocol.ProgressParams{Progress: float64(step), Total: &total}); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%s for %d, in the name of %s.", in.Dish, who.Seats, who.Name), nil
}

func main() {
	h := new(server.Handlers)
	typed.Tool(h, protocol.Tool{Name: "book", Description: "Books a table."}, book)
	typed.Tool(h, protocol.Tool{Name: "suggest", Description: "Suggests a dish."}, suggest)
	cfg := server.Config{Info: protocol.Implementation{Name: "booking", Version: "1.0.0"}}
	if err := stdio.Serve(context.Background(), cfg, h, os.Stdin, os.Stdout, stdio.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, "booking:", err)
		os.Exit(1)
	}
}
