package toolerror_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// What a payload of another program says is kept up to its limit, and cut one byte above it.
func TestCuts(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit int
		text  string // with * in the place of the text
		of    func(*toolerror.Error) string
	}{
		{"toolName", 128, `{"isError":true,"toolName":"*","errorType":"timeout","message":""}`, func(e *toolerror.Error) string { return e.Tool }},
		{"text", 4096, `{"isError":true,"toolName":"t","errorType":"remote_tool","message":"","text":"*"}`, func(e *toolerror.Error) string { return e.Text }},
		{"message", 4096, `{"isError":true,"toolName":"t","errorType":"handler_error","message":"*"}`, func(e *toolerror.Error) string { return e.Text }},
		{"exceptionType", 128, `{"isError":true,"toolName":"t","errorType":"execution_error","message":"","exceptionType":"*"}`, func(e *toolerror.Error) string { return e.Exception }},
		{"path", 256, parameter(`"path":"*","kind":"type_mismatch"`), func(e *toolerror.Error) string { return e.Parameters[0].Path }},
		{"expectedType", 256, parameter(`"path":"/a","kind":"type_mismatch","expectedType":"*"`), func(e *toolerror.Error) string { return e.Parameters[0].Want }},
		{"receivedType", 128, parameter(`"path":"/a","kind":"type_mismatch","receivedType":"*"`), func(e *toolerror.Error) string { return e.Parameters[0].Got }},
	} {
		for n := c.limit - 1; n <= c.limit+1; n++ {
			e, ok := toolerror.ParsePayload(protocol.Raw(strings.Replace(c.text, "*", strings.Repeat("x", n), 1)))
			if !ok {
				t.Fatal(c.name)
			}
			got := c.of(e)
			if whole := got == strings.Repeat("x", n); whole != (n <= c.limit) || len(got) > c.limit {
				t.Errorf("%s of %d bytes: %d are kept", c.name, n, len(got))
			}
		}
	}
	for n := 15; n <= 17; n++ {
		list := strings.Repeat(`,{"path":"/a","kind":"type_mismatch"}`, n)[1:]
		e, ok := toolerror.ParsePayload(protocol.Raw(`{"isError":true,"toolName":"t","errorType":"invalid_arguments","message":"","parameterErrors":[` + list + `]}`))
		if !ok || len(e.Parameters) != min(n, 16) {
			t.Errorf("%d faults: %v", n, e)
		}
	}
	for n := 19; n <= 21; n++ {
		names := make([]string, 0, n)
		for i := range n {
			names = append(names, `"`+string(rune('a'+i))+`"`)
		}
		e, ok := toolerror.ParsePayload(protocol.Raw(`{"isError":true,"toolName":"t","errorType":"unknown_function","message":"","availableTools":[` + strings.Join(names, ",") + `]}`))
		if !ok || len(e.Names) != min(n, 20) {
			t.Errorf("%d names: %v", n, e)
		}
	}
}

func parameter(members string) string {
	return `{"isError":true,"toolName":"t","errorType":"invalid_arguments","message":"","parameterErrors":[{` + members + `}]}`
}
