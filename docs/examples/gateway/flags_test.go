package main

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"testing"
)

// The guide has each flag of the program in its table, and no other.
func TestFlagsAreInTheGuide(t *testing.T) {
	guide, err := os.ReadFile("../../guide.md")
	if err != nil {
		t.Fatal(err)
	}
	var told, are []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`-[^|]*) \\|").FindAllSubmatch(guide, -1) {
		for _, flag := range regexp.MustCompile("`-([a-z-]+)").FindAllSubmatch(row[1], -1) {
			told = append(told, string(flag[1]))
		}
	}
	var usage bytes.Buffer
	_, _ = parse([]string{"-help"}, &usage)
	for _, flag := range regexp.MustCompile("(?m)^  -([a-z-]+)").FindAllSubmatch(usage.Bytes(), -1) {
		are = append(are, string(flag[1]))
	}
	slices.Sort(told)
	slices.Sort(are)
	if !slices.Equal(told, are) || len(are) < 20 {
		t.Errorf("the guide has\n%v, and the program\n%v", told, are)
	}
}
