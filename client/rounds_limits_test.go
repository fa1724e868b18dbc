package client_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// What a result that asks makes a client keep is bounded: at a limit it asks, and can be restored, one
// above the request fails and nothing is kept.
//
// rows: MRTR-030
// revisions: 2026-07-28
func TestQuestionLimits(t *testing.T) {
	limits := lifecycle.Limits{Inbound: 3, Text: 64, Schema: 256}
	form := func(n int) string {
		const head, tail = `{"type":"object","properties":{"a":{"type":"string","title":"`, `"}}}`
		return head + strings.Repeat("t", n-len(head)-len(tail)) + tail
	}
	for name, c := range map[string]struct {
		most    int
		members func(n int) string
		asks    int // the questions at the limit
	}{
		"state": {limits.Schema, func(n int) string { return `"requestState":"` + strings.Repeat("s", n) + `"` }, 0},
		"key":   {limits.Text, func(n int) string { return strings.Replace(askName, `"n"`, `"`+strings.Repeat("k", n)+`"`, 1) }, 1},
		"form": {limits.Schema, func(n int) string {
			return `"inputRequests":{"n":{"method":"elicitation/create","params":{"message":"m","requestedSchema":` + form(n) + `}}}`
		}, 1},
		"questions": {limits.Inbound, func(n int) string {
			var list []string
			for i := range n {
				list = append(list, strings.Replace(askName[len(`"inputRequests":{`):len(askName)-1], `"n"`, `"`+string(rune('a'+i))+`"`, 1))
			}
			return `"inputRequests":{` + strings.Join(list, ",") + `}`
		}, limits.Inbound},
	} {
		a := newAsker(t, limits)
		o := a.result(1, `"resultType":"input_required",`+c.members(c.most))
		if s := a.c.Status(); s.Inbound != c.asks || s.Outbound != 1 || len(o.Events) != c.asks || len(o.Send) != max(0, 1-c.asks) {
			t.Errorf("%s at the limit: %+v %s", name, s, kinds(o))
		}
		a = newAsker(t, limits)
		o = a.result(1, `"resultType":"input_required",`+c.members(c.most+1))
		if s := a.c.Status(); s.Inbound != 0 || s.Outbound != 0 || len(o.Send) != 0 || !strings.Contains(kinds(o), lifecycle.RequestFailed.String()) {
			t.Errorf("%s above the limit: %+v %s", name, s, kinds(o))
		}
	}
	// What other requests ask counts too.
	a := newAsker(t, limits)
	a.result(1, `"resultType":"input_required",`+askName)
	var err error
	for id := 2; id <= 4; id++ {
		if a.c, _, err = a.c.Request(began, protocol.CallToolParams{Name: "t"}, client.RequestOptions{}); err != nil {
			t.Fatal(err)
		}
		a.result(id, `"resultType":"input_required",`+askName)
	}
	if s := a.c.Status(); s.Inbound != 3 || s.Outbound != 3 {
		t.Errorf("%+v", s)
	}
}
