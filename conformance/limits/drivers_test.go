package limits_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// stuck is a peer that does not read.
type stuck struct{ done chan struct{} }

func (s stuck) Write(b []byte) (int, error) { <-s.done; return 0, io.ErrClosedPipe }

func (s stuck) Close() error { close(s.done); return nil }

// The queue of a Writer holds the default number of bytes, and the Writer fails once it
// has not moved for the default time.
func TestDefaultsOfPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := pipe.NewWriter(stuck{make(chan struct{})}, 0, 0)
		const piece = 1 << 20
		head := jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"x","params":{"a":""}}`)
		m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"x","params":{"a":"` + strings.Repeat("x", piece-len(jsonrpc.AppendLine(nil, head))) + `"}}`)
		for range pipe.DefaultQueueBytes/piece - 1 {
			w.Send(m)
		}
		if w.Full() {
			t.Error("full before the limit")
		}
		if w.Send(m); !w.Full() {
			t.Error("not full at the limit")
		}
		time.Sleep(pipe.DefaultStall - 1)
		synctest.Wait()
		if err := w.Err(); err != nil {
			t.Error(err)
		}
		time.Sleep(2 * time.Nanosecond)
		synctest.Wait()
		if err := w.Err(); !errors.Is(err, pipe.ErrStalled) {
			t.Error(err)
		}
		_ = w.Close(0)
	})
}

// Each text of a tool error at its length limit and beyond.
func TestTextsOfToolErrors(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	parse := func(format string, args ...any) *toolerror.Error {
		t.Helper()
		e, ok := toolerror.ParsePayload(protocol.Raw(fmt.Sprintf(format, args...)))
		if !ok {
			t.Fatalf("%.200s is no payload", fmt.Sprintf(format, args...))
		}
		return e
	}
	for name, tt := range map[string]struct {
		most int
		kept func(n int) int
	}{
		"text": {4096, func(n int) int {
			return len(toolerror.FromResult("t", &protocol.CallToolResult{IsError: true, Content: []protocol.Content{protocol.TextContent(x(n))}}).Text)
		}},
		"name of a tool": {128, func(n int) int {
			return len(parse(`{"isError":true,"toolName":%q,"errorType":"timeout"}`, x(n)).Tool)
		}},
		"path": {256, func(n int) int {
			return len(parse(`{"isError":true,"toolName":"t","errorType":"invalid_arguments","parameterErrors":[{"path":%q,"errorType":"missing_parameter"}]}`, x(n)).Parameters[0].Path)
		}},
		"want": {256, func(n int) int {
			return len(parse(`{"isError":true,"toolName":"t","errorType":"invalid_arguments","parameterErrors":[{"path":"/a","errorType":"missing_parameter","expected":%q}]}`, x(n)).Parameters[0].Want)
		}},
		"names": {20, func(n int) int {
			return len(parse(`{"isError":true,"toolName":"t","errorType":%q,"availableTools":%s}`, toolerror.UnknownTool.Code(), list(`"%d"`, 0, n)).Names)
		}},
	} {
		if got := tt.kept(tt.most); got != tt.most {
			t.Errorf("%s: %d of %d are kept", name, got, tt.most)
		}
		if got := tt.kept(tt.most + 1); got > tt.most || got < tt.most-8 {
			t.Errorf("%s: %d of one more than %d are kept", name, got, tt.most)
		}
	}
	for extra, want := range []int{64 << 10, 0} {
		data := protocol.Raw(`"` + x(64<<10-2+extra) + `"`)
		if got := len(toolerror.FromRPC("t", jsonrpc.Error{Data: data}).Data); got != want {
			t.Errorf("data of %d bytes: %d are kept", len(data), got)
		}
	}
	const payload = `{"isError":true,"toolName":"t","errorType":"timeout"}`
	for extra, want := range []bool{true, false} {
		if _, ok := toolerror.ParsePayload(protocol.Raw(payload + strings.Repeat(" ", 1<<20-len(payload)+extra))); ok != want {
			t.Errorf("a payload of %d bytes more than may be: %v", extra, ok)
		}
	}
}
