package rows_test

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// wholeInfo has all members of an info, leanInfo those of the first revision.
const (
	wholeInfo = `{"name":"n","title":"t","version":"1","description":"d","websiteUrl":"https://a.example","icons":[{"src":"https://a.example/i.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"},{"src":"data:,"}]}`
	titleInfo = `{"name":"n","title":"t","version":"1"}`
	leanInfo  = `{"name":"n","version":"1"}`
)

// named is a side with a whole info.
func named(t testing.TB, role protocol.Party) verbs.Side {
	info, err := protocol.Decode[protocol.Implementation](wholeInfo)
	if err != nil {
		t.Fatal(err)
	}
	if role == protocol.Server {
		return verbs.NewServer(t, server.Config{Info: info, Serve: []string{"tools/call"}})
	}
	return verbs.NewClient(t, client.Config{Info: info})
}

// meet passes the peer's info to x in the handshake, and returns what was sent.
func meet(x verbs.Side, r protocol.Revision, info string) (verbs.Side, string) {
	x.T.Helper()
	if x.Role == protocol.Server {
		x, out := x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":%s}}`, r, info))
		x, _ = x.Receive(verbs.Initialized)
		return x, line(x.T, out)
	}
	x, hello := x.Begin(r, "")
	x, _ = x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":%q,"capabilities":{},"serverInfo":%s}}`, r, info))
	return x, line(x.T, hello)
}

// Both sides get the whole info of the other, keep it in a snapshot, and keep
// nothing else of its message.
//
// revisions: 2025-11-25..
// rows: LIFE-101
func TestWhoThePeerIs(t *testing.T) {
	r := protocol.Revision20251125
	want, err := protocol.Decode[protocol.Implementation](wholeInfo)
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range roles {
		x, said := meet(named(t, role), r, wholeInfo)
		in(t, x, lifecycle.Ready)
		if !strings.Contains(said, `Info":`+wholeInfo) {
			t.Errorf("the %v says %s", role, said)
		}
		if !reflect.DeepEqual(x.Peer(), want) {
			t.Errorf("the %v has met %+v", role, x.Peer())
		}
		if back := restored(t, x); !reflect.DeepEqual(back.Peer(), want) {
			t.Errorf("the %v has met %+v before the snapshot", role, back.Peer())
		}
		const size = 1 << 20
		var kept []verbs.View
		before := heapInUse()
		for range 8 { // an unknown member makes the message large
			x, _ := meet(named(t, role), r, strings.TrimSuffix(wholeInfo, "}")+`,"x":"`+strings.Repeat("x", size)+`"}`)
			kept = append(kept, x.View)
		}
		if more := heapInUse() - before; more > size {
			t.Errorf("%d sessions of the %v keep %d bytes", len(kept), role, more)
		}
		runtime.KeepAlive(kept)
	}
}

// restored returns x restored from its snapshot.
func restored(t testing.TB, x verbs.Side) verbs.View {
	t.Helper()
	info := protocol.Implementation{Name: "other", Version: "1"}
	if x.Role == protocol.Server {
		s, err := server.Restore(server.Config{Info: info, Serve: []string{"tools/call"}, Unlisted: true}, x.Snapshot(), x.Now)
		if err != nil {
			t.Fatal(err)
		}
		return verbs.Server(s)
	}
	c, err := client.Restore(client.Config{Info: info}, x.Snapshot(), x.Now)
	if err != nil {
		t.Fatal(err)
	}
	return verbs.Client(c)
}

func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // what a finalizer held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A server omits what the negotiated revision does not have, and reports
// that. A client does not know the revision yet and sends everything.
//
// revisions: ..2025-06-18
// rows: LIFE-102
func TestWhatOlderPeersAreTold(t *testing.T) {
	for _, r := range protocol.Revisions() {
		info, lossy := map[string]string{"2025-06-18": titleInfo, "2025-03-26": leanInfo, "2024-11-05": leanInfo}[r.String()], true
		if info == "" {
			info, lossy = wholeInfo, false
		}
		_, out := named(t, protocol.Server).Begin(r, "{}")
		body := fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":%s}`, r, info)
		degraded(t, out, r, "initialize", body, lossy)
	}
	_, said := meet(named(t, protocol.Client), protocol.Revision20241105, leanInfo)
	if !strings.Contains(said, `"clientInfo":`+wholeInfo) {
		t.Errorf("the client says %s", said)
	}
	for _, r := range protocol.Revisions() { // except that a client that supports nothing newer sends what that revision has
		info, err := protocol.Decode[protocol.Implementation](wholeInfo)
		if err != nil {
			t.Fatal(err)
		}
		c := verbs.NewClient(t, client.Config{Info: info, Revisions: []protocol.Revision{r}})
		_, out := c.Begin(r, "")
		want, lossy := map[string]string{"2025-06-18": titleInfo, "2025-03-26": leanInfo, "2024-11-05": leanInfo}[r.String()], true
		if want == "" {
			want, lossy = wholeInfo, false
		}
		degraded(t, out, r, "initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":%s}`, r, want), lossy)
	}
}

// The texts of a peer's info are cut to the limit, and icons that are longer
// together are dropped: what is kept of a peer does not grow with what it sends.
//
// revisions: 2025-11-25..
// rows: SEC-101
func TestHowMuchThePeerIs(t *testing.T) {
	long := strings.Repeat("x", 5000)
	icons := strings.TrimSuffix(strings.Repeat(`{"src":"data:,`+long[:500]+`"},`, 9), ",")
	for _, role := range roles {
		info := fmt.Sprintf(`{"name":"n","version":%q,"description":%q,"websiteUrl":%q,"icons":[%s]}`, long, long, long, icons)
		x, _ := meet(named(t, role), protocol.Revision20251125, info)
		p := x.Peer()
		for what, n := range map[string]int{"version": len(p.Version), "description": len(p.Description), "websiteUrl": len(p.WebsiteURL)} {
			if n == 0 || n > 4096 {
				t.Errorf("the %v keeps %d bytes of the %s", role, n, what)
			}
		}
		if p.Icons != nil {
			t.Errorf("the %v keeps %d icons", role, len(p.Icons))
		}
		x, _ = meet(named(t, role), protocol.Revision20251125, `{"name":"n","version":"1","icons":[`+strings.Repeat(`{"src":5},`, 500)+`{"src":"data:,"}]}`)
		if got := x.Peer().Icons; len(got) != 1 || got[0].Src != "data:," {
			t.Errorf("the %v has kept %+v", role, got)
		}
	}
}
