package protocol_test

import (
	"testing"
	"time"

	"github.com/sansmcp/mcp/protocol"
)

// What is no object stays as it is.
func TestCachePut(t *testing.T) {
	for result, want := range map[protocol.Raw]protocol.Raw{
		"": "", " ": " ", "5": "5", "[]": "[]", "{}": `{"ttlMs":1000,"cacheScope":"private"}`, ` { "a":1}`: `{"ttlMs":1000,"cacheScope":"private","a":1}`,
		"{": `{"ttlMs":1000,"cacheScope":"private"`,
	} {
		if got := (protocol.Cache{TTL: time.Second}).Put(result); got != want {
			t.Errorf("%q: %q", result, got)
		}
		if got := (protocol.Cache{}).Put(result); got != result {
			t.Errorf("%q: %q", result, got)
		}
	}
}
