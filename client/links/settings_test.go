package links_test

import (
	"testing"

	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/conformance/settings"
)

func TestSettings(t *testing.T) {
	settings.Test(t, "links", links.Options{}, links.Options.Check, settings.Wants{
		"QueueBytes": "positive, or 0 for 1048576", "SendTimeout": "positive, 0 for 1m0s, or NoTimeout", "CloseTimeout": "positive, or 0 for 5s",
	})
}
