package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// The kinds of mutants.
const (
	kindDelete = "delete"
	kindNegate = "negate"
	kindOff    = "off-by-one"
	kindReturn = "return"

	kindArguments = "arguments"
	kindConstant  = "constant"
	kindCopy      = "copy"
	kindField     = "field"
	kindLimit     = "limit"
	kindOrder     = "order"
	kindStale     = "stale"
)

var kinds = []string{
	kindDelete, kindNegate, kindOff, kindReturn, kindArguments, kindConstant, kindCopy, kindField, kindLimit, kindOrder, kindStale,
}

// mutant is one way to break the library.
type mutant struct {
	file  string // from the root of the module
	line  int
	fn    string // the function, or the variable of an initializer
	kind  string
	text  string // the changed text
	vital string // "gate", "emission" or "member": must be killed

	edits []edit
	id    string   // depends only on the key, so that it outlives changes elsewhere
	n     int      // in this run, from 1
	nth   int      // among equal keys
	seeds []uint64 // whose samples it is in

	idle    bool // no test reaches it
	verdict verdict
	by      string // the package whose tests killed it
	untried int    // packages whose tests did not run for lack of time
}

// verdict is the outcome of a mutant.
type verdict uint8

const (
	survived verdict = iota
	killed
	hung // killed by the timeout
)

// String returns the verdict.
func (v verdict) String() string { return [...]string{"survived", "killed by", "hung in"}[v] }

// key names the mutant in survivors.txt, since line numbers change.
func (m *mutant) key() string {
	return fmt.Sprintf("%s %s %s: %s", m.file, m.fn, m.kind, m.what())
}

// what is the text, numbered if several are equal.
func (m *mutant) what() string {
	if m.nth > 1 {
		return fmt.Sprintf("%s #%d", m.text, m.nth)
	}
	return m.text
}

// String returns a line about the mutant.
func (m *mutant) String() string {
	vital := m.vital
	if vital != "" {
		vital = " (" + vital + ")"
	}
	return fmt.Sprintf("%s %s:%d %s %s%s: %s", m.id, m.file, m.line, m.fn, m.kind, vital, m.what())
}

// pkg is the folder of the mutant.
func (m *mutant) pkg() string { return m.file[:strings.LastIndexByte(m.file, '/')] }

func byPlace(a, b *mutant) int {
	return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.edits[0].from, b.edits[0].from), strings.Compare(a.kind, b.kind))
}

// identify numbers mutants with equal keys, in source order, and assigns ids.
func identify(all []*mutant) {
	seen := map[string]int{}
	for _, m := range all {
		key := m.key()
		seen[key]++
		m.nth = seen[key]
		sum := sha256.Sum256([]byte(m.key()))
		m.id = hex.EncodeToString(sum[:4])
	}
}

// sample picks n of the mutants, or n of each package; n = 0 picks all. A change of the
// source moves few: the rank of a mutant depends only on its key and the seed.
func sample(all []*mutant, n int, seed uint64, each bool) []*mutant {
	rank := func(m *mutant) string {
		sum := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, seed), m.key()...))
		return string(sum[:])
	}
	picked := slices.Clone(all)
	slices.SortFunc(picked, func(a, b *mutant) int { return strings.Compare(rank(a), rank(b)) })
	of := map[string]int{}
	picked = slices.DeleteFunc(picked, func(m *mutant) bool {
		from := ""
		if each {
			from = m.pkg()
		}
		of[from]++
		return n > 0 && of[from] > n
	})
	slices.SortStableFunc(picked, byPlace)
	return picked
}

func withID(all []*mutant, id string) []*mutant {
	i := slices.IndexFunc(all, func(m *mutant) bool { return m.id == id })
	if i < 0 {
		return nil
	}
	return all[i : i+1]
}

func number(chosen []*mutant) {
	for i, m := range chosen {
		m.n = i + 1
	}
}
