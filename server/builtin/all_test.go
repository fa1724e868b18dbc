package builtin_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server/builtin"
	"github.com/sansmcp/mcp/server/registry"
)

// Every short expression has the value that it had, and so has what is near a long one.
func TestAllShortExpressions(t *testing.T) {
	value := func(s string) string {
		v, err := builtin.Calculate(s)
		return fmt.Sprintf("%+v %v", v, err)
	}
	texts.Same(t, "111111 of 111111, be06ca35", texts.Every(5, "2", "3.5", "-", "+", "*", "/", "%", "^", "(", ")"), value)
	texts.Same(t, "111111 of 111111, 86843693", texts.Every(5, "abs(", "ceil(", "floor(", "round(", "max(", "min(", "-2.5", "1", ",", ")"), value)
	texts.Same(t, "37449 of 37449, 379f835a", texts.Every(5, "1", "0", ".", "e", "-", " ", "E+", "9"), value)
	texts.Same(t, "11353 of 11353, d802ede4", texts.Near("round((0.1+0.2)*3^-2 % 7, 3) - max(1e-3, -2)"), value)
	texts.Same(t, "4681 of 4681, a19ffd10", texts.Every(4, "1e999", "1e-1000", "9^999", "*", "^", "/3", "+1", "-1"), value)
}

// What is near a pointer leads where it led, and what is near a document has what it had.
func TestAllNearQueries(t *testing.T) {
	const document = `{"a":{"b~/":[1,{"c":null}]},"":0,"01":2}`
	query := func(document, pointer string) string {
		v, err := builtin.Query(protocol.Raw(document), pointer)
		return fmt.Sprint(v, err)
	}
	texts.Same(t, "4132 of 4132, 89a8e9c4", texts.Near("/a/b~0~1/1/c", "/", "/01", ""), func(s string) string { return query(document, s) })
	texts.Same(t, "4681 of 4681, 5cdaa1e6", texts.Every(4, "/", "a", "b~0~1", "0", "1", "c", "-", "~"), func(s string) string { return query(document, s) })
	texts.Same(t, "10321 of 10321, 328c6a8f", texts.Near(document), func(s string) string { return query(s, "/a/b~0~1/1") })
}

// What the tools answer to near arguments is what they answered, and so is what is listed of them.
func TestAllNearCalls(t *testing.T) {
	ran := 0
	g, err := builtin.New(builtin.Options{
		Now: func() time.Time { return time.Date(2026, 2, 28, 23, 59, 58, 7e8, time.UTC) },
		Entropy: func(b []byte) error {
			for i := range b {
				b[i] = byte(37*i + 101)
			}
			if ran++; ran%5 == 0 {
				return fmt.Errorf("none")
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := registry.FromGroups(g)
	if err != nil {
		t.Fatal(err)
	}
	h := r.View().Handlers()
	call := func(name string) func(string) string {
		return func(arguments string) string {
			ran = 0
			result, err := h.ToolFunc(name)(context.Background(), nil, protocol.CallToolParams{Name: name, Arguments: jsonrpc.Raw(arguments)})
			if err != nil {
				return err.Error()
			}
			return string(result.AppendJSON(nil))
		}
	}
	others := []string{"null", "1", "4", "7", "10", "11", "0", `"x"`, `""`, "{}", "[]", `"2026-02-03"`, `"-36h"`, `"+02:00"`, `"2024-12-30T01:00:00-02:30"`, `"1h30m0.5s"`, `"-23:59"`, `"Z"`}
	texts.Same(t, "39 of 39, 31b41775", texts.Values(others, `{"expression":"1/3"}`), call("calculate"))
	texts.Same(t, "97 of 97, ee650879", texts.Values(others, `{"document":{"a":[1]},"pointer":"/a/0"}`), call("json_query"))
	texts.Same(t, "177 of 177, 0dffb865", texts.Values(others, `{"instant":"2026-02-03T04:05:06Z","add":"-36h","offset":"+02:00"}`, `{"instant":"2026-02-03","add":"1h"}`, `{"offset":"-12:30"}`), call("date_time"))
	texts.Same(t, "19093 of 19093, 1b52108c", texts.Near(`{"instant":"2025-12-29T23:59:60.5+01:30","add":"-1h30m","offset":"-02:30"}`), call("date_time"))
	texts.Same(t, "118 of 118, a4a7b9a5", texts.Values(others, `{"version":7,"count":2}`, `{"version":4,"count":10}`), call("uuid"))
	texts.Same(t, "1 of 1, 9afd3b04", texts.Every(0), func(string) string {
		out := ""
		for _, ref := range r.View().Tools() {
			out += string(ref.Tool.AppendJSON(nil))
		}
		return out
	})
}
