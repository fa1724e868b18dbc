package client_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// A Pager that was restored beside its State goes on where it was, at every point of a listing.
func TestRestorePager(t *testing.T) {
	s := ready(t)
	p, err := client.NewPager("tools/list")
	if err != nil {
		t.Fatal(err)
	}
	p.MaxPages, p.MaxItems, p.MaxBytes = 4, 50, 10_000
	both := func() {
		t.Helper()
		text := string(p.AppendJSON(nil))
		next, err := client.Restore(client.Config{Info: config().Info}, s.Snapshot(), t0)
		if err != nil {
			t.Fatal(err)
		}
		q, err := client.RestorePager(next, []byte(text))
		if err != nil {
			t.Fatalf("%v of %s", err, text)
		}
		if got := string(q.AppendJSON(nil)); got != text || q.Done() != p.Done() {
			t.Fatalf("%s, want %s", got, text)
		}
		s, p = next, q
	}
	both()
	items := 0
	for i, cursor := range []string{"x", `y"`, "", "x"} {
		var out client.Output
		if p, s, out, err = p.Next(s, t0, client.RequestOptions{}); err != nil {
			t.Fatal(err)
		}
		id := out.Send[0].Message.ID
		both()
		s, out = s.Receive(t0, jsonrpc.Decode(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%v,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}],"nextCursor":%q}}`, id, cursor)))
		var page []jsonrpc.Raw
		var mine bool
		p, page, mine, err = p.Page(out.Events[0])
		if items += len(page); !mine || (i == 3) != errors.Is(err, client.ErrRepeat) {
			t.Fatalf("%d: %v %v", i, mine, err)
		}
		both()
	}
	if items != 4 || !p.Done() {
		t.Errorf("%d items, done %v", items, p.Done())
	}
	// What no Pager has written.
	p, _ = client.NewPager("prompts/list")
	p, s, _, _ = p.Next(s, t0, client.RequestOptions{})
	good := string(p.AppendJSON(nil))
	for _, tt := range []struct{ old, with string }{
		{`"prompts/list"`, `"prompts/get"`}, {`"begun":true`, `"x":true`}, {`"begun":true`, `"begun":1`},
		{`"limits":[0,0,0]`, `"limits":[0,0,0,0]`}, {`"limits":[0,`, `"limits":[-1,`}, {`"begun"`, `"seen":[1,1],"begun"`}, {`"begun"`, `"seen":["x"],"begun"`},
		{`"begun"`, `"items":-1,"begun"`}, {`"begun"`, `"items":9007199254740993,"begun"`}, {`"begun"`, `"bytes":9007199254740993,"begun"`}, {`"req":`, `"req":-`},
		{`"begun":true`, `"begun":true,"cursor":"` + strings.Repeat("x", 70_000) + `"`}, {`{`, `[`},
	} {
		bad := strings.Replace(good, tt.old, tt.with, 1)
		if _, err := client.RestorePager(s, []byte(bad)); bad == good || !errors.Is(err, lifecycle.ErrSnapshot) {
			t.Errorf("%.200s: %v", bad, err)
		}
	}
	// The zero Pager has ended, and stays so.
	q, err := client.RestorePager(s, client.Pager{}.AppendJSON(nil))
	if err != nil || !q.Done() {
		t.Errorf("%v", err)
	}
}

// RestoreSession restores sessions of one Config without another copy of it.
func TestRestoreSession(t *testing.T) {
	proto, err := client.New(config(), t0)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := proto.Initialize(t0)
	if err != nil {
		t.Fatal(err)
	}
	data := s.Snapshot()
	r, err := proto.RestoreSession(t0, data)
	if err != nil || string(r.Snapshot()) != string(data) {
		t.Fatal(err)
	}
	apart := testing.AllocsPerRun(10, func() { _, _ = client.Restore(config(), data, t0) })
	shared := testing.AllocsPerRun(10, func() { _, _ = proto.RestoreSession(t0, data) })
	if shared >= apart {
		t.Errorf("%v allocations, and %v with a Config of its own", shared, apart)
	}
	if _, err := (client.State{}).RestoreSession(t0, data); !errors.Is(err, lifecycle.ErrParams) {
		t.Error(err)
	}
	if _, err := proto.RestoreSession(t0, []byte("{}")); !errors.Is(err, lifecycle.ErrSnapshot) {
		t.Error(err)
	}
}
