package session

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// An error of a request names its method, and what it is about, and stays what it is.
func TestErrorsNameTheRequest(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		for _, tt := range []struct {
			ask  protocol.Params
			want string
		}{
			{protocol.CallToolParams{Name: "add"}, `session: tools/call "add": jsonrpc error -32602: no`},
			{protocol.CallToolParams{Name: strings.Repeat("é", 40)}, `session: tools/call "` + strings.Repeat("é", 32) + `…": jsonrpc error -32602: no`},
			{&protocol.CallToolParams{Name: "sub"}, `session: tools/call "sub": jsonrpc error -32602: no`},
			{protocol.RawRequest{Name: "tools/call", Body: `{"name":"add"}`}, `session: tools/call "add": jsonrpc error -32602: no`},
			{protocol.ReadResourceParams{URI: "test://a"}, `session: resources/read "test://a": jsonrpc error -32602: no`},
			{protocol.SubscribeParams{URI: "test://a"}, `session: resources/subscribe "test://a": jsonrpc error -32602: no`},
			{protocol.SetLevelParams{Level: "info"}, `session: logging/setLevel: jsonrpc error -32602: no`},
		} {
			_, failed := later(func() (jsonrpc.Raw, error) { return c.Request(t.Context(), tt.ask, RequestOptions{}) })
			o := p.hear(protocol.MethodName(tt.ask))
			p.say(`"id":%s,"error":{"code":-32602,"message":"no"}`, o.Message.ID)
			err := within(t, failed)
			var of *requestError
			var e *jsonrpc.Error
			if !errors.As(err, &of) || !errors.As(err, &e) || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		}
		// One that is not sent is named once, and is not sent.
		_, err := c.Request(t.Context(), protocol.CompleteParams{}, RequestOptions{})
		if strings.Count(err.Error(), "completion/complete") != 1 || lifecycle.DeliveryOf(err) != lifecycle.NotSent {
			t.Error(err)
		}
		_, failed := later(func() (jsonrpc.Raw, error) {
			return c.Request(t.Context(), protocol.CallToolParams{Name: "add"}, RequestOptions{})
		})
		p.hear("tools/call")
		p.in <- news{err: io.ErrUnexpectedEOF}
		if err := within(t, failed); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(err.Error(), `session: tools/call "add": `) || lifecycle.DeliveryOf(err) != lifecycle.MayHaveRun {
			t.Error(err)
		}
	})
}
