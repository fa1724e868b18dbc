package protocol_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/cases"
	. "github.com/sansmcp/mcp/protocol"
)

// What a type carries beside its own members comes back as it went in.
//
// rows: META-002 TOOL-006 RES-033
func TestKept(t *testing.T) {
	const meta = `"_meta":{"com.x/y":1}`
	var found cases.Findings
	carry := 0
	for _, s := range shapes() {
		if !strings.Contains(s.text, `"_meta":`) {
			continue
		}
		carry++
		text := with(s.text, "_meta", meta[len(`"_meta":`):])
		if got := string(decoded(t, s.value, text).AppendJSON(nil)); !strings.Contains(got, meta) {
			found.Add("META-002", "%s: %s is written as %s", s.name, text, got)
		}
	}
	if carry < 40 {
		found.Add("META-002", "%d types carry _meta", carry)
	}
	for row, text := range map[string]string{
		"TOOL-006": `{"name":"n","inputSchema":{"type":"object","additionalProperties":false,"$schema":"x","$defs":{"a": {}},"oneOf":[ ]},"outputSchema":{"type":"object","$comment":"1.0"}}`,
		"RES-033":  `{"uri":"file:///d","name":"d","mimeType":"inode/directory"}`,
	} {
		v := fresh(map[string]codec{"TOOL-006": &Tool{}, "RES-033": &Resource{}}[row])
		if got := string(decoded(t, v, text).AppendJSON(nil)); got != text {
			found.Add(row, "%s\nis written as %s", text, got)
		}
	}
	found.Report(t, "META-002", "TOOL-006", "RES-033")
}
