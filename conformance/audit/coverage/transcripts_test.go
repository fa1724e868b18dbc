package coverage_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/audit/coverage"
	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

func transcripts(t *testing.T) []*transcript.File {
	t.Helper()
	files, err := transcript.All()
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), err)
	}
	return files
}

// Every area of the catalogue has a transcript, unless it requires nothing of the machines, belongs to an
// incomplete revision, or needs a feature that is not built yet.
func TestAreasHaveTranscripts(t *testing.T) {
	rows, err := coverage.Read("../../requirements.tsv")
	if err != nil {
		t.Fatal(err)
	}
	area := map[string]string{}
	var missing []string
	for _, r := range rows {
		if area[r.ID] = r.Area; !r.TransportOnly() && r.Open() == "" && r.See() == "" && slices.ContainsFunc(coverage.Complete, r.Holds) && !slices.Contains(missing, r.Area) {
			missing = append(missing, r.Area)
		}
	}
	for _, f := range transcripts(t) {
		for _, id := range f.Rows {
			missing = slices.DeleteFunc(missing, func(a string) bool { return a == area[id] })
		}
	}
	if len(missing) > 0 {
		t.Errorf("areas without a transcript: %s", strings.Join(missing, ", "))
	}
}

// about are the words of which a transcript with a row of the area must contain one, for areas
// about certain methods.
var about = map[string][]string{
	"TOOL": {"tool"}, "COMPL": {"completion"}, "ELIC": {"elicitation"}, "SAMP": {"sampling"}, "ROOT": {"roots"}, "RES": {"resource"},
	"PROMPT": {"prompt"}, "LOG": {"logging", "notifications/message"}, "PROG": {"progress"}, "CANC": {"cancel"}, "PING": {"ping"},
}

// A transcript with a row has a message about it: limits shown for
// tools show nothing for completions.
func TestRowsAreAboutTheirArea(t *testing.T) {
	for _, f := range transcripts(t) {
		var text strings.Builder
		for _, step := range f.Steps {
			text.WriteString(step.Input + "\n" + strings.Join(step.Want, "\n") + "\n")
		}
		for _, id := range f.Rows {
			area, _, _ := strings.Cut(id, "-")
			words := about[area]
			if len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text.String(), w) }) {
				t.Errorf("%s bears %s and has nothing of %s", f.Path, id, words)
			}
		}
	}
}

// Every row of the transition table occurs in a transcript, for each of its roles.
func TestTransitionsHaveTranscripts(t *testing.T) {
	seen := map[lifecycle.Transition]bool{}
	for _, f := range transcripts(t) {
		if f.HTTP {
			continue // they have several sessions, and a request leads to a phase
		}
		phase := lifecycle.Uninitialized
		if f.Ready {
			phase = lifecycle.Ready
		}
		for _, step := range f.Steps {
			for _, want := range step.Want {
				name, ok := strings.CutPrefix(want, "phase ")
				if !ok {
					continue
				}
				to := phaseNamed(t, name)
				if step.Input == "app newsession" { // a State of its own
					phase = to
					continue
				}
				seen[lifecycle.Transition{Party: f.Role, From: phase, To: to, On: trigger(t, step.Input, to)}] = true
				phase = to
			}
		}
	}
	for _, row := range lifecycle.Transitions() {
		for _, p := range []protocol.Party{lifecycle.Client, lifecycle.Server} {
			one := row
			if one.Party = p; row.Party.Has(p) && !seen[one] {
				t.Errorf("no transcript shows a %v go from %v to %v: %v", p, row.From, row.To, row.On)
			}
			delete(seen, one)
		}
	}
	for one := range seen {
		t.Errorf("a transcript shows what is not in the table: %+v", one)
	}
}

func phaseNamed(t *testing.T, name string) lifecycle.Phase {
	t.Helper()
	for p := range protocol.PhaseCount {
		if lifecycle.Phase(p).String() == name {
			return lifecycle.Phase(p)
		}
	}
	t.Fatalf("no phase %q", name)
	return 0
}

// trigger returns the trigger of an input that led to a phase.
func trigger(t *testing.T, input string, to lifecycle.Phase) lifecycle.Trigger {
	t.Helper()
	verb, _, _ := strings.Cut(strings.TrimPrefix(input, "app "), " ")
	switch {
	case to == lifecycle.Initializing:
		return lifecycle.HandshakeBegun
	case to == lifecycle.Ready:
		return lifecycle.HandshakeDone
	case verb == "inputclosed":
		return lifecycle.InputClosed
	case verb == "shutdown":
		return lifecycle.ShutdownRequested
	case verb == "abort":
		return lifecycle.Aborted
	case verb == "disconnected":
		return lifecycle.TransportClosed
	case verb == "reset":
		return lifecycle.ResetRequested
	case verb == "@" && to == lifecycle.ShuttingDown:
		return lifecycle.PeerSilent
	case (verb == ">" || verb == "@") && to == lifecycle.Failed:
		return lifecycle.HandshakeFailed
	}
	t.Fatalf("%s leads to %v", input, to)
	return 0
}
