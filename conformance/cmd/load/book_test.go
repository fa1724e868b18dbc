package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestBook checks that the oracle finds each kind of fault, and no others.
func TestBook(t *testing.T) {
	good := func(b *book, k kind) {
		b.begin(1, k)
		b.start(1, k)
		for i := range k.notes() {
			b.note(1, i)
			b.step(1, 1, float64(i+1))
		}
		if k == asking {
			b.ask(1)
		}
		b.end(1, false)
		b.result(1, answer(k, 1))
	}
	for _, tt := range []struct {
		name string
		acts func(b *book)
		want string // faults where calls may fail
		sure string // and where they may not
	}{
		{"nothing", func(*book) {}, "", ""},
		{"quick", func(b *book) { good(b, quick) }, "", ""},
		{"noted", func(b *book) { good(b, noted) }, "", ""},
		{"asking", func(b *book) { good(b, asking) }, "", ""},
		{"bulk", func(b *book) { good(b, bulk) }, "", ""},
		{"stopped", func(b *book) {
			b.begin(1, stopped)
			b.start(1, stopped)
			b.failed(1, "cancelled", nil, false, true)
			b.end(1, true)
		}, "", ""},
		{"stopped before it began", func(b *book) {
			b.begin(1, stopped)
			b.failed(1, "cancelled", nil, false, true)
		}, "", ""},
		{"told", func(b *book) { good(b, told) }, "", ""},
		{"told nothing", func(b *book) {
			b.begin(1, told)
			b.start(1, told)
			b.end(1, false)
			b.result(1, "1")
		}, "", "note lost"},
		{"told nothing by a session that is forgotten", func(b *book) {
			b.begin(1, told)
			b.start(1, told)
			b.end(1, false)
			b.result(1, "1")
			b.forget(0)
		}, "", ""},
		{"lost with its session", func(b *book) {
			b.begin(1, quick)
			b.start(1, quick)
			b.forget(0)
			b.end(1, true)
			b.failed(1, "lost", nil, true, false)
		}, "", ""},
		{"lost before its client heard", func(b *book) {
			b.forget(0)
			b.begin(1, quick)
			b.failed(1, "lost", nil, true, false)
			b.renew(0)
		}, "", ""},
		{"not lost with its session", func(b *book) {
			b.forget(0)
			b.renew(0)
			b.begin(1, quick)
			b.start(1, quick)
			b.end(1, true)
			b.failed(1, "lost", nil, true, false)
		}, "", "failed"},
		{"refused in the place of its session", func(b *book) {
			b.begin(1, quick)
			b.forget(0)
			b.failed(1, "error -32603", nil, false, false)
		}, "failed", "failed"},
		{"lost on the way", func(b *book) {
			b.begin(1, quick)
			b.failed(1, "not sent", nil, true, false)
		}, "", "failed,never started"},
		{"answer lost", func(b *book) {
			b.begin(1, quick)
			b.start(1, quick)
			b.end(1, false)
			b.failed(1, "lost", nil, true, false)
		}, "", "failed"},
		{"refused", func(b *book) {
			b.begin(1, quick)
			b.failed(1, "error -32603", nil, false, false)
		}, "failed", "failed,never started"},
		{"stopped by nobody", func(b *book) {
			b.begin(1, quick)
			b.start(1, quick)
			b.failed(1, "cancelled", nil, false, true)
			b.end(1, true)
		}, "failed", "failed"},
		{"no end at the client", func(b *book) {
			b.begin(1, quick)
			b.start(1, quick)
			b.end(1, false)
		}, "no end at the client", "no end at the client"},
		{"no end at the server", func(b *book) {
			b.begin(1, quick)
			b.start(1, quick)
			b.result(1, "1")
		}, "no end at the server", "no end at the server"},
		{"started twice", func(b *book) {
			good(b, quick)
			b.start(1, quick)
			b.end(1, false)
		}, "started twice", "started twice"},
		{"answered twice", func(b *book) {
			good(b, quick)
			b.result(1, "1")
		}, "ended twice,no end at the client", "ended twice,no end at the client"},
		{"answered and failed", func(b *book) {
			good(b, quick)
			b.failed(1, "lost", nil, true, false)
		}, "ended twice,no end at the client", "ended twice,failed,no end at the client"},
		{"answer of another", func(b *book) {
			b.begin(1, quick)
			b.start(1, quick)
			b.end(1, false)
			b.result(1, "2")
		}, "result of another call", "result of another call"},
		{"answer cut short", func(b *book) {
			b.begin(1, bulk)
			b.start(1, bulk)
			b.end(1, false)
			b.result(1, answer(bulk, 1)[1:])
		}, "result of another call", "result of another call"},
		{"answer out of nothing", func(b *book) {
			b.begin(1, quick)
			b.result(1, "1")
		}, "never started", "never started"},
		{"call out of nothing", func(b *book) { b.start(1, quick) }, "unknown call", "unknown call"},
		{"call that changed", func(b *book) {
			b.begin(1, quick)
			b.start(1, bulk)
			b.end(1, false)
			b.result(1, "1")
		}, "of another kind", "of another kind"},
		{"note lost", func(b *book) {
			b.begin(1, slow)
			b.start(1, slow)
			b.note(1, 1)
			b.end(1, false)
			b.result(1, "1")
		}, "note lost", "note lost"},
		{"note repeated", func(b *book) {
			good(b, noted)
			b.note(1, 3)
		}, "note repeated", "note repeated"},
		{"note of nobody", func(b *book) {
			good(b, quick)
			b.note(1, 0)
		}, "unknown note", "unknown note"},
		{"progress of another", func(b *book) {
			b.begin(1, quick)
			b.step(1, 2, 1)
			b.failed(1, "lost", nil, true, false)
		}, "progress of another call", "failed,never started,progress of another call"},
		{"progress repeated", func(b *book) {
			b.begin(1, quick)
			b.step(1, 1, 1)
			b.step(1, 1, 1)
			b.failed(1, "lost", nil, true, false)
		}, "progress repeated", "failed,never started,progress repeated"},
		{"progress too late", func(b *book) {
			good(b, noted)
			b.step(1, 1, 100)
		}, "progress after the end", "progress after the end"},
		{"asked twice", func(b *book) {
			good(b, asking)
			b.ask(1)
		}, "asked twice", "asked twice"},
		{"asked nothing", func(b *book) {
			b.begin(1, asking)
			b.start(1, asking)
			b.end(1, false)
			b.result(1, "1")
		}, "never asked", "never asked"},
		{"given up", func(b *book) {
			b.begin(1, quick)
			b.start(1, quick)
			b.end(1, true)
			b.result(1, "1")
		}, "given up", "given up"},
	} {
		for _, sure := range []bool{false, true} {
			b, want := newBook(sure), tt.want
			if sure {
				want = tt.sure
			}
			tt.acts(b)
			b.close()
			if got := strings.Join(slices.Sorted(maps.Keys(b.faults)), ","); got != want {
				t.Errorf("%s, sure %t: %q, want %q", tt.name, sure, got, want)
			}
			if (b.err() == nil) != (want == "") {
				t.Errorf("%s: err is %v", tt.name, b.err())
			}
		}
	}
}
