package relay

import "testing"

// The uris of resources in what a server says are qualified, wherever one may stand, and nothing else is touched.
func TestLinked(t *testing.T) {
	const link, embedded = `{"type":"resource_link","name":"n","uri":"a:1"}`, `{"type":"resource","resource":{"uri":"a:2","text":"a:3"}}`
	const ours, inside = `{"type":"resource_link","name":"n","uri":"s+a:1"}`, `{"type":"resource","resource":{"uri":"s+a:2","text":"a:3"}}`
	for in, want := range map[string]string{
		`{"contents":[{"uri":"a:1","text":"x"}, {"uri":"b:2"}]}`:                    `{"contents":[{"uri":"s+a:1","text":"x"},{"uri":"s+b:2"}]}`,
		`{"content":[` + link + `,{"type":"text","text":"a:1"},` + embedded + `]}`:  `{"content":[` + ours + `,{"type":"text","text":"a:1"},` + inside + `]}`,
		`{"content":` + link + `}`:                                                  `{"content":` + ours + `}`,
		`{"content":` + embedded + `,"b":1}`:                                        `{"content":` + inside + `,"b":1}`,
		`{"messages":[{"role":"user","content":` + link + `}]}`:                     `{"messages":[{"role":"user","content":` + ours + `}]}`,
		`{"messages":[{"role":"user","content":[` + embedded + `]}],"maxTokens":1}`: `{"messages":[{"role":"user","content":[` + inside + `]}],"maxTokens":1}`,
		// The result of a tool has blocks of its own, but no results.
		`{"messages":[{"content":{"type":"tool_result","toolUseId":"1","content":[` + link + `]}}]}`:                        `{"messages":[{"content":{"type":"tool_result","toolUseId":"1","content":[` + ours + `]}}]}`,
		`{"content":[{"type":"tool_result","content":[{"type":"tool_result","content":[` + link + `]},` + embedded + `]}]}`: `{"content":[{"type":"tool_result","content":[{"type":"tool_result","content":[` + link + `]},` + inside + `]}]}`,
	} {
		if got := linked("s", in); got != want {
			t.Errorf("%s\nis %s\nwant %s", in, got, want)
		}
	}
	for _, same := range []string{
		`{}`, ``, `7`, `{"content":[]}`, `{"content":"a:1"}`, `{"content":{"type":"text","text":"a:1"}}`, `{"content":[{"type":"resource"}]}`, `{"content":[{"type":"resource","resource":{"text":"a:1"}}]}`,
		`{"content":[{"type":"tool_result"}]}`, `{"contents":{"uri":"a:1"}}`, `{"messages":[ {"content":[ ]} ]}`, `{"uri":"a:1","content":[{"type":"resource_link"}]}`,
	} {
		if got := linked("s", same); got != same {
			t.Errorf("%s is %s", same, got)
		}
	}
}
