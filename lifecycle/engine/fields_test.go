package engine_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// What each method of Fields reads, to the last value that it takes; of what it does not,
// and of all that is read after a fault, it gives the zero value.
func TestFields(t *testing.T) {
	number := func(f *engine.Fields) any { return f.Number("x") }
	instant := func(f *engine.Fields) any { return f.Instant("x") }
	text := func(f *engine.Fields) any { return f.Text("x") }
	flag := func(f *engine.Fields) any { return f.Flag("x") }
	bad := struct{}{}
	for _, c := range []struct {
		raw  string
		read func(f *engine.Fields) any
		want any
	}{
		{"0", number, uint64(0)}, {"7", number, uint64(7)}, {"9", number, uint64(9)}, {"10", number, uint64(10)},
		{"18446744073709551614", number, uint64(math.MaxUint64 - 1)}, {"18446744073709551615", number, uint64(math.MaxUint64)},
		{"18446744073709551616", number, bad}, {"18446744073709551620", number, bad}, {"28446744073709551615", number, bad},
		{"184467440737095516150", number, bad}, {"-1", number, bad}, {"1.0", number, bad}, {"1e3", number, bad},
		{`"1"`, number, bad}, {"null", number, bad}, {"[]", number, bad},
		{"0", instant, int64(0)}, {"-7", instant, int64(-7)}, {"1e3", instant, int64(1000)}, {"9223372036854775806", instant, int64(table.Never - 1)},
		{"9223372036854775807", instant, bad}, {"9223372036854775808", instant, bad}, {"-4611686018427387904", instant, int64(-1 << 62)},
		{"-4611686018427387905", instant, bad}, {"0.5", instant, bad}, {`"1"`, instant, bad}, {"null", instant, bad},
		{`""`, text, ""}, {`"a\n"`, text, "a\n"}, {`"\u0061"`, text, "a"}, {"1", text, bad}, {"null", text, bad},
		{"true", flag, true}, {"false", flag, bad}, {"1", flag, bad}, {`"true"`, flag, bad}, {"null", flag, bad},
	} {
		f := engine.ReadFields(fmt.Appendf(nil, `{"y":[1],"x":%s,"z":{}}`, c.raw))
		got, err := c.read(f), f.Err()
		if c.want == bad {
			if n, is := got.(uint64); is && n != 0 || !errors.Is(err, lifecycle.ErrSnapshot) || errors.Is(err, lifecycle.ErrLimit) {
				t.Errorf("%s: %v, %v", c.raw, got, err)
			}
			if n, raw := f.Number("z"), f.Raw("y"); n != 0 || raw != "" {
				t.Errorf("%s: after the fault there are %v and %q", c.raw, n, raw)
			}
		} else if err != nil || got != c.want {
			t.Errorf("%s: %v, %v, want %v", c.raw, got, err, c.want)
		}
	}
	f := engine.ReadFields([]byte(`{}`))
	if f.Number("x") != 0 || f.Instant("x") != table.Never || f.Text("x") != "" || f.Flag("x") || f.Raw("x") != "" || f.Err() != nil {
		t.Error("what is absent is there", f.Err())
	}
	f.Items("x", 0, func(string) { t.Error("an item of nothing") })
	if f.Number("x") != 0 || f.Err() != nil {
		t.Error(f.Err())
	}
}

// A snapshot has up to 64 members of different names.
func TestFieldsMembers(t *testing.T) {
	for n := 63; n <= 65; n++ {
		text := `{"a":1`
		for i := 1; i < n; i++ {
			text += fmt.Sprintf(`,"b%d":%d`, i, i)
		}
		if f := engine.ReadFields([]byte(text + "}")); (f.Err() == nil) != (n <= 64) || n <= 64 && f.Number("b62") != 62 {
			t.Errorf("%d members: %v", n, f.Err())
		}
		if f := engine.ReadFields([]byte(text + `,"a":1}`)); f.Err() == nil {
			t.Errorf("one of %d members twice", n)
		}
	}
}

// A list has as many items as it may, and the first fault is the one that counts.
func TestFieldsItems(t *testing.T) {
	for _, c := range []struct {
		raw   string
		most  int
		want  string
		fault error
	}{
		{`[]`, 0, "", nil}, {`["a"]`, 1, "a", nil}, {`["a","b"]`, 2, "ab", nil}, {`["a","b"]`, 3, "ab", nil},
		{`["a","b"]`, 1, "a", lifecycle.ErrLimit}, {`["a"]`, 0, "", lifecycle.ErrLimit},
		{`{}`, 1, "", lifecycle.ErrSnapshot}, {`"a"`, 1, "", lifecycle.ErrSnapshot}, {`["a",1,"b"]`, 3, "a", lifecycle.ErrSnapshot},
	} {
		f := engine.ReadFields([]byte(`{"x":` + c.raw + `}`))
		got := ""
		f.Texts("x", c.most, func(s string) { got += s })
		if err := f.Err(); got != c.want || !errors.Is(err, c.fault) || errors.Is(err, lifecycle.ErrLimit) != errors.Is(c.fault, lifecycle.ErrLimit) {
			t.Errorf("%s, at most %d: %q, %v", c.raw, c.most, got, err)
		}
		first := f.Err()
		if f.Fail("once more"); first != nil && !errors.Is(f.Err(), first) {
			t.Error(f.Err())
		}
		if f.Excess("once more"); first != nil && !errors.Is(f.Err(), first) {
			t.Error(f.Err())
		}
	}
}

// What a Writer writes: instants as distances from now, none for never, and no list that is empty.
func TestWriter(t *testing.T) {
	w := engine.NewWriter(100)
	w.Instant("later", 107)
	w.Instant("never", table.Never)
	w.List("empty", 0, nil)
	w.List("list", 2, func() {
		w.Element("1")
		w.Object("", func() { w.Flag("x", true) })
		w.Object("", func() { w.Instant("before", 93) })
	})
	w.Object("object", func() { w.Text("t", "é") })
	if got := string(w.Dst) + "}"; got != `{"later":7,"list":[1,{"x":true},{"before":-7}],"object":{"t":"é"}}` {
		t.Error(got)
	}
}
