package limits_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/limits"
	"github.com/sansmcp/mcp/lifecycle"
)

// Every numeric limit of a Config bounds a row, except the one that keeps nothing.
// A row grows with exactly the settings that it names.
func TestSettings(t *testing.T) {
	named := map[string]bool{"Batch": true}
	for _, r := range limits.Rows() {
		base := r.Bound(limits.Defaults())
		for _, s := range r.Settings {
			name := strings.TrimPrefix(s.Name, "Limits.")
			named[name] = true
			if s.Of(limits.Defaults()) == 0 {
				t.Errorf("%s: %s has no default", r.Name, s.Name)
			}
		}
		l := reflect.TypeFor[lifecycle.Limits]()
		for i := range l.NumField() {
			if l.Field(i).Type.Kind() != reflect.Int {
				continue
			}
			larger := limits.Defaults()
			f := reflect.ValueOf(&larger.Limits).Elem().Field(i)
			f.SetInt(100 * f.Int())
			grows, says := r.Bound(larger) > base, false
			for _, s := range r.Settings {
				says = says || s.Name == "Limits."+l.Field(i).Name
			}
			if grows != says {
				t.Errorf("%s: it grows with Limits.%s: %v; its settings say %v", r.Name, l.Field(i).Name, grows, says)
			}
		}
	}
	l := reflect.TypeFor[lifecycle.Limits]()
	for i := range l.NumField() {
		if f := l.Field(i); f.Type.Kind() == reflect.Int && !named[f.Name] {
			t.Errorf("no row names Limits.%s", f.Name)
		}
	}
}
