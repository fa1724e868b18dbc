package protocol_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// envelopes draws a _meta with an envelope, good or bad, most of it as clients write it.
func envelopes(t *rapid.T) string {
	value := func(usual ...string) *rapid.Generator[string] {
		odd := rapid.SampledFrom([]string{`null`, `"\u0061"`, `"\ud800"`, `{}`, `[]`, `1`, `""`, `{"name":"c"}`, `{"version":"1","name":"c"}`, `{"name":"\ud800","version":"1"}`})
		return rapid.OneOf(rapid.SampledFrom(usual), rapid.SampledFrom(usual), rapid.SampledFrom(usual), odd)
	}
	members := map[string]*rapid.Generator[string]{
		protocol.MetaProtocolVersion: value(`"2026-07-28"`, `"2027"`),
		protocol.MetaClientInfo:      value(`{"name":"c","version":"1"}`, `{"name":"","version":"é"}`, `{"name":"c","version":"1","title":"t"}`, `{"name":"c","version":"1" }`, `{"name":"c","version":1}`),
		protocol.MetaClientCapabilities: value(`{}`, `{"roots":{}}`, `{"sampling":{},"elicitation":{}}`, `{"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true}}`,
			`{"elicitation":{"form":{}}}`, `{"sampling":{"tools":{}}}`, `{"roots":{},"roots":{"listChanged":true}}`, `{"roots":1}`, `{"x":{}}`, `{"roots":{},}`, `{"roots":{}`),
		protocol.MetaLogLevel: value(`"info"`, `"loud"`),
		"progressToken":       value(`1`, `"t"`),
		"other":               value(`1`, `{"a":[]}`),
	}
	names := []string{protocol.MetaProtocolVersion, protocol.MetaClientInfo, protocol.MetaClientCapabilities, "progressToken"}
	if rapid.IntRange(0, 3).Draw(t, "more") == 0 {
		names = append(names, rapid.SliceOfN(rapid.SampledFrom([]string{protocol.MetaLogLevel, "other", protocol.MetaProtocolVersion, protocol.MetaClientInfo, protocol.MetaClientCapabilities}), 0, 2).Draw(t, "names")...)
	}
	var list []string
	for _, name := range rapid.Permutation(names).Draw(t, "order")[:rapid.IntRange(1, len(names)).Draw(t, "n")] {
		list = append(list, `"`+name+`":`+members[name].Draw(t, name))
	}
	return "{" + strings.Join(list, rapid.SampledFrom([]string{",", ",", ",", ", "}).Draw(t, "comma")) + "}"
}

// An envelope as most clients write it is read as any other is, which a blank in front makes it.
func TestUsualEnvelopes(t *testing.T) {
	const (
		version = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
		client  = `"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}`
		caps    = `"io.modelcontextprotocol/clientCapabilities":`
	)
	same := func(t interface {
		Helper()
		Fatalf(string, ...any)
	}, text string, usual bool) {
		t.Helper()
		got, found, err := protocol.Meta(text).Envelope()
		want, wantFound, wantErr := protocol.Meta("{ " + text[1:]).Envelope()
		switch {
		case protocol.Usual(text) != usual:
			t.Fatalf("%s is as usual: %v, want %v", text, !usual, usual)
		case rawjson.Valid(text) && (got != want || found != wantFound || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error()):
			t.Fatalf("%s\n%+v %v %v, want\n%+v %v %v", text, got, found, err, want, wantFound, wantErr)
		case rawjson.Valid(text) && protocol.Meta(text).Version() != rawjson.Text(text, protocol.MetaProtocolVersion):
			t.Fatalf("%s has the version %s", text, protocol.Meta(text).Version())
		}
	}
	for text, usual := range map[string]bool{
		`{` + version + `,` + client + `,` + caps + `{}}`:                                                                true,
		`{` + caps + `{"elicitation":{"form":{}},"sampling":{},"roots":{}},"progressToken":"a\"b",` + version + `}`:      true,
		`{` + version + `,` + caps + `{"roots":{"listChanged":true},"elicitation":{"form":{},"url":{}}}}`:                true,
		`{` + version + `,` + client + `}`:                                                                               false,
		`{` + client + `,` + caps + `{}}`:                                                                                false,
		`{` + version + `,` + caps + `{}}x`:                                                                              false,
		`{` + version + `,` + version + `,` + caps + `{}}`:                                                               false,
		`{` + version + `,` + client + `,` + client + `,` + caps + `{}}`:                                                 false,
		`{` + version + `,` + caps + `{},` + caps + `{"roots":{}}}`:                                                      false,
		`{` + version + `,` + caps + `{"roots":{},"roots":{"listChanged":true}}}`:                                        false,
		`{` + version + `,` + caps + `{"roots":{},}}`:                                                                    false,
		`{` + version + `,` + caps + `{"roots":{}`:                                                                       false,
		`{` + version + `,` + caps + `{"roots":1}}`:                                                                      false,
		`{"io.modelcontextprotocol/protocolVersion":"a\u0062",` + caps + `{}}`:                                           false,
		`{` + version + `,"io.modelcontextprotocol/clientInfo":{"name":"\ud800","version":"1"},` + caps + `{}}`:          true,
		`{` + version + `,"io.modelcontextprotocol/clientInfo":{"name":"é","version":"1"},` + caps + `{}}`:               true,
		`{` + version + `,"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1","title":1},` + caps + `{}}`:     false,
		`{` + version + `,"io.modelcontextprotocol/clientInfo":{"name":"c` + "\xff" + `","version":"1"},` + caps + `{}}`: false,
		`[` + version + `,` + caps + `{}}`:                                                                               false,
		`{` + version + `,` + caps + `{},"io.modelcontextprotocol/logLevel":"info"}`:                                     false,
		`{` + version + `,"io.modelcontextprotocol/clientInfo":null,"x":"io.modelcontextprotocol",` + caps + `{"x":{}}}`: false,
	} {
		same(t, text, usual)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := envelopes(t)
		same(t, text, protocol.Usual(text))
		if text = text[:rapid.IntRange(1, len(text)-1).Draw(t, "at")]; protocol.Usual(text) {
			t.Fatalf("%s is as usual", text)
		}
	})
}

// MetaOf finds the same _meta whether or not it knows the largest member of the params.
func TestMetaOfWithSpan(t *testing.T) {
	part := rapid.SampledFrom([]string{
		`"_meta":{}`, `"_meta":{"a":"` + strings.Repeat("x", 40) + `"}`, `"_met\u0061":{"b":1}`, `"arguments":{"_meta":{"c":"` + strings.Repeat("y", 50) + `"}}`,
		`"x,\"_meta":{"d":"` + strings.Repeat("z", 60) + `"}`, `"name":"_meta"`, `"name":"n"`, `"_meta" : {"e":"` + strings.Repeat("x", 45) + `"}`,
	})
	rapid.Check(t, func(t *rapid.T) {
		params := "{" + strings.Join(rapid.SliceOfN(part, 0, 4).Draw(t, "parts"), ",") + "}"
		m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"m","params":` + params + `}`)
		if m.Kind != jsonrpc.KindRequest {
			t.Fatal(params)
		}
		got, want := protocol.MetaOf(m.Body, m.Span), protocol.MetaOf(m.Body, jsonrpc.Span{})
		if got != want {
			t.Fatalf("%s: %s, want %s", params, got, want)
		}
	})
	for params, usual := range map[string]bool{`{"name":"n","_meta":{"a":"` + strings.Repeat("x", 40) + `"}}`: true, `{"name":"n","_meta":{}}`: false} {
		m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"m","params":` + params + `}`)
		if (protocol.UsualMeta(string(m.Body), m.Span) != "") != usual {
			t.Errorf("%s: want %v", params, usual)
		}
	}
}
