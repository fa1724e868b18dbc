package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestCurves checks each act, with few things.
func TestCurves(t *testing.T) {
	for _, c := range curves {
		act, end, err := c.make(3)
		if err != nil {
			t.Fatal(c.of, err)
		}
		for range 5 {
			if err := act(); err != nil {
				t.Error(c.of, err)
			}
		}
		end()
	}
}

// TestDraw checks where points are, and that the picture is XML.
func TestDraw(t *testing.T) {
	text := string(draw([]line{{of: "a", act: "b", points: []point{{n: 1, ns: 1000}, {n: 100_000, ns: 100_000}}}}))
	for _, want := range []string{`d="M70.0 350.0L550.0 30.0"`, ">a: b<", ">100 µs<", ">100000<"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
