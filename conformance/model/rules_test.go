package model_test

import (
	"maps"
	"os"
	"testing"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Invariants of every message and every step, row by row, in random sessions of both
// parties, with tame and hostile peers, that negotiate every revision.
//
// revisions: all
func TestRules(t *testing.T) {
	n := 200
	if testing.Short() {
		n = 60
	}
	broken := map[lifecycle.Party]map[string]error{lifecycle.Server: {}, lifecycle.Client: {}}
	for party := range broken {
		for _, wild := range []bool{false, true} {
			found, spoken, err := model.Watch(party, n, wild)
			if err != nil {
				t.Fatal(err)
			}
			maps.Copy(broken[party], found)
			for _, r := range protocol.Revisions() { // otherwise the test would say nothing about it
				if spoken[r] < 100 {
					t.Errorf("of a %v only %d steps are in a session of %v: %v", party, spoken[r], r, spoken)
				}
			}
		}
	}
	rules := model.Rules()
	rules["SEC-011"] = nil // checked by Watch
	row := func(id string, parties ...lifecycle.Party) func(*testing.T) {
		return func(t *testing.T) {
			if _, ok := rules[id]; !ok {
				t.Fatal("there is no such rule")
			}
			delete(rules, id)
			for _, party := range parties {
				if err := broken[party][id]; err != nil {
					t.Errorf("%v: %v", party, err)
					if err := model.Print(os.Stdout, err); err != nil {
						t.Error(err)
					}
				}
			}
		}
	}
	both := []lifecycle.Party{lifecycle.Server, lifecycle.Client}
	t.Run("JRPC-001", row("JRPC-001", both...))
	t.Run("JRPC-009", row("JRPC-009", both...))
	t.Run("JRPC-021", row("JRPC-021", both...))
	t.Run("JRPC-026", row("JRPC-026", both...))
	t.Run("JRPC-030", row("JRPC-030", both...))
	t.Run("JRPC-102", row("JRPC-102", both...))
	t.Run("JRPC-104", row("JRPC-104", both...))
	t.Run("CANC-101", row("CANC-101", both...))
	t.Run("ERR-002", row("ERR-002", both...))
	t.Run("PROG-014", row("PROG-014", both...))
	t.Run("PROG-019", row("PROG-019", both...))
	t.Run("TIME-001", row("TIME-001", both...))
	t.Run("TIME-013", row("TIME-013", both...))
	t.Run("SEC-011", row("SEC-011", both...))
	t.Run("SEC-012", row("SEC-012", both...))
	t.Run("HTTP-005", row("HTTP-005", lifecycle.Client))
	t.Run("HTTP-008", row("HTTP-008", lifecycle.Client))
	t.Run("HTTP-014", row("HTTP-014", lifecycle.Server))
	t.Run("HTTP-027", row("HTTP-027", lifecycle.Server))
	t.Run("HTTP-028", row("HTTP-028", lifecycle.Server))
	t.Run("HTTP-032", row("HTTP-032", lifecycle.Server))
	t.Run("STDIO-008", row("STDIO-008", lifecycle.Server))
	t.Run("STDIO-009", row("STDIO-009", lifecycle.Client))
	for id := range rules {
		t.Error(id, "has a rule and no case")
	}
}
