package manager_test

import (
	"errors"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/protocol"
)

func TestSmoke(t *testing.T) {
	r := newRig(t, config())
	r.connect("files", manager.Options{Endpoint: "cmd", Supervise: true})
	out := r.do(r.m.CallTool(r.now, "files", "read", `{"a": 1}`, manager.RequestOptions{}))
	op := out.Op
	id := lastID(t, out)
	_ = id
	out = r.say("files", `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
	if ev := done(t, out, op); ev.Err != nil {
		t.Fatal(ev.Err)
	}
	r.take(r.m.Closed(r.now, r.link("files"), errors.New("boom")))
	r.sleep(time.Second)
	r.shake("files")
	r.take(r.m.Disconnect(r.now, "files"))
	r.sleep(time.Minute)
	t.Log(r.log.String())
	_ = protocol.MethodPing
}
