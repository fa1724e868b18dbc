package rows_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

var (
	r24 = protocol.Revision20241105
	r03 = protocol.Revision20250326
	r06 = protocol.Revision20250618
)

// lists are lists of supported revisions: all sets of them, oldest first, and some in
// another order or with a duplicate.
var lists = func() [][]protocol.Revision {
	all := protocol.Revisions()
	out := [][]protocol.Revision{all, {r06, r24}, {r03, r06, r24, r03}, nil}
	for set := 1; set < 1<<len(all); set++ {
		var list []protocol.Revision
		for i := len(all) - 1; i >= 0; i-- {
			if set&(1<<i) != 0 {
				list = append(list, all[i])
			}
		}
		out = append(out, list)
	}
	return out
}()

// newestOfAll is the default preference of a side.
func newestOfAll() string { return protocol.Revisions()[0].String() }

func serverOf(t testing.TB, list ...protocol.Revision) verbs.Side {
	return verbs.NewServer(t, server.Config{Revisions: list})
}

func clientOf(t testing.TB, list ...protocol.Revision) verbs.Side {
	return verbs.NewClient(t, client.Config{Revisions: list})
}

// offered returns the version in a client's initialize.
func offered(t testing.TB, c verbs.Side) string {
	t.Helper()
	_, out := c.Begin(spoken, "")
	p, err := protocol.Decode[protocol.InitializeParams](out.Send[0].Message.Body)
	if err != nil {
		t.Fatal(err)
	}
	return p.ProtocolVersion
}

// countered returns a server's answer to an offer.
func countered(t testing.TB, s verbs.Side, offer string) string {
	t.Helper()
	s, out := s.Receive(verbs.InitializeLine(offer, "{}"))
	in(t, s, lifecycle.Initializing)
	r, err := protocol.Decode[protocol.InitializeResult](out.Send[0].Message.Body)
	if err != nil || r.ProtocolVersion != s.Revision().String() {
		t.Errorf("%v, answered %q, negotiated %v", err, r.ProtocolVersion, s.Revision())
	}
	return r.ProtocolVersion
}

func supports(list []protocol.Revision, name string) bool {
	if list == nil {
		list = protocol.Revisions()
	}
	for _, r := range list {
		if r.String() == name {
			return true
		}
	}
	return false
}

func newestOf(list []protocol.Revision) string {
	for _, r := range protocol.Revisions() {
		if supports(list, r.String()) {
			return r.String()
		}
	}
	return ""
}

var strange = []string{"1999-01-01", "2999-01-01", "2026-07-28", "", "abc", "2025-06-1", "2025-06-18-x"}

// The choice of a revision, from every set. Rows about the time
// before the choice, and about a refusal, are the same in each.
//
// revisions: all
func TestVersions(t *testing.T) {
	t.Run("VERS-001", func(t *testing.T) {
		for _, list := range lists {
			if v := offered(t, clientOf(t, list...)); !supports(list, v) {
				t.Errorf("%v: offers %q", list, v)
			}
		}
	})
	t.Run("VERS-002", func(t *testing.T) {
		for _, list := range lists {
			if v := offered(t, clientOf(t, list...)); v != newestOf(list) {
				t.Errorf("%v: offers %q", list, v)
			}
		}
	})
	t.Run("VERS-003", func(t *testing.T) {
		for _, list := range lists {
			for _, r := range protocol.Revisions() {
				if v := countered(t, serverOf(t, list...), r.String()); supports(list, r.String()) && v != r.String() {
					t.Errorf("%v: answers %v with %q", list, r, v)
				}
			}
		}
	})
	t.Run("VERS-004", func(t *testing.T) {
		for _, list := range lists {
			for _, offer := range strange {
				if v := countered(t, serverOf(t, list...), offer); !supports(list, v) {
					t.Errorf("%v: answers %q with %q", list, offer, v)
				}
			}
		}
	})
	t.Run("VERS-005", func(t *testing.T) {
		for _, list := range lists {
			for _, offer := range strange {
				if v := countered(t, serverOf(t, list...), offer); v != newestOf(list) {
					t.Errorf("%v: answers %q with %q", list, offer, v)
				}
			}
		}
	})
	unsupported := func(t *testing.T) {
		for _, list := range lists {
			answers := slices.Clone(strange)
			for _, r := range protocol.Revisions() {
				answers = append(answers, r.String())
			}
			for _, answer := range answers {
				if supports(list, answer) {
					continue
				}
				c, _ := clientOf(t, list...).Begin(spoken, "")
				c, out := c.Receive(c.InitializeResult(answer, "{}"))
				sent(t, out)
				closes(t, out, lifecycle.CauseUnsupportedRevision)
				in(t, c, lifecycle.Failed)
				if cause := c.Status().Cause; cause.Reason != answer {
					t.Errorf("cause %v", cause)
				}
			}
		}
	}
	t.Run("VERS-006", unsupported)
	t.Run("LIFE-029", unsupported)
	t.Run("VERS-007", func(t *testing.T) { // no Policy changes this
		c := verbs.NewClient(t, client.Config{
			Serve: names(featuresOf(protocol.Client)), ServeUnknown: true,
			Policy: lifecycle.Policy{AnswerUnreadable: true, StrictInitialized: true, StrictVersion: true, QuietShutdown: true},
		})
		c, _ = c.Begin(spoken, "")
		c, out := c.Receive(c.InitializeResult("1999-01-01", "{}"))
		sent(t, out)
		in(t, c, lifecycle.Failed)
	})
	t.Run("VERS-008", func(t *testing.T) {
		for _, r := range protocol.Revisions() {
			for _, other := range protocol.Revisions() {
				c, _ := clientOf(t, other, r).Begin(spoken, "")
				c, _ = c.Receive(c.InitializeResult(r.String(), "{}"))
				in(t, c, lifecycle.Ready)
				if c.Revision() != r {
					t.Errorf("with %v negotiated %v, answered %v", other, c.Revision(), r)
				}
			}
		}
	})
	t.Run("VERS-009", func(t *testing.T) {
		c, _ := clientOf(t).Begin(spoken, "")
		c, out := c.Receive(c.InitializeResult("2026-07-28", "{}"))
		closes(t, out, lifecycle.CauseUnsupportedRevision)
		in(t, c, lifecycle.Failed)
	})
	t.Run("VERS-010", func(t *testing.T) {
		for _, offer := range []string{" 2025-03-26", "2025-3-26", "2025-03-26\n", "2025-03-26 ", "2025\u201003\u201026", "20250326"} {
			if v := countered(t, serverOf(t), offer); v != newestOfAll() {
				t.Errorf("answers %q with %q", offer, v)
			}
			c, _ := clientOf(t).Begin(spoken, "")
			c, _ = c.Receive(c.InitializeResult(offer, "{}"))
			in(t, c, lifecycle.Failed)
		}
	})
	t.Run("VERS-011", func(t *testing.T) {
		s := verbs.NewServer(t, server.Config{Revisions: []protocol.Revision{r24, r06}, Policy: lifecycle.Policy{StrictVersion: true}})
		next, out := s.Receive(verbs.InitializeLine("2025-03-26", "{}"))
		e := refused(t, out, -32602)
		if want := `{"supported":["2025-06-18","2024-11-05"],"requested":"2025-03-26"}`; string(e.Data) != want {
			t.Errorf("data %s, want %s", e.Data, want)
		}
		in(t, next, lifecycle.Uninitialized)
		for _, version := range []string{"", "x", "2024-11-04", "2026-07-28", "2025-06-18 "} {
			after, out := s.Receive(verbs.InitializeLine(version, "{}"))
			if e := refused(t, out, -32602); !strings.HasSuffix(string(e.Data), fmt.Sprintf(`"requested":%q}`, version)) {
				t.Errorf("%q: data %s", version, e.Data)
			}
			in(t, after, lifecycle.Uninitialized)
		}
		if countered(t, next, "2024-11-05") != "2024-11-05" || countered(t, serverOf(t, r24, r06), "2025-03-26") != "2025-06-18" {
			t.Error("a later good one, or the default, answers something else")
		}
	})
	t.Run("VERS-012", func(t *testing.T) {
		c, _ := clientOf(t).Begin(spoken, "")
		c, out := c.Receive(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"m","data":{"supported":["2024-11-05"],"requested":"x"}}}`)
		sent(t, out)
		closes(t, out, lifecycle.CauseRefused)
		in(t, c, lifecycle.Failed)
		if data := c.Status().Cause.RPC.Data; data != `{"supported":["2024-11-05"],"requested":"x"}` {
			t.Errorf("data %s", data)
		}
	})
	t.Run("VERS-013", func(t *testing.T) {
		for _, list := range lists {
			for _, r := range protocol.Revisions() {
				c, _ := clientOf(t, list...).Begin(spoken, "")
				c, _ = c.Receive(c.InitializeResult(r.String(), "{}"))
				if ready := c.Phase() == lifecycle.Ready; ready != supports(list, r.String()) || ready && c.Revision() != r {
					t.Errorf("%v: %v after %v", list, c.Phase(), r)
				}
			}
		}
	})
	t.Run("VERS-014", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			draw := func(name string) []protocol.Revision {
				return rapid.SliceOfN(rapid.SampledFrom(protocol.Revisions()), 1, 4).Draw(rt, name)
			}
			ours, theirs := draw("client"), draw("server")
			c, hello := clientOf(t, ours...).Begin(spoken, "")
			s, answer := serverOf(t, theirs...).Receive(verbs.Lines(hello)[0])
			c, last := c.Receive(verbs.Lines(answer)[0])
			common := false
			for _, r := range ours {
				common = common || supports(theirs, r.String())
			}
			if c.Phase() != lifecycle.Ready {
				if c.Phase() != lifecycle.Failed || supports(ours, s.Revision().String()) {
					rt.Fatalf("client %v, server %v", c.Phase(), s.Revision())
				}
				return
			}
			s, _ = s.Receive(verbs.Lines(last)[0])
			if s.Phase() != lifecycle.Ready || s.Revision() != c.Revision() || !common ||
				!supports(ours, c.Revision().String()) || !supports(theirs, c.Revision().String()) {
				rt.Fatalf("client %v, server %v in %v", c.Revision(), s.Revision(), s.Phase())
			}
		})
	})
	known := func(t *testing.T) { // the driver can read the version for the header
		c, _ := clientOf(t).Begin(spoken, "")
		for _, r := range protocol.Revisions() {
			_, out := c.Receive(c.InitializeResult(r.String(), "{}"))
			if ev := verbs.Events(out, lifecycle.PhaseChanged)[0]; ev.Revision != r {
				t.Errorf("after %v the event says %v", r, ev.Revision)
			}
		}
	}
	t.Run("VERS-015", known)
	t.Run("HTTP-050", known)
	t.Run("HTTP-051", func(t *testing.T) {
		for _, list := range lists {
			for _, r := range protocol.Revisions() {
				c, _ := clientOf(t, list...).Begin(spoken, "")
				c, out := c.Receive(c.InitializeResult(r.String(), "{}"))
				if c.Phase() != lifecycle.Ready {
					continue
				}
				if ev := verbs.Events(out, lifecycle.PhaseChanged); len(ev) != 1 || ev[0].Revision != r || c.Revision() != r {
					t.Errorf("%v: after %v the event says %v, the State %v", list, r, ev, c.Revision())
				}
			}
		}
	})
	t.Run("VERS-016", func(t *testing.T) {
		if protocol.Revision20250618.String() != "2025-06-18" {
			t.Error(protocol.Revision20250618)
		}
		if v := offered(t, clientOf(t, r06)); v != "2025-06-18" {
			t.Errorf("offers %q", v)
		}
		if v := countered(t, serverOf(t, r06), "2025-06-18"); v != "2025-06-18" {
			t.Errorf("answers %q", v)
		}
	})
}
