package manager_test

import (
	"reflect"
	"testing"

	"github.com/sansmcp/mcp/client/manager"
)

// Nobody can reach into a Manager or an Inbox to put something there (row B3): tests drive
// them as a driver does.
func TestNoFields(t *testing.T) {
	for _, of := range []reflect.Type{reflect.TypeFor[manager.Manager](), reflect.TypeFor[manager.Inbox](), reflect.TypeFor[manager.Op]()} {
		for i := range of.NumField() {
			if f := of.Field(i); f.IsExported() {
				t.Errorf("%v.%s is exported", of, f.Name)
			}
		}
	}
}
