package naming

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/lifecycle"
)

// Each field of a Policy is checked: one wrong value each, named with its range. The zero Policy is
// the default.
func TestPolicyCheck(t *testing.T) {
	if err := (Policy{}).Check(); err != nil {
		t.Error(err)
	}
	if err := (Policy{Names: Always, URIs: Always, OnConflict: Hidden, OnLoss: Keep}).Check(); err != nil {
		t.Error(err)
	}
	wrong := map[string]struct {
		p    Policy
		want string
	}{
		"Form":       {Policy{Form: Form{Profile: 9}}, "naming: Form.Profile is 9: want 0 to 1"},
		"Names":      {Policy{Names: 3}, "naming: Names is 3: want 0 to 2"},
		"URIs":       {Policy{URIs: 3}, "naming: URIs is 3: want 0 to 2"},
		"OnConflict": {Policy{OnConflict: 2}, "naming: OnConflict is 2: want 0 to 1"},
		"OnLoss":     {Policy{OnLoss: 2}, "naming: OnLoss is 2: want 0 to 1"},
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Policy]()) {
		c, ok := wrong[field.Name]
		if err := c.p.Check(); !ok || !errors.Is(err, lifecycle.ErrConfig) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", field.Name, err)
		}
	}
}
