package child_test

import (
	"errors"
	"math"
	"os/exec"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/conformance/settings"
	"github.com/sansmcp/mcp/lifecycle"
)

// A setting that cannot be is refused before anything is started.
func TestSettings(t *testing.T) {
	check := func(opt child.Options) error {
		cmd := exec.Command("/there/is/no/such/server")
		_, err := child.Start(cmd, opt)
		if refused := errors.Is(err, lifecycle.ErrConfig); refused == (cmd.Stdout != nil) || err == nil {
			t.Errorf("%+v: %v, and it was started: %v", opt, err, cmd.Stdout != nil)
		} else if !refused {
			err = nil
		}
		return err
	}
	settings.Test(t, "child", child.Options{}, check, settings.Wants{
		"QueueBytes": "positive, or 0 for 33554432", "MaxBytes": "positive, or 0 for 16777216", "Stall": "positive, or 0 for 30s",
		"Term": "positive, or 0 for 1.5s", "Kill": "positive, or 0 for 1.5s", "Linger": "positive, or 0 for 500ms",
	})
	if err := check(child.Options{Term: time.Second, MaxBytes: math.MaxInt}); err != nil {
		t.Error(err)
	}
}
