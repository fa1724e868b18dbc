package protocol_test

import (
	"testing"

	. "github.com/sansmcp/mcp/protocol"
)

// rows: SAMP-010 SAMP-011 SAMP-012 SAMP-013 SAMP-015 SAMP-027
func TestChooseModel(t *testing.T) {
	models := []Model{
		{Name: "claude-3-5-sonnet-20241022", Cheapness: 0.5, Speed: 0.5, Intelligence: 0.8},
		{Name: "claude-3-haiku", Cheapness: 1, Speed: 1, Intelligence: 0.3},
		{Name: "other-large", Cheapness: 0.1, Speed: 0.2, Intelligence: 1},
	}
	for _, c := range []struct {
		name string
		p    *ModelPreferences
		want int
	}{
		{"no preferences: the first", nil, 0},
		{"a hint is a substring", &ModelPreferences{Hints: []ModelHint{{Name: "haiku"}}}, 1},
		{"the first hint that matches", &ModelPreferences{Hints: []ModelHint{{Name: "none"}, {}, {Name: "large"}, {Name: "haiku"}}}, 2},
		{"hints outrank priorities", &ModelPreferences{Hints: []ModelHint{{Name: "sonnet"}}, CostPriority: Ptr(1.0)}, 0},
		{"priorities decide between matches", &ModelPreferences{Hints: []ModelHint{{Name: "claude"}}, SpeedPriority: Ptr(1.0)}, 1},
		{"and where no hint matches", &ModelPreferences{Hints: []ModelHint{{Name: "none"}}, IntelligencePriority: Ptr(1.0)}, 2},
	} {
		if got := c.p.Choose(models); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	if got := new(ModelPreferences).Choose(nil); got != -1 {
		t.Errorf("of no models: %d", got)
	}
}

// rows: ROOT-017
func TestWithinRoot(t *testing.T) {
	for _, c := range []struct {
		root, uri string
		want      bool
	}{
		{"file:///a", "file:///a", true}, {"file:///a", "file:///a/b", true}, {"file:///a/", "file:///a/b", true},
		{"file:///a", "file:///ab", false}, {"file:///a", "file:///", false}, {"file:///", "file:///x", true},
		{"file:///a", "file:///a/../b", false}, {"file:///a", "file:///a/%2e%2e/b", false}, {"file:///a", "https://a/b", false},
		{"https://a", "https://a/b", false},
	} {
		if got := (Root{URI: c.root}).Within(c.uri); got != c.want {
			t.Errorf("%s within %s: %v", c.uri, c.root, got)
		}
	}
}
