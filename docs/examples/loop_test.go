//go:build unix

package examples_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// The driver of 60 lines serves a client that does everything at once: calls run beside each
// other, report progress, ask, and end when they are cancelled, and the end of input ends it.
func TestLoop(t *testing.T) {
	t.Parallel()
	p := start(t, program("loop"))
	p.say(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"sampling":{}},"clientInfo":{"name":"c","version":"1"}}}`)
	p.next(`"id":"open"`)
	p.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	began := time.Now()
	for i := range 20 {
		p.say(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"wait","_meta":{"progressToken":%d}}}`, i, i)
	}
	p.say(`{"jsonrpc":"2.0","id":"asks","method":"tools/call","params":{"name":"ask"}}`)
	p.say(`{"jsonrpc":"2.0","id":"gone","method":"tools/call","params":{"name":"ask"}}`)
	p.say(`{"jsonrpc":"2.0","id":"none","method":"tools/call","params":{"name":"none"}}`)
	progress, answers := 0, 0
	// until reads on until all of it was there, and counts what else comes, however late it is.
	until := func(want ...string) {
		for len(want) > 0 || want == nil && (progress < 200 || answers < 21) {
			line := p.next("")
			want = slices.DeleteFunc(want, func(w string) bool { return strings.Contains(line, w) })
			switch {
			case strings.Contains(line, `"notifications/progress"`):
				progress++
			case strings.Contains(line, "a second later"), strings.Contains(line, `"text":"something"`):
				answers++
			}
		}
	}
	until(`"id":"none","error":{"code":-32602`, `"id":1,"method":"sampling/createMessage"`, `"id":2,"method":"sampling/createMessage"`)
	p.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"gone"}}`)
	until(`notifications/cancelled`) // so that of the request within it
	p.say(`{"jsonrpc":"2.0","id":1,"result":{"role":"assistant","content":{"type":"text","text":"something"},"model":"m"}}`)
	p.say(`{"jsonrpc":"2.0","id":2,"result":{"role":"assistant","content":{"type":"text","text":"something"},"model":"m"}}`)
	until()
	if d := time.Since(began); d > 15*time.Second { // of 20
		t.Errorf("after %v: one call after the other", d)
	}
	p.say(`{"jsonrpc":"2.0","id":"last","method":"tools/call","params":{"name":"wait"}}`)
	_ = p.in.Close()
	p.next(`"id":"last","result"`) // what can finish does
	select {
	case <-p.gone:
	case <-time.After(patience):
		t.Fatal("it runs still")
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// docs/transports.md shows what the driver of 60 lines really says.
func TestTransportsPageShowsTheLoop(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../transports.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(page), "$ cat session.jsonl\n")
	block, _, _ = strings.Cut(block, "```")
	in, out, ok := strings.Cut(block, "$ go run ./docs/examples/loop < session.jsonl\n")
	if !ok || in == "" {
		t.Fatal("there is no session on the page")
	}
	cmd := exec.Command(program("loop"))
	cmd.Stdin = strings.NewReader(in)
	got, err := cmd.Output()
	if err != nil || string(got) != out {
		t.Errorf("it says %s, %v", got, err)
	}
}
