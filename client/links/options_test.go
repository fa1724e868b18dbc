package links

import "testing"

// New takes the default in the place of what Check refuses.
func TestWrongSettings(t *testing.T) {
	if l := New(nil, Options{QueueBytes: -1, SendTimeout: -2, CloseTimeout: -1}); l.opt.QueueBytes != DefaultQueueBytes || l.opt.SendTimeout != DefaultSendTimeout || l.opt.CloseTimeout != DefaultCloseTimeout {
		t.Errorf("%+v", l.opt)
	}
}
