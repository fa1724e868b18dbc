package calls_test

import (
	"fmt"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// Two servers and a local tool under one set of names. The function answer plays the servers, in
// place of a program's transports.
func Example() {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var cfg calls.Config
	cfg.Manager.Client = client.Config{Info: protocol.Implementation{Name: "host", Version: "1"}}
	cfg.Catalog = catalog.Config{
		Naming:  naming.Policy{Names: naming.Plain},
		Sources: []catalog.Source{{Name: "files"}, {Name: "mail"}},
		Local:   []protocol.Tool{{Name: "now"}},
	}
	cfg.Attempts.Policy = attempt.Policy{Attempt: 10 * time.Second}
	c, err := calls.New(cfg, now)
	if err != nil {
		fmt.Println(err)
		return
	}
	var do func(calls.Caller, calls.Output)
	do = func(next calls.Caller, out calls.Output) {
		c = next
		for _, a := range out.Actions {
			switch a.Kind {
			case manager.ActOpen:
				do(c.Report(now, manager.Report{Kind: manager.Opened, Link: a.Link}))
			case manager.ActSend:
				if text := answer(a.Link.Server, a.Out.Message); text != "" {
					do(c.Report(now, manager.Report{Kind: manager.Received, Link: a.Link, Message: jsonrpc.DecodeString(text)}))
				}
			}
		}
		for _, i := range out.LocalStart {
			do(c.Finish(now, i.Attempt, attempt.Outcome{Result: protocol.TextResult(now.Format(time.TimeOnly))}))
		}
		for _, r := range out.Done {
			fmt.Println(r.Tool, "→", r.Outcome.Value(), r.Outcome.Err != nil)
		}
	}
	for _, name := range c.Tools().Sources() {
		next, out, _ := c.Manage(now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
			return m.Connect(now, name, manager.Options{Endpoint: name})
		})
		do(next, out)
	}
	for _, b := range c.Tools().List() {
		fmt.Println(b.Name, "is", b.Ref())
	}
	for _, name := range []string{"now", "read", "mcp.mail.read"} {
		next, out, _ := c.Call(now, calls.Request{Name: name})
		do(next, out)
	}
	// Output:
	// now is "now"
	// read is "read" of "files"
	// mcp.mail.read is "read" of "mail"
	// send is "send" of "mail"
	// now → "03:04:05" false
	// read → "read of files" false
	// mcp.mail.read → "read of mail" false
}

// answer returns the answer of a server.
func answer(server string, m jsonrpc.Message) string {
	result := ""
	switch m.Method {
	case "initialize":
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
	case "tools/list":
		result = `{"tools":[{"name":"read","inputSchema":{"type":"object"}}]}`
		if server == "mail" {
			result = `{"tools":[{"name":"read","inputSchema":{"type":"object"}},{"name":"send","inputSchema":{"type":"object"}}]}`
		}
	case "tools/call":
		name, _ := rawjson.Get(string(m.Body), "name")
		tool, _ := rawjson.Unquote(name)
		result = `{"content":[{"type":"text","text":"` + tool + ` of ` + server + `"}]}`
	default:
		return ""
	}
	id, _ := m.ID.Int64()
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, result)
}
