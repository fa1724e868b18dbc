package gateway

import (
	"github.com/sansmcp/mcp/client/internal/sendqueue"
	"github.com/sansmcp/mcp/client/manager"
)

// inbox holds the reports of a session's links that no step has handled yet, in order.
type inbox struct {
	reports []manager.Report
	load    map[manager.Link]load
}

// load is the share of one link in the inbox.
type load struct{ messages, bytes int }

// full reports whether a link must wait.
func (b *inbox) full(l manager.Link) bool {
	n := b.load[l]
	return n.messages >= queueMessages || n.bytes >= queueBytes
}

// push adds a report.
func (b *inbox) push(r manager.Report) {
	b.reports = append(b.reports, r)
	if b.load == nil {
		b.load = map[manager.Link]load{}
	}
	n := b.load[r.Link]
	b.load[r.Link] = load{n.messages + 1, n.bytes + size(r)}
}

// head returns the first n reports, or all if there are fewer. They stay.
func (b *inbox) head(n int) []manager.Report {
	n = min(n, len(b.reports))
	return b.reports[:n:n]
}

// drop removes the first n reports.
func (b *inbox) drop(n int) {
	for i := range b.reports[:n] {
		r := &b.reports[i]
		left := b.load[r.Link]
		if left.messages--; left.messages == 0 {
			delete(b.load, r.Link)
		} else {
			b.load[r.Link] = load{left.messages, left.bytes - size(*r)}
		}
		*r = manager.Report{} // a step that is discarded may read it, and commit does not
	}
	if b.reports = b.reports[n:]; len(b.reports) == 0 {
		b.reports = nil
	}
}

// size returns approximately how much memory a report holds, in bytes.
func size(r manager.Report) int {
	n := sendqueue.Size(r.Message)
	if r.Message.Kind != 0 {
		for _, m := range r.Message.Batch() {
			n += sendqueue.Size(m)
		}
	}
	return n
}
