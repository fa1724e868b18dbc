package limits_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/limits"
	"github.com/sansmcp/mcp/conformance/memory"
	"github.com/sansmcp/mcp/lifecycle"
)

// small are settings whose limits a test reaches.
func small() limits.Settings {
	s := limits.Defaults()
	s.Limits = lifecycle.Limits{Inbound: 64, Outbound: 64, Batch: 16, Subscriptions: 256, Text: 512, Schema: 8192}
	s.Message, s.Elements = 1<<20, 2000
	s.Pages, s.IDs = 40, 40
	s.Inbox, s.InboxBytes = 64, 256<<10
	s.StreamBytes, s.StreamAnswers, s.Listeners = 512<<10, 256<<10, 16
	return s
}

// slack is how much a row may exceed its bound, because the allocator rounds up.
const slack = 1.25

// brim fills a row.
type brim struct {
	name string // of the row
	how  string // the kind of content
	// fill prepares what is not measured. full does the rest and returns what must stay
	// alive; more checks it, and tries what is beyond the limits.
	fill func(t *testing.T, s limits.Settings, pad string) (full func() any, more func(t *testing.T))
}

// partial are ways to fill a row partially, with content that costs most
// in another way than by its bytes.
var partial = []string{"roots/many"}

// TestBrim fills each row with the messages of a hostile peer and measures what stays
// alive: at most what the table says, and not so little that the table says nothing.
//
// revisions: 2025-11-25..
// rows: SEC-101
func TestBrim(t *testing.T) {
	rows := map[string]limits.Row{}
	for _, r := range limits.Rows() {
		rows[r.Name] = r
	}
	tried := map[string]bool{}
	size := 256 << 10
	if testing.Short() {
		size = 64 << 10
	}
	pad := strings.Repeat("x", size)
	for _, b := range slices.Concat(stateBrims, roundBrims, otherBrims, transportBrims, manyBrims) {
		tried[b.name] = true
		t.Run(strings.Trim(b.name+"/"+b.how, "/"), func(t *testing.T) {
			s := small()
			bound := int64(rows[b.name].Bound(s))
			if b.name == "answers" {
				bound *= answers
			}
			var got int64
			var more func(*testing.T)
			for range 4 { // other parts of the process may have kept a few kilobytes
				var full func() any
				full, more = b.fill(t, s, pad)
				if got = memory.Retained(full); float64(got) <= slack*float64(bound) {
					break
				}
			}
			t.Logf("%d bytes stay alive, %d may", got, bound)
			if float64(got) > slack*float64(bound) {
				t.Errorf("%d bytes stay alive, %d may: %s", got, bound, rows[b.name].Formula)
			}
			if more(t); got < bound/16 && !slices.Contains(partial, b.name+"/"+b.how) {
				t.Errorf("%d bytes stay alive: the table allows %d, which says nothing", got, bound)
			}
			runtime.KeepAlive(pad)
		})
	}
	for name := range rows {
		if !tried[name] {
			t.Errorf("nothing fills %s", name)
		}
	}
}
