package officialschema

import (
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sansmcp/mcp/conformance"
	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Since 2025-11-25 the schema has a type for results and one for errors, which every
// answer in a transcript must match.
//
// revisions: 2025-11-25..
// rows: JRPC-104
func TestEnvelopesOfAnswers(t *testing.T) {
	newest := protocol.Revision20251125
	b := books(t)[newest]
	for kind, want := range map[string]string{b.result: "JSONRPCResultResponse", b.failure: "JSONRPCErrorResponse"} {
		if kind != want || b.defs[kind] == nil {
			t.Fatalf("the book has %q, want %q", kind, want)
		}
	}
	for text, fits := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`: b.result, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`: b.failure,
		`{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}`: b.failure, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":0}}`: b.failure,
		`{"jsonrpc":"2.0","id":1}`: "", `{"jsonrpc":"2.0","id":1,"result":null}`: "", `{"jsonrpc":"2.0","result":{}}`: "", `{"jsonrpc":"2.0","id":1,"error":{"code":1}}`: "",
		`{"jsonrpc":"2.0","id":1,"error":{"message":"m"}}`: "", `{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"m"}}`: "", `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}`: "",
	} {
		for _, name := range []string{b.result, b.failure} {
			if err := b.defs[name].Validate(parse(t, text)); (err == nil) != (name == fits) {
				t.Errorf("%s as a %s: %v", text, name, err)
			}
		}
	}
	answers := map[jsonrpc.Kind]int{}
	files, err := transcript.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		watch := func(_ verbs.View, _ jsonrpc.Message, out lifecycle.Output) error {
			for _, o := range out.Send {
				name := map[jsonrpc.Kind]string{jsonrpc.KindResult: b.result, jsonrpc.KindError: b.failure}[o.Message.Kind]
				if name == "" {
					continue
				}
				answers[o.Message.Kind]++
				if line := jsonrpc.Append(nil, o.Message); b.defs[name].Validate(parse(t, string(line))) != nil {
					t.Errorf("%s: %s is no %s", f.Path, line, name)
				}
			}
			return nil
		}
		for _, r := range f.Revisions {
			if r == newest {
				_, _ = f.Run(transcript.Options{Revision: r, Watch: watch}) // TestTranscripts reports failures
			}
		}
	}
	if answers[jsonrpc.KindResult] < 100 || answers[jsonrpc.KindError] < 100 {
		t.Errorf("only %v", answers)
	}
}

// Params valid in 2025-06-18 are valid in 2025-11-25, and those in 2026-07-28 with an envelope,
// for the schema and for the codec: all of the transcripts that are not about new features.
//
// revisions: 2025-11-25.. 2026-07-28
// rows: JRPC-105
func TestParamsStayGood(t *testing.T) {
	paramsStayGood(t, protocol.Revision20250618, protocol.Revision20251125, 500)
	paramsStayGood(t, protocol.Revision20251125, protocol.Revision20260728, 200)
}

func paramsStayGood(t *testing.T, older, newer protocol.Revision, least int) {
	under := &verbs.Envelope{Revision: newer, Role: lifecycle.Server, Peer: "{}"}
	all := books(t)
	files, err := transcript.All()
	if err != nil {
		t.Fatal(err)
	}
	count, methods := 0, map[string]bool{}
	for _, f := range files {
		if !slices.Contains(f.Revisions, older) || !slices.Contains(f.Revisions, newer) {
			continue // a transcript that does not run in both is about new features
		}
		text, err := conformance.Transcripts.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			from := f.Role
			if strings.HasPrefix(line, "> ") {
				from = f.Role.Peer()
			}
			m := jsonrpc.DecodeString(strings.TrimLeft(line, "<> "))
			row := older.Row(m.Method)
			if row == nil || newer.Row(m.Method) == nil || !newer.Row(m.Method).Sender().Has(from) || m.Kind != jsonrpc.KindRequest && m.Kind != jsonrpc.KindNotification || row.Notification != (m.Kind == jsonrpc.KindNotification) || !row.Sender().Has(from) {
				continue
			}
			if newer.Stateless() && m.Method == "notifications/progress" && from == lifecycle.Client {
				continue // not a request there (JRPC-206)
			}
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.TrimLeft(line, "<> ")))
			if err != nil {
				continue
			}
			good := row.CheckParams(m.Body, m.Span) == nil
			if newer.Stateless() {
				line = under.In(strings.TrimSpace(strings.TrimLeft(line, "<> ")))
				m = jsonrpc.DecodeString(line)
			}
			if good {
				if err := newer.Row(m.Method).CheckParams(m.Body, m.Span); err != nil {
					t.Errorf("%s: %s: the codec: %v", f.Path, line, err)
				}
			}
			if _, err := all[older].Check(from, v, ""); err != nil {
				continue
			}
			count++
			methods[m.Method] = true
			if v, err = jsonschema.UnmarshalJSON(strings.NewReader(strings.TrimLeft(line, "<> "))); err != nil {
				t.Fatal(err)
			}
			if _, err := all[newer].Check(from, v, ""); err != nil {
				t.Errorf("%s: %s: the schema: %v", f.Path, line, err)
			}
		}
	}
	for _, row := range older.Rows() {
		if after := newer.Row(row.Method); !methods[row.Method] && after != nil && after.Sender() != 0 && (!newer.Stateless() || !row.Receiver.Has(lifecycle.Client)) {
			t.Errorf("%v: no good params of %s", newer, row.Method)
		}
	}
	if count < least {
		t.Errorf("%v: only %d params", newer, count)
	}
}
