package remote_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// Tools whose x-mcp-header is invalid are left out of lists where there is no session, and the log says so of the
// first ten and how many more. In a session the annotation means nothing.
//
// rows: TOOL-213
// revisions: 2026-07-28
func TestInvalidAnnotations(t *testing.T) {
	property := func(schema string) string { return `{"type":"object","properties":{"a":` + schema + `}}` }
	good := map[string]string{
		"good": property(`{"type":"string","x-mcp-header":"A"}`), "none": property(`{"type":"number"}`), "text": property(`{"const":"x-mcp-header\n"}`),
	}
	bad := map[string]string{
		"a-first": property(`{"type":"string","x-mcp-header":"A b"}`), "empty": property(`{"type":"string","x-mcp-header":""}`),
		"null": property(`{"type":"string","x-mcp-header":null}`), "object": property(`{"type":"object","x-mcp-header":"A"}`),
		"items":   property(`{"type":"array","items":{"type":"string","x-mcp-header":"A"}}`),
		"twice":   `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}`,
		"escaped": property(`{"type":"string","x-mcp-heade\u0072":"A b"}`), "z-last": property(`{"type":"string","x-mcp-header":[]}`),
	}
	all := func(of ...map[string]string) (names []string, h *server.Handlers) {
		h = new(server.Handlers)
		for _, list := range of {
			for name, schema := range list {
				names = append(names, name)
				h.Tool(protocol.Tool{Name: name, InputSchema: protocol.Raw(schema)}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
					return protocol.TextResult("called"), nil
				})
			}
		}
		slices.Sort(names)
		return names, h
	}
	many := map[string]string{}
	for i := range 13 {
		many[fmt.Sprintf("%s%02d", strings.Repeat("n", 100), i)] = bad["empty"]
	}
	goods, _ := all(good)
	each, _ := all(good, bad)
	for name, c := range map[string]struct {
		at     []protocol.Revision
		of     []map[string]string
		want   []string
		logged int
	}{
		"without a session": {protocol.StatelessRevisions(), []map[string]string{good, bad}, goods, len(bad)},
		"only bad ones":     {protocol.StatelessRevisions(), []map[string]string{bad}, nil, len(bad)},
		"many bad ones":     {protocol.StatelessRevisions(), []map[string]string{good, many}, goods, maxTold + 1},
		"in a session":      {protocol.Revisions(), []map[string]string{good, bad}, each, 0},
	} {
		t.Run(name, func(t *testing.T) {
			_, h := all(c.of...)
			handler, err := nethttp.NewHandler(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Revisions: c.at}, h, nethttp.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer handler.Close()
			s := httptest.NewServer(handler)
			defer s.Close()
			var log bytes.Buffer
			tr, err := remote.New(s.URL, remote.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			cl, err := session.Connect(ctx, client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}, Revisions: protocol.AllRevisions()}, tr, session.Options{})
			if err != nil {
				t.Fatal(err)
			}
			tools, err := cl.Tools(ctx)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, tool := range tools {
				got = append(got, tool.Name)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			for _, name := range got {
				if r, err := cl.CallTool(ctx, protocol.CallToolParams{Name: name, Arguments: `{}`}, session.RequestOptions{}); err != nil || protocol.TextOf(r.Content) != "called" {
					t.Error(name, r, err)
				}
			}
			if err := cl.Close(ctx); err != nil {
				t.Error(err)
			}
			told := log.String()
			if n := strings.Count(told, "dropped from the server's list"); n != c.logged || c.logged > maxTold && !strings.Contains(told, "more=3") || strings.Contains(told, strings.Repeat("n", 65)) {
				t.Errorf("%d: %s", n, told)
			}
		})
	}
}

// maxTold is how many tools of one page the log names.
const maxTold = 10
