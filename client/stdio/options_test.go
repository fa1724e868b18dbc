package stdio_test

import (
	"errors"
	"math"
	"os/exec"
	"reflect"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/stdio"
	"github.com/sansmcp/mcp/lifecycle"
)

// Each setting that is wrong is told with its field, its value and what it may be, and nothing is
// started. The fields are found by reflection: a new one fails until it is here.
func TestSettings(t *testing.T) {
	want := map[string]string{
		"QueueBytes": "want positive, or 0 for 33554432", "MaxBytes": "want positive, or 0 for 16777216", "Stall": "want positive, or 0 for 30s",
		"Term": "want positive, or 0 for 1.5s", "Kill": "want positive, or 0 for 1.5s", "Linger": "want positive, or 0 for 500ms",
	}
	for i := range reflect.TypeFor[stdio.Options]().NumField() {
		field := reflect.TypeFor[stdio.Options]().Field(i)
		for _, bad := range []int64{-1, -2, math.MinInt64} {
			var opt stdio.Options
			reflect.ValueOf(&opt).Elem().Field(i).SetInt(bad)
			cmd := exec.Command("/there/is/no/such/server")
			_, err := stdio.Start(cmd, opt)
			var of *lifecycle.ConfigError
			if !errors.As(err, &of) || of.Package != "stdio" || of.Field != field.Name || of.Why != want[field.Name] || cmd.Stdout != nil {
				t.Errorf("%s %d: %v", field.Name, bad, err)
			}
		}
	}
	if _, err := stdio.Start(exec.Command("/there/is/no/such/server"), stdio.Options{Term: time.Second, MaxBytes: math.MaxInt}); err == nil || errors.Is(err, lifecycle.ErrConfig) {
		t.Error(err)
	}
}
