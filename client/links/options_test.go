package links

import (
	"testing"

	"github.com/sansmcp/mcp/lifecycle"
)

// New takes the default in the place of what Check refuses.
func TestWrongSettings(t *testing.T) {
	if l := New(nil, Options{QueueBytes: -1, SendTimeout: -2, CloseTimeout: -1}); l.opt.QueueBytes != DefaultQueueBytes || l.opt.SendTimeout != DefaultSendTimeout || l.opt.CloseTimeout != DefaultCloseTimeout {
		t.Errorf("%+v", l.opt)
	}
}

// The end of a session says nothing of the next one: what it kept may be tried again.
func TestSessionGoneIsTemporary(t *testing.T) {
	if e := (&SessionGone{}); !e.Temporary() || e.Delivery() != lifecycle.Rejected {
		t.Error(e.Temporary(), e.Delivery())
	}
}
