package protocol_test

import (
	"testing"

	. "github.com/sansmcp/mcp/protocol"
)

// What a client says of sampling and elicitation, and what it means.
//
// rows: CAP-101 CAP-102 CAP-103
func TestModesAndTools(t *testing.T) {
	for text, want := range map[string]Capability{
		`{"sampling":{}}`:                          CapSampling,
		`{"sampling":{"context":{}}}`:              CapSampling | CapSamplingContext,
		`{"sampling":{"tools":{"x":1}}}`:           CapSampling | CapSamplingTools,
		`{"sampling":{"context":{},"tools":{}}}`:   CapSampling | CapSamplingContext | CapSamplingTools,
		`{"sampling":{"tools":null}}`:              CapSampling,
		`{"elicitation":{}}`:                       CapElicitation,
		`{"elicitation":{"form":{}}}`:              CapElicitation,
		`{"elicitation":{"url":{}}}`:               CapElicitation | CapElicitationURL,
		`{"elicitation":{"form":{},"url":{}}}`:     CapElicitation | CapElicitationForm | CapElicitationURL,
		`{"elicitation":{"form":null,"url":null}}`: CapElicitation,
	} {
		got := decoded(t, &ClientCapabilities{}, text).(*ClientCapabilities).Set()
		if got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
		if back := DeclareClient(got).Set(); back != got {
			t.Errorf("%v declared and read as %v", got, back)
		}
	}
	for set, want := range map[Capability][2]bool{ // form, url
		0: {false, false}, CapElicitation: {true, false}, CapElicitation | CapElicitationURL: {false, true},
		CapElicitation | CapElicitationURL | CapElicitationForm: {true, true}, CapElicitation | CapElicitationForm: {true, false}, CapSampling: {false, false},
	} {
		if got := [2]bool{set.Has(CapElicitationForm), set.Has(CapElicitationURL)}; got != want {
			t.Errorf("%v has forms and urls: %v", set, got)
		}
	}
	for _, text := range []string{`{"sampling":{"tools":true}}`, `{"sampling":{"context":[]}}`, `{"elicitation":{"form":true}}`, `{"elicitation":{"url":"x"}}`} {
		if _, r := reason(t, &ClientCapabilities{}, text); r != ReasonType {
			t.Errorf("%s: %d", text, r)
		}
	}
	for c, want := range map[Capability]string{
		CapElicitation: `{"elicitation":{}}`, CapElicitation | CapElicitationForm: `{"elicitation":{}}`,
		CapElicitation | CapElicitationURL: `{"elicitation":{"url":{}}}`, CapElicitation | CapElicitationURL | CapElicitationForm: `{"elicitation":{"form":{},"url":{}}}`,
		CapSampling | CapSamplingTools: `{"sampling":{"tools":{}}}`,
	} {
		if got := string(DeclareClient(c).AppendJSON(nil)); got != want {
			t.Errorf("%v: %s, want %s", c, got, want)
		}
	}
}

// Each revision has the capabilities of the one before and its own.
//
// rows: CAP-110
func TestCapabilitiesOfRevisions(t *testing.T) {
	added := [4]Capability{CapSamplingContext | CapSamplingTools | CapElicitationForm | CapElicitationURL, CapElicitation, CapCompletions}
	for i, r := range every {
		missing := Capability(0)
		for _, c := range added[:i] {
			missing |= c
		}
		if all := every[0].Capabilities(); r.Capabilities() != all&^missing || all != CapElicitationURL<<1-1 {
			t.Errorf("%v: %v", r, r.Capabilities())
		}
	}
	if (Revision{}).Capabilities() != 0 {
		t.Error("no revision has some")
	}
	if ServerCaps != CapRoots-1 {
		t.Errorf("of servers: %v", ServerCaps)
	}
}

// What the receiver of a message has to have declared depends on its params.
//
// rows: SAMP-103 ELIC-106
func TestNeeds(t *testing.T) {
	for _, c := range []struct {
		method string
		body   Raw
		want   Capability // beside the gate, in 2025-11-25
	}{
		{MethodSamplingCreateMessage, `{"messages":[],"maxTokens":1}`, 0},
		{MethodSamplingCreateMessage, `{"messages":[],"maxTokens":1,"tools":null}`, 0},
		{MethodSamplingCreateMessage, `{"messages":[],"maxTokens":1,"tools":[]}`, CapSamplingTools},
		{MethodSamplingCreateMessage, `{"messages":[],"maxTokens":1,"toolChoice":{}}`, CapSamplingTools},
		{MethodElicitationCreate, `{"message":"m"}`, CapElicitationForm},
		{MethodElicitationCreate, `{"message":"m","mode":"form"}`, CapElicitationForm},
		{MethodElicitationCreate, `{"message":"m","mode":"url"}`, CapElicitationURL},
		{MethodToolsCall, `{"name":"t","tools":[],"mode":"url"}`, 0},
		{MethodPing, "", 0},
	} {
		for i, r := range every {
			row := r.Row(c.method)
			if row == nil {
				continue
			}
			want := Capability(0)
			if i == 0 {
				want = c.want
			}
			if got := row.Terms(Asked{Params: c.body, Received: true}).Needs; got != want {
				t.Errorf("%v: %s %s needs %v, want %v", r, c.method, c.body, got, want)
			}
		}
	}
	if got := Revision20251125.Row(MethodElicitationComplete).Requires; got != CapElicitation|CapElicitationURL {
		t.Errorf("the end of an elicitation needs %v of the client", got)
	}
}
