package server_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/server"
)

// A list of layers goes on from page to page as the list of all of it does (PAGE-017).
func TestLayersInPages(t *testing.T) {
	span := func(from, to int) (keys []int) {
		for k := from; k < to; k++ {
			keys = append(keys, k)
		}
		return keys
	}
	upper, err := layer("upper", span(0, 150)).Sealed()
	if err != nil {
		t.Fatal(err)
	}
	under, err := layer("under", span(60, 230)).Sealed()
	if err != nil {
		t.Fatal(err)
	}
	both, err := upper.Over(under)
	if err != nil {
		t.Fatal(err)
	}
	laid, _ := both.Catalog()
	flat, err := server.Merge(upper, under).Catalog()
	if err != nil {
		t.Fatal(err)
	}
	x, _ := open(t, server.Config{Catalog: laid, Serve: both.Serve()})
	y, _ := open(t, server.Config{Catalog: flat, Serve: both.Serve()})
	pages := 0
	for params := "{}"; params != ""; pages++ {
		m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":7,"method":"tools/list","params":` + params + `}`)
		_, p := x.Receive(t0, m)
		_, q := y.Receive(t0, m)
		got, want := string(jsonrpc.Append(nil, p.Send[0].Message)), string(jsonrpc.Append(nil, q.Send[0].Message))
		if got != want {
			t.Fatalf("page %d: got %s, want %s", pages, got, want)
		}
		_, cursor, more := strings.Cut(got, `"nextCursor":"`)
		if params = ""; more {
			params = `{"cursor":"` + cursor[:strings.IndexByte(cursor, '"')] + `"}`
		}
	}
	if pages != 3 {
		t.Errorf("%d pages", pages)
	}
}
