package naming_test

import (
	"testing"

	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/conformance/settings"
)

// The zero Policy is the default.
func TestPolicyCheck(t *testing.T) {
	settings.Test(t, "naming", naming.Policy{}, naming.Policy.Check, settings.Wants{
		"Form.Profile": "0 to 1", "Form.Max": "32 or more, or 0 for 128", "Names": "0 to 2", "URIs": "0 to 2", "OnConflict": "0 to 1", "OnLoss": "0 to 1",
	})
	if err := (naming.Policy{Names: naming.Always, URIs: naming.Always, OnConflict: naming.Hidden, OnLoss: naming.Keep}).Check(); err != nil {
		t.Error(err)
	}
}
