package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/limits"
)

// limitsData is the data of limits.md.
type limitsData struct {
	Rows     []limits.Row
	Bounds   []limits.Bound
	defaults limits.Settings
}

func newLimits() limitsData { return limitsData{limits.Rows(), limits.Bounds(), limits.Defaults()} }

// Batch is the default of Limits.Batch.
func (d limitsData) Batch() int { return d.defaults.Batch }

// PerValue is the decoded size of the smallest items, for each byte of their text.
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

// BoundLine is a row of the table of bounds.
func (d limitsData) BoundLine(b limits.Bound) string {
	var proofs []string
	for _, p := range strings.Split(b.Proof, ", ") {
		dir, name, ok := strings.Cut(p, " ")
		if !ok {
			continue // no test is exactly at the limit
		}
		if dir == b.Where {
			p = name
		}
		proofs = append(proofs, "`"+p+"`")
	}
	return "| " + strings.Join([]string{
		"`" + b.Where + "`", "`" + b.Setting + "`", standing(b.Default), b.Beyond, strings.Join(proofs, ", "),
	}, " | ") + " |"
}

// standing formats a default.
func standing(v any) string {
	switch v := v.(type) {
	case int:
		return grouped(v)
	case limits.Bytes:
		return size(int(v))
	case time.Duration:
		switch {
		case v >= time.Minute && v%time.Minute == 0:
			return strconv.Itoa(int(v/time.Minute)) + " min"
		case v >= time.Second:
			return strconv.FormatFloat(v.Seconds(), 'g', -1, 64) + " s"
		}
		return strconv.Itoa(int(v/time.Millisecond)) + " ms"
	}
	return fmt.Sprint(v)
}
