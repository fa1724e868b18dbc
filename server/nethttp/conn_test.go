package nethttp

import (
	"reflect"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/server/streams"
)

// A conn that goes back to the pool has nothing of the response that it was made for: with the number of
// the last event that was written there, events of another stream would count as written.
func TestFreedConn(t *testing.T) {
	h := new(Handler)
	kept := map[string]bool{"wake": true, "answer": true, "timer": true, "pool": true}
	c := h.newConn()
	c.at, c.waits, c.epoch, c.call, c.over = streams.Conn{Stream: 1, Gen: 1}, true, 1, jsonrpc.Int(1), make(chan struct{})
	c.written.Store(1)
	c.signal()
	c.answer <- []byte("{}")
	fields := reflect.ValueOf(c).Elem()
	for i := range fields.NumField() {
		if name := fields.Type().Field(i).Name; fields.Field(i).IsZero() {
			t.Errorf("the test leaves out %s", name)
		}
	}
	c.free()
	for i := range fields.NumField() {
		if name := fields.Type().Field(i).Name; fields.Field(i).IsZero() == kept[name] {
			t.Errorf("%s is %v", name, fields.Field(i))
		}
	}
	if len(c.wake)+len(c.answer) > 0 {
		t.Error("it has a signal or an answer of another response")
	}
}
