package transcript_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/protocol"
)

// httpHead is the head of a file in the form for HTTP.
const httpHead = "# role: server\n# transport: http\n# config: fixture logging\n# start: ready\n# peer: {\"sampling\":{}}\n# wire\n\n"

// A wire file contains only what a client and the fixture can do, and unreadable
// lines are reported.
func TestHTTPForm(t *testing.T) {
	for _, bad := range []string{
		strings.Replace(httpHead, "server", "client", 1) + "app initialize\n",
		httpHead + "GET slow\n",
		httpHead + "GET\nread stream 1\n",
		httpHead + "app request roots/list\n",
		strings.Replace(httpHead, "transport: http", "transport: mail", 1) + "GET\n",
		strings.Replace(httpHead, "# wire\n", "# http: keep=long\n", 1) + "GET\n",
		strings.Replace(httpHead, "# wire\n", "# http: unknown\n", 1) + "GET\n",
		"# role: client\n# transport: http\n# http: keep=1m\n\napp initialize\n",
	} {
		if f, err := parse(t, bad); err == nil {
			t.Errorf("%s was taken:\n%s", f.Path, bad)
		}
	}
	for line, want := range map[string]string{
		"POST nonsense=1 > {}":       "unknown word",
		"POST session=3 > {}":        "no session 3",
		"GET last=\"":                "syntax",
		"cut stream 9":               "nobody reads",
		"@ next":                     "nothing is due",
		"@ soon":                     "duration",
		"clock +1s":                  "no such line",
		"app respond 7 {}":           "no call ever",
		"app hangup soon":            "duration",
		"POST > quoted no Go string": "syntax",
		"POST > repeat x a|b|c":      "repeat needs",
	} {
		f, err := parse(t, strings.Replace(httpHead, "# wire\n", "", 1)+line+"\n")
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if got, err := f.Run(transcript.Options{Revision: protocol.Revision20250618}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want an error with %q", line, got, err, want)
		}
	}
	for line, want := range map[string]string{
		"[7] status 200":        "no exchange 7",
		"[1] status none":       "syntax",
		"[1] status 200 x=1":    "unknown word",
		"[1] id=1 nothing > {}": "unknown word",
		"[1] retry=x prime":     "duration",
		"clock zero":            "no such line",
		"app again 9":           "no exchange 9",
		"@ x":                   "duration",
	} {
		f, err := parse(t, "# role: client\n# transport: http\n\napp initialize\n"+line+"\n")
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if got, err := f.Run(transcript.Options{Revision: protocol.Revision20250618}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want an error with %q", line, got, err, want)
		}
	}
}

// A run over HTTP fails for every difference: a status, a header, a body, an
// event, its stream and its id, the end of a stream, too little and too much. It passes without
// one.
func TestOverHTTPFails(t *testing.T) {
	const (
		ask = `POST > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}}}
status 200 stream 1
[stream 1] id=1-1 retry=1s prime
[stream 1] id=1-2 < {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}
`
		ping = `POST > {"jsonrpc":"2.0","id":2,"method":"ping"}
status 200 json
json < {"jsonrpc":"2.0","id":2,"result":{}}
`
		put    = "PUT > {}\nstatus 405 json\nheader Allow POST, GET, DELETE\njson < {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"the method is not served here\"}}\n"
		answer = `POST > {"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}
status 202
[stream 1] id=1-3 < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"error 1: no"}],"isError":true}}
[stream 1] end
`
	)
	good := ask + ping + put + answer
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"status 405", "status 404", "status 405"},
		{"GET, DELETE", "GET", "header Allow"},
		{"header Allow POST, GET, DELETE\n", "", "header Allow"},
		{`"id":2,"result":{}}` + "\n", `"id":2,"result":{ }}` + "\n", `"result":{}`},
		{"status 202", "status 200 json", "status 202"},
		{"id=1-2 <", "id=1-4 <", "id=1-2"},
		{"[stream 1] id=1-1 retry=1s prime\n", "", "id=1-1"},
		{"[stream 1] id=1-3", "[stream 2] id=1-3", "nobody reads"},
		{"[stream 1] end\n", "", "nobody expects"},
		{"[stream 1] end\n", "[stream 1] end\n[stream 1] end\n", "nobody reads"},
		{"maxTokens\":1}}\n" + "POST", "maxTokens\":1}}\n[stream 1] end\nPOST", "nothing came"},
		{"status 200 stream 1", "status 200 json", "stream"},
		{"\nPOST > {\"jsonrpc\":\"2.0\",\"id\":2", "\ncut stream 1\nPOST > {\"jsonrpc\":\"2.0\",\"id\":2", "nobody reads"},
		{"\nPOST > {\"jsonrpc\":\"2.0\",\"id\":2", "\ncut stream 4\nPOST > {\"jsonrpc\":\"2.0\",\"id\":2", "nobody reads stream 4"},
		{"PUT > {}", "PUT nonsense > {}", "unknown word"},
	} {
		if c.old != "" && !strings.Contains(good, c.old) {
			t.Fatalf("%q is not in the script", c.old)
		}
		f, err := parse(t, httpHead+strings.Replace(good, c.old, c.new, 1))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			err := runOverHTTP(t, f, protocol.Revision20251125, pipes(), synctest.Wait)
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%q for %q: %v, want an error with %q", c.new, c.old, err, c.want)
			}
		})
	}
	f, err := parse(t, strings.Replace(httpHead, "# wire\n", "", 1)+"GET\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.OverHTTP(transcript.Endpoint{}, protocol.Revision20251125); err == nil || !strings.Contains(err.Error(), "not marked wire") {
		t.Errorf("ran without the mark: %v", err)
	}
}
