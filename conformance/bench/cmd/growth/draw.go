package main

import (
	"fmt"
	"math"
	"strings"
)

// The picture: both axes are logarithmic, so that linear growth rises by one square in each square.
const (
	left, top, width, height = 70, 30, 480, 320
	legend                   = left + width + 20
)

var colors = []string{"#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad", "#d68910", "#34495e", "#16a0a0", "#7f5a3c"}

// draw draws curves as SVG.
func draw(lines []line) []byte {
	low, high, most := math.Inf(1), math.Inf(-1), 1.0
	for _, l := range lines {
		for _, p := range l.points {
			y := math.Log10(p.ns / 1000)
			low, high, most = min(low, y), max(high, y), max(most, math.Log10(float64(p.n)))
		}
	}
	low, high, most = math.Floor(low), math.Max(math.Ceil(high), math.Floor(low)+1), math.Ceil(most)
	x := func(n int) float64 { return left + width*math.Log10(float64(n))/most }
	y := func(log float64) float64 { return top + height*(high-log)/(high-low) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", legend+290, top+height+50)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="white"/>`+"\n")
	for e := 0; e <= int(most); e++ {
		at := left + width*float64(e)/most
		fmt.Fprintf(&b, `<path d="M%.1f %dV%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", at, top, top+height, at, top+height+18, power(e))
	}
	for e := int(low); e <= int(high); e++ {
		at := y(float64(e))
		fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%s µs</text>`+"\n", left, at, left+width, left-6, at+4, power(e))
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">how many there are</text>`+"\n", left+width/2, top+height+38)
	for i, l := range lines {
		color := colors[i%len(colors)]
		var path strings.Builder
		for k, p := range l.points {
			fmt.Fprintf(&path, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[k == 0], x(p.n), y(math.Log10(p.ns/1000)))
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`, x(p.n), y(math.Log10(p.ns/1000)), color)
		}
		fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", path.String(), color)
		at := top + 14 + 20*i
		fmt.Fprintf(&b, `<path d="M%d %dh16" stroke="%s" stroke-width="2"/><text x="%d" y="%d">%s: %s</text>`+"\n", legend, at-4, color, legend+22, at, l.of, l.act)
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// power returns ten to the power e.
func power(e int) string {
	if e < 0 {
		return "0." + strings.Repeat("0", -e-1) + "1"
	}
	return "1" + strings.Repeat("0", e)
}
