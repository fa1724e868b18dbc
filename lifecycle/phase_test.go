package lifecycle_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// matrix states, apart from the code, what every trigger does in every phase: the
// phase that follows, or a dot where the phase stays. It was written from the
// lifecycle page and the design, not from the table.
var matrix = map[lifecycle.Party]string{
	lifecycle.Client: `
                      uninitialized  initializing   ready          shutting_down  disconnected   error
  handshake begun     initializing   .              .              .              .              .
  handshake done      .              ready          .              .              .              .
  handshake failed    .              error          .              .              .              .
  peer silent         .              shutting_down  shutting_down  .              .              .
  input closed        shutting_down  shutting_down  shutting_down  .              .              .
  shutdown requested  shutting_down  shutting_down  shutting_down  .              .              .
  aborted             error          error          error          .              .              .
  transport closed    disconnected   disconnected   disconnected   disconnected   .              .
  reset requested     .              .              .              .              uninitialized  uninitialized`,
	// A client can do nothing by which the server's handshake fails: it may try again.
	lifecycle.Server: `
                      uninitialized  initializing   ready          shutting_down  disconnected   error
  handshake begun     initializing   .              .              .              .              .
  handshake done      .              ready          .              .              .              .
  handshake failed    .              .              .              .              .              .
  peer silent         .              shutting_down  shutting_down  .              .              .
  input closed        shutting_down  shutting_down  shutting_down  .              .              .
  shutdown requested  shutting_down  shutting_down  shutting_down  .              .              .
  aborted             error          error          error          .              .              .
  transport closed    disconnected   disconnected   disconnected   disconnected   .              .
  reset requested     .              .              .              .              uninitialized  uninitialized`,
}

func TestNextIsTheMatrix(t *testing.T) {
	for party, text := range matrix {
		rows := strings.Split(strings.TrimPrefix(text, "\n"), "\n")
		head := strings.Fields(rows[0])
		if len(head) != protocol.PhaseCount || len(rows)-1 != lifecycle.TriggerCount {
			t.Fatalf("%v: the matrix has %d phases and %d triggers", party, len(head), len(rows)-1)
		}
		for i, row := range rows[1:] {
			trigger := lifecycle.Trigger(i)
			name, cells := strings.TrimSpace(row[:22]), strings.Fields(row[22:])
			if name != trigger.String() {
				t.Fatalf("row %d is %q, trigger %v", i, name, trigger)
			}
			for j, want := range cells {
				from := lifecycle.Phase(j)
				if head[j] != from.String() {
					t.Fatalf("column %d is %q, phase %v", j, head[j], from)
				}
				to, ok := lifecycle.Next(party, from, trigger)
				if want == "." && (ok || to != from) || want != "." && (!ok || to.String() != want) {
					t.Errorf("%v in %v on %q: %v, %v; want %s", party, from, trigger, to, ok, want)
				}
			}
		}
	}
}

// What the table cannot say by its form.
func TestTransitionsAreSound(t *testing.T) {
	seen := map[[3]any]bool{}
	for _, row := range lifecycle.Transitions() {
		for _, p := range []lifecycle.Party{lifecycle.Client, lifecycle.Server} {
			key := [3]any{p, row.From, row.On}
			if row.Party.Has(p) && seen[key] {
				t.Errorf("two rows for %v", key)
			}
			seen[key] = true
		}
		if row.From == lifecycle.ShuttingDown && row.To != lifecycle.Disconnected {
			t.Errorf("shutting_down leads to %v", row.To)
		}
		if !row.From.Live() && row.On != lifecycle.ResetRequested {
			t.Errorf("%v is left on %v", row.From, row.On)
		}
	}
	rows := lifecycle.Transitions()
	rows[0].To = lifecycle.Failed
	if lifecycle.Transitions()[0].To == lifecycle.Failed {
		t.Error("Transitions hands out the table itself")
	}
}
