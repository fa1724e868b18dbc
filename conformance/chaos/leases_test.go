package main

import (
	"math"
	"testing"
)

// A process has its lease until it ends, which happens once and not early.
func TestLeases(t *testing.T) {
	join := deed{joins, "p", false, 0, 1, 30}
	for name, c := range map[string]struct {
		list []deed
		bad  bool
	}{
		"renewed":                   {list: []deed{join, {renews, "p", false, 10, 11, 30}, {owns, "p", false, 39, 40, 0}, {isLost, "p", false, 39, 41, 0}}},
		"expired":                   {list: []deed{join, {expires, "p", false, 10, 11, 0}, {isLost, "p", false, 12, 13, 0}, {renews, "p", true, 14, 15, 30}}},
		"left":                      {list: []deed{join, {leaves, "p", false, 10, 11, 0}, {owns, "p", true, 14, 15, 0}}},
		"at the same time":          {list: []deed{join, {isLost, "p", false, 31, 36, 0}, {owns, "p", false, 32, 35, 0}}},
		"may have joined":           {list: []deed{{tries, "p", true, 0, math.MaxInt64, 30}, {isLost, "p", false, 31, 36, 0}}},
		"of two":                    {list: []deed{join, {isLost, "p", false, 31, 36, 0}, {joins, "q", false, 37, 38, 30}}},
		"lost before its time":      {list: []deed{join, {renews, "p", false, 10, 11, 30}, {isLost, "p", false, 33, 35, 0}}, bad: true},
		"lapsed before its time":    {list: []deed{join, {renews, "p", true, 10, 11, 30}}, bad: true},
		"renewed after it was lost": {list: []deed{join, {isLost, "p", false, 31, 32, 0}, {renews, "p", false, 33, 34, 30}}, bad: true},
		"has something after that":  {list: []deed{join, {isLost, "p", false, 31, 32, 0}, {owns, "p", false, 33, 34, 0}}, bad: true},
		"renewed after it left":     {list: []deed{join, {leaves, "p", false, 10, 11, 0}, {renews, "p", false, 12, 13, 30}}, bad: true},
		"joins again":               {list: []deed{join, {joins, "p", false, 10, 11, 30}}, bad: true},
		"never joined":              {list: []deed{{renews, "p", false, 10, 11, 30}}, bad: true},
	} {
		if wrong := checkLeases(c.list); (len(wrong) > 0) != c.bad {
			t.Errorf("%s: %q", name, wrong)
		}
	}
}
