package guard_test

import (
	"fmt"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/guard"
)

// A token is checked first, and its scopes once the message is known.
func Example() {
	g, err := guard.New(guard.Policy{
		Audience: []string{"https://api.example/mcp"},
		Base:     []string{"mcp"},
		Tool: func(name string, _ jsonrpc.Raw) []string {
			return map[string][]string{"delete": {"write"}}[name]
		},
		Implies: map[string][]string{"admin": {"write"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Now()
	id := guard.Identity{Issuer: "https://login.example", Subject: "ada", Audience: []string{"https://api.example/mcp"}, Scopes: []string{"mcp"}, Expires: now.Add(time.Hour)}
	m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete"}}`)

	fmt.Println(g.Check(now, id) == nil)
	bad := headers.Unauthorized(*g.Allow(id, m))
	fmt.Println(bad.Status, bad.Authenticate)
	id.Scopes = append(id.Scopes, "admin")
	fmt.Println(g.Allow(id, m) == nil)
	// Output:
	// true
	// 403 Bearer error="insufficient_scope", error_description="the token needs more scopes", scope="write mcp"
	// true
}
