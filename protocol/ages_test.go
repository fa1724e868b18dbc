package protocol

import (
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
)

// A bound of a range holds for the revision that it names and not for the one before, and
// what is read without a revision may have everything.
func TestAges(t *testing.T) {
	for _, c := range []struct {
		ages ages
		want [4]bool // no revision, then from the oldest on
	}{
		{ages{}, [4]bool{true, true, true, true}},
		{ages{since: age20241105}, [4]bool{true, true, true, true}},
		{ages{since: age20250326}, [4]bool{true, false, true, true}},
		{ages{since: age20250618}, [4]bool{true, false, false, true}},
		{ages{until: age20250326}, [4]bool{true, true, false, false}},
		{ages{until: age20250618}, [4]bool{true, true, true, false}},
		{ages{age20250326, age20250618}, [4]bool{true, false, true, false}},
	} {
		for a, want := range c.want {
			if age(a).in(c.ages) != want {
				t.Errorf("%d in %v: %v", a, c.ages, !want)
			}
		}
	}
}

// Exactly the revisions without some member or type are those whose bodies are trimmed,
// and no member of a hand-written table goes beyond the room for one.
func TestTrims(t *testing.T) {
	for _, r := range revisions {
		want := false
		for _, a := range Additions() {
			want = want || r.t.age < a.Since.t.age
		}
		for _, d := range Removals() {
			want = want || r.t.age >= d.Until.t.age
		}
		if r.Handshake() { // structured results that are no objects
			want = true
		}
		if r.t.trims != want {
			t.Errorf("%v: trims %v", r, r.t.trims)
		}
	}
	for id := range idFields + 1 {
		if n := len(id.parts()); n > maxParts {
			t.Errorf("type %d has %d parts", id, n)
		}
		if n := len(id.members()); n > maxMembers {
			t.Errorf("type %d has %d members", id, n)
		}
	}
}

// The list of revisions is newest first, by age and by name, and the rows of each are read
// as one of them.
func TestKnown(t *testing.T) {
	list := revisions
	for i, r := range list {
		if int(r.t.age) != len(list)-i || i > 0 && list[i-1].t.name <= r.t.name {
			t.Errorf("%v is number %d and has age %d", r, i, r.t.age)
		}
		for _, row := range r.Rows() {
			if row.Revision() != r || r.t.reads < r.t.age {
				t.Errorf("%v: %v is read as of age %d", r, row.Method, row.of.reads)
			}
		}
	}
}

// A member of the schema that a revision lacks is not looked at in it, wherever it stands.
func TestMembersByAge(t *testing.T) {
	const tools = `{"tools":[{"name":"a","inputSchema":{"type":"object"},"title":5}]}`
	const link = `{"content":[{"type":"resource","resource":{"uri":"a:b","text":"","_meta":5}}]}`
	const block = `{"content":[{"type":"text","text":"","_meta":5}]}`
	const ref = `{"ref":{"type":"ref/prompt","name":"p","title":5},"argument":{"name":"a","value":""}}`
	checkRef := func(raw Raw, span jsonrpc.Span, a age) error {
		_, err := checkCompleteParams(raw, span, a)
		return err
	}
	for text, check := range map[Raw]resultCheck{tools: checkListToolsResult, link: checkCallToolResult, block: checkCallToolResult, ref: checkRef} {
		for a, bad := range [...]bool{true, false, false, true} {
			if err := check(text, jsonrpc.Span{}, age(a)); (err != nil) != bad {
				t.Errorf("%s at age %d: %v", text, a, err)
			}
		}
	}
}

// A list with one item may come without brackets; what is wrong with it has its place in
// the message all the same.
func TestOneOrMany(t *testing.T) {
	for raw, want := range map[string]int{`{"type":"text","text":""}`: 1, `[{"type":"text","text":""}]`: 1, `[]`: 0, `[{"type":"x"},{"type":"y"}]`: 2} {
		var list []Content
		if err := setOne(&list, "T", "m", raw, true, mode{}); err != nil || list == nil || len(list) != want {
			t.Errorf("%s: %v, %v", raw, list, err)
		}
		var none []Content
		if err := setOne(&none, "T", "m", raw, true, mode{skim: true}); err != nil || len(none) > 0 && none[0].Raw == "" {
			t.Errorf("%s: skimmed %v, %v", raw, none, err)
		}
	}
	for raw, want := range map[string]string{
		"": "protocol: T.m is missing", "null": "protocol: T.m has the wrong type", "5": "protocol: T.m has the wrong type",
		`{"type":"text"}`: "protocol: T.m.text is missing", `[{"type":"text"}]`: "protocol: T.m[0].text is missing",
	} {
		var list []Content
		if err := setOne(&list, "T", "m", raw, true, mode{}); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", raw, err, want)
		}
	}
}

// Arrays of strings are primitives where they are taken.
func TestArraysAsPrimitives(t *testing.T) {
	for raw, want := range map[string][2]Reason{
		`{"a":["x","y"],"b":[]}`: {ReasonType, 0}, `{"a":1,"b":"x","c":true}`: {0, 0},
		`{"a":[1]}`: {ReasonType, ReasonType}, `{"a":[["x"]]}`: {ReasonType, ReasonType}, `{"a":null}`: {ReasonType, ReasonType},
	} {
		for i, arrays := range []bool{false, true} {
			var m map[string]Raw
			if r := setPrimitiveMap(&m, raw, arrays); r != want[i] || r == 0 && len(m) == 0 {
				t.Errorf("%s, arrays %v: %v, %v", raw, arrays, m, r)
			}
		}
	}
}
