package jsonrpc_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/sansmcp/mcp/jsonrpc"
)

// A clone of an id shares no memory with the message that the id was in.
func TestCloneSharesNothing(t *testing.T) {
	at := func(s string) uintptr { return uintptr(unsafe.Pointer(unsafe.StringData(s))) }
	for _, text := range []string{"a", "a longer text than fits into a word", strings.Repeat("x", 5000)} {
		m := jsonrpc.Decode([]byte(`{"jsonrpc":"2.0","id":"` + text + `","method":"m"}`))
		mine, ok := m.ID.Str()
		clone, _ := m.ID.Clone().Str()
		if !ok || clone != text || at(mine) <= at(clone) && at(clone) < at(mine)+uintptr(len(mine)) {
			t.Errorf("the clone of %.20q is %.20q and shares memory", mine, clone)
		}
	}
}
