package remote_test

import (
	"testing"

	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/conformance/settings"
)

func TestSettings(t *testing.T) {
	check := func(o remote.Options) error {
		_, err := remote.New("http://localhost", o)
		return err
	}
	settings.Test(t, "remote", remote.Options{}, check, settings.Wants{
		"HeaderTimeout": "positive, or 0 for 30s", "Idle": "positive, 0 for 5m0s, or NoTimeout", "MaxPosts": "positive, or 0 for 32",
		"Exchange.MaxBytes": "positive, or 0 for 16777216", "Exchange.Attempts": "positive, or 0 for 5", "Exchange.Polls": "positive, or 0 for 100",
		"Exchange.Wait": "positive, or 0 for 1s", "Exchange.MaxWait": "positive, or 0 for 30s", "Exchange.MinWait": "positive, or 0 for 100ms",
		"Exchange.Logins": "positive, or 0 for 3",
	})
}
