package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// A listing goes on where it was when the catalog was replaced between two pages: what
// lies after the last item that was seen, whether that one is still there or not.
func TestListingAcrossCatalogs(t *testing.T) {
	catalog := func(names string) *server.Catalog {
		var tools []protocol.Tool
		for _, n := range names {
			tools = append(tools, protocol.Tool{Name: string(n), InputSchema: `{"type":"object"}`})
		}
		c, err := server.NewCatalog(server.Items{Tools: tools, PageSize: 2, CursorKey: [16]byte{0: 1, 8: 2}})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	list := func(s server.State, cursor string) (names, next string) {
		params := ""
		if cursor != "" {
			params = fmt.Sprintf(`,"params":{"cursor":%q}`, cursor)
		}
		_, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"tools/list"`+params+`}`))
		r, err := protocol.Decode[protocol.ListToolsResult](out.Send[0].Message.Body)
		if err != nil {
			t.Fatal(err, out)
		}
		for _, tool := range r.Tools {
			names += tool.Name
		}
		if r.NextCursor != nil {
			next = string(*r.NextCursor)
		}
		return names, next
	}
	for _, tt := range []struct{ before, after, want string }{
		{"abcde", "abcde", "ab cd e"},
		{"abcd", "abcd", "ab cd"},
		{"abcd", "ab", "ab "},       // nothing is left
		{"abcd", "a", "ab "},        // nor the one that was seen last
		{"abcd", "acde", "ab cd e"}, // it is gone, what follows is not
		{"bdf", "abcdefg", "bd ef g"},
		{"abcd", "xyz", "ab xy z"},
	} {
		s, _ := open(t, server.Config{Catalog: catalog(tt.before), Serve: []string{"tools/call"}})
		got, cursor := list(s, "")
		s, _, err := s.SetCatalog(t0, catalog(tt.after))
		if err != nil {
			t.Fatal(err)
		}
		for cursor != "" && len(got) < 40 {
			var names string
			names, cursor = list(s, cursor)
			got += " " + names
		}
		if got != tt.want {
			t.Errorf("%s, then %s: %q, want %q", tt.before, tt.after, got, tt.want)
		}
	}
	// The cursor is good for its own list and its own server only.
	s, _ := open(t, server.Config{Catalog: catalog("abc"), Serve: []string{"tools/call"}})
	_, cursor := list(s, "")
	for _, bad := range []string{"x", strings.Repeat("0", 16), cursor + "x", cursor[1:], "0" + cursor[1:]} {
		_, out := s.Receive(t0, jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":%q}}`, bad)))
		if e := out.Send[0].Message.Err; e == nil || e.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("cursor %q: %v", bad, out.Send)
		}
	}
}
