package build_test

import (
	"errors"
	"testing"

	"github.com/sansmcp/mcp/protocol/schema/build"
)

// A value that would be changed or lost in writing is a mistake.
func TestNothingIsLeftOut(t *testing.T) {
	deep := build.String()
	for range 5000 {
		deep = build.Array(deep)
	}
	flat := build.String()
	for range 300 { // each adds two levels of JSON
		flat = build.Object(build.Prop("a", flat))
	}
	for name, s := range map[string]build.Schema{
		"const": build.Const(""), "min": build.Integer().Min(""), "max": build.Integer().Max(""), "above": build.Number().Above(""),
		"below": build.Number().Below(""), "multiple": build.Number().MultipleOf(""), "default": build.Any().Default(""),
		"examples": build.Any().Examples(""), "names": build.Object(build.Prop("\xff", build.String())),
		"definition": build.Any().Def("\xff", build.String()), "deep": deep, "flat": flat,
	} {
		var e *build.Error
		if err := s.Check(); !errors.As(err, &e) {
			t.Error(name, err)
		}
	}
	if err := build.Object(build.Prop("\ufffd", build.String()), build.Prop("", build.String())).Check(); err != nil {
		t.Error(err)
	}
}
