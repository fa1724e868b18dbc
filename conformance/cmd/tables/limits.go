package main

import (
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/conformance/limits"
)

// limitsData is what limits.md is made of.
type limitsData struct {
	Rows     []limits.Row
	defaults limits.Settings
}

func newLimits() limitsData { return limitsData{limits.Rows(), limits.Defaults()} }

// Batch is the default of Limits.Batch.
func (d limitsData) Batch() int { return d.defaults.Batch }

// PerValue is what the smallest items take decoded, for each byte of their text.
func (d limitsData) PerValue() int { return limits.PerValue }

// Line is a row of the table.
func (d limitsData) Line(r limits.Row) string {
	var names, values []string
	for _, s := range r.Settings {
		names = append(names, "`"+s.Name+"`")
		values = append(values, grouped(s.Of(d.defaults)))
	}
	where := "`" + strings.ReplaceAll(r.Where, ", ", "`, `") + "`"
	return "| " + strings.Join([]string{
		where, r.What, strings.Join(names, ", "), strings.Join(values, "; "), r.Formula, size(r.Bound(d.defaults)), r.Beyond,
	}, " | ") + " |"
}

// grouped writes a number with commas between its thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// size writes a number of bytes, rounded to three digits.
func size(n int) string {
	v, unit := float64(n), "B"
	for _, next := range []string{"KiB", "MiB", "GiB"} {
		if v < 1024 {
			break
		}
		v, unit = v/1024, next
	}
	return strconv.FormatFloat(v, 'g', 3, 64) + " " + unit
}
