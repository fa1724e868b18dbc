package lifecycle_test

import (
	"errors"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
)

func TestFiller(t *testing.T) {
	const none = lifecycle.NoTimeout
	for _, c := range []struct {
		name string
		fill func(*lifecycle.Filler) any
		want any
		text string
	}{
		{"zero time", fillTime(0, time.Second, lifecycle.NeverNone), time.Second, ""},
		{"a time", fillTime(1, time.Second, lifecycle.NeverNone), time.Duration(1), ""},
		{"none where it may be", fillTime(none, time.Second, lifecycle.MayBeNone), none, ""},
		{"none by default", fillTime(0, none, lifecycle.MayBeNone), none, ""},
		{"none where it may not be", fillTime(none, time.Second, lifecycle.NeverNone), time.Second, "p: A.B is -1ns: want positive, or 0 for 1s"},
		{"negative where none may be", fillTime(-2, time.Second, lifecycle.MayBeNone), time.Second, "p: A.B is -2ns: want positive, 0 for 1s, or NoTimeout"},
		{"negative, none by default", fillTime(-7*time.Second, none, lifecycle.MayBeNone), none, "p: A.B is -7s: want positive, or 0 for no limit"},
		{"zero count", fillCount(0, 5), 5, ""},
		{"a count", fillCount(1, 5), 1, ""},
		{"negative count", fillCount(-1, 5), 5, "p: N is -1: want positive, or 0 for 5"},
		{"negative, no limit by default", fillCount(-1, 0), 0, "p: N is -1: want positive, or 0 for no limit"},
		{"first choice", fillChoice(0), 0, ""},
		{"last choice", fillChoice(2), 2, ""},
		{"beyond the last", fillChoice(3), 3, "p: C is 3: want 0 to 2"},
		{"before the first", fillChoice(-1), -1, "p: C is -1: want 0 to 2"},
		{"the first is reported", func(f *lifecycle.Filler) any {
			f.Wrong("X", `"y"`, "want z")
			f.Wrong("Z", "1", "want 2")
			return nil
		}, nil, `p: X is "y": want z`},
		{"of another package", func(f *lifecycle.Filler) any {
			f.Within("Q", nil)
			f.Within("Q", errors.New("not of a setting"))
			f.Within("Inner", &lifecycle.ConfigError{Package: "q", Field: "A.B", Value: "1", Why: "want 2"})
			return nil
		}, nil, `p: Inner.A.B is 1: want 2`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var f lifecycle.Filler
			if got := c.fill(&f); got != c.want {
				t.Errorf("filled in %v, want %v", got, c.want)
			}
			err := f.Err("p")
			if c.text == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var ce *lifecycle.ConfigError
			if err == nil || err.Error() != c.text || !errors.Is(err, lifecycle.ErrConfig) || !errors.As(err, &ce) {
				t.Fatalf("err = %v, want %s", err, c.text)
			}
		})
	}
}

func fillTime(d, otherwise time.Duration, none lifecycle.None) func(*lifecycle.Filler) any {
	return func(f *lifecycle.Filler) any { f.Time("A.B", &d, otherwise, none); return d }
}

func fillCount(n, otherwise int) func(*lifecycle.Filler) any {
	return func(f *lifecycle.Filler) any { f.Count("N", &n, otherwise); return n }
}

func fillChoice(v int) func(*lifecycle.Filler) any {
	return func(f *lifecycle.Filler) any { f.Choice("C", v, 2); return v }
}
