package toolset

import "testing"

func TestSmoke(t *testing.T) {
	a := &fake{tools: []string{"read", "write"}, page: 1}
	b := &fake{tools: []string{"read", "list"}}
	w := start(t, Config{Servers: names("a", "b")}, a, b)
	t.Log(w.ids(), w.changes())
	show := func(name string) { id := w.call(name, `{}`); o, _ := w.result(id); if o.Err != nil { t.Logf("%v: %v", o.Err, o.Err.Cause) } else { t.Log(o.Result) }}
	show("read")
	show("mcp.b.read")
	show("nope")
	t.Log(a.calls, b.calls, a.lists)
}
