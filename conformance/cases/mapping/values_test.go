package mapping_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
)

// The machines for many servers have no exported mutable parts (B3), and methods that return
// a new value have the time, except those without any effect of time (G).
func TestMachinesOfServers(t *testing.T) {
	timeless := []string{"catalog.Catalog.SetLocal", "catalog.Catalog.Claim", "catalog.Catalog.Match"} // of what is there
	for _, m := range []any{manager.Manager{}, attempt.Executor{}, catalog.Catalog{}, calls.Caller{}, relay.Relay{}} {
		typ := reflect.TypeOf(m)
		for i := range typ.NumField() {
			if f := typ.Field(i); f.IsExported() {
				t.Errorf("%v has the field %s", typ, f.Name)
			}
		}
		verbs := 0
		for i := range typ.NumMethod() {
			f := typ.Method(i)
			if f.Type.NumOut() == 0 || f.Type.Out(0) != typ {
				continue
			}
			verbs++
			takes := false
			for j := range f.Type.NumIn() {
				takes = takes || f.Type.In(j) == reflect.TypeFor[time.Time]()
			}
			if name := typ.String() + "." + f.Name; takes == slices.Contains(timeless, name) {
				t.Errorf("%s takes the time: %v", name, takes)
			}
		}
		if verbs < 5 {
			t.Errorf("%v has %d verbs", typ, verbs)
		}
	}
	for _, f := range []any{manager.Manager.Status, manager.Manager.ServerInfo, catalog.Catalog.Lookup, calls.Tools.Lookup, calls.Tools.List} {
		for j := range reflect.TypeOf(f).NumIn() {
			if reflect.TypeOf(f).In(j) == reflect.TypeFor[time.Time]() {
				t.Errorf("%T takes the time, and only looks", f)
			}
		}
	}
}
