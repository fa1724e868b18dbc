package jsonrpc_test

import (
	"reflect"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
)

// allocs fails if f allocates more often than it may.
func allocs(t *testing.T, name string, limit float64, f func()) {
	t.Helper()
	if got := testing.AllocsPerRun(200, f); got > limit {
		t.Errorf("%s: %v allocations, at most %v are allowed", name, got, limit)
	}
}

func TestAllocations(t *testing.T) {
	const failure = `{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"no","data":{"a":1}}}`
	const unreadable = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":`
	fresh := 1.0
	if race { // the race detector keeps the compiler from growing a slice in one step
		fresh = 2
	}
	buf := make([]byte, 0, 1024)
	for name, text := range map[string]string{
		"call": smallCall, "result": smallResult, "ping": smallPing, "notification": smallNote, "unreadable": unreadable, "no object": "42",
	} {
		data := []byte(text)
		allocs(t, name+": Decode", 1, func() { sinkMessage = jsonrpc.Decode(data) })
		allocs(t, name+": DecodeString", 0, func() { sinkMessage = jsonrpc.DecodeString(text) })
		m := jsonrpc.DecodeString(text)
		allocs(t, name+": Append to nothing", fresh, func() { sinkBytes = jsonrpc.Append(nil, m) })
		allocs(t, name+": AppendLine to nothing", fresh, func() { sinkBytes = jsonrpc.AppendLine(nil, m) })
		allocs(t, name+": AppendLine", 0, func() { sinkBytes = jsonrpc.AppendLine(buf, m) })
	}
	m := jsonrpc.DecodeString(failure)
	allocs(t, "error: DecodeString", 1, func() { sinkMessage = jsonrpc.DecodeString(failure) })
	allocs(t, "error: Append to nothing", fresh, func() { sinkBytes = jsonrpc.Append(nil, m) })
	allocs(t, "error: AppendLine", 0, func() { sinkBytes = jsonrpc.AppendLine(buf, m) })

	spelled := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1.0,"method":"ping"}`)
	allocs(t, "spelled: Append", 0, func() { sinkBytes = jsonrpc.Append(buf, spelled) })
}

func TestSizes(t *testing.T) {
	if got := reflect.TypeFor[jsonrpc.Message]().Size(); got > 96 {
		t.Errorf("a Message has %d bytes", got)
	}
	if got := reflect.TypeFor[jsonrpc.ID]().Size(); got > 24 {
		t.Errorf("an ID has %d bytes", got)
	}
}
