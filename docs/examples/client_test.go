//go:build unix

package examples_test

import (
	"fmt"
	"strings"
	"testing"
)

// The client does the same with a url: of Streamable HTTP, and of HTTP+SSE, at which the
// same server is found by what it does not take.
func TestClientOverHTTP(t *testing.T) {
	t.Parallel()
	s := start(t, program("httpserver"), "-addr", "127.0.0.1:0", "-sse")
	_, url, ok := strings.Cut(strings.TrimSpace(s.next("listening on")), "listening on ")
	if !ok {
		t.Fatal(url)
	}
	for url, revision := range map[string]string{url: "2025-11-25", strings.TrimSuffix(url, "/mcp") + "/sse": "2024-11-05"} {
		words := []string{program("client"), "-i"}
		if revision == "2024-11-05" {
			words = append(words, "-revision", revision)
		}
		p := start(t, append(words, url)...)
		p.next("protocol " + revision)
		p.next("tool confirm")
		for _, line := range []string{`call ask {"prompt":"the question"}`, "root file:///added", "call roots {}", "subscribe example://note", `call write {"text":"one"}`, "wait notifications/resources/updated", "list no/list"} {
			fmt.Fprintln(p.in, line)
		}
		p.next("There is no model")
		p.next("file:///added")
		p.next("notification received: notifications/resources/updated")
		p.next("error: ")
		_ = p.in.Close()
		<-p.gone
		if code := p.cmd.ProcessState.ExitCode(); code != 0 {
			t.Errorf("%s: exit code %d", url, code)
		}
	}
	p := start(t, program("client"), strings.TrimSuffix(url, "/mcp")+"/nothing-here")
	<-p.gone
	if code := p.cmd.ProcessState.ExitCode(); code != 1 {
		t.Errorf("exit code %d", code)
	}
}
