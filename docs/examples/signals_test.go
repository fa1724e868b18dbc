//go:build unix

package examples_test

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// Servers that are told to end by a signal exit with status 0, whether calls run or not; a second signal
// ends them at once, in the middle of a call.
func TestSignals(t *testing.T) {
	t.Parallel()
	const slow = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"ms":600000,"steps":1}}}`
	ready := map[string]func(p *running){
		"stdioserver": (*running).open,
		"httpserver":  func(p *running) { p.next("listening on") },
	}
	for name, tt := range map[string]struct {
		words  []string
		before string // what is said before the signal
		again  bool   // signals come until it is gone
		status syscall.WaitStatus
	}{
		"stdio, no call":              {words: []string{"stdioserver"}},
		"stdio, a call":               {words: []string{"stdioserver"}, before: slow},
		"stdio, a call, a second one": {words: []string{"stdioserver"}, before: slow, again: true, status: syscall.WaitStatus(syscall.SIGTERM)},
		"http, no call":               {words: []string{"httpserver", "-addr", "127.0.0.1:0"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, append([]string{program(tt.words[0])}, tt.words[1:]...)...)
			ready[tt.words[0]](p)
			if tt.before != "" {
				p.say("%s", tt.before)
				p.request(2, "ping", "{}") // the call has begun
			}
			late := time.After(patience)
			signal := func() { _ = p.cmd.Process.Signal(syscall.SIGTERM) }
			signal()
			for {
				// A signal may come before the program listens for the first one no more, so the second
				// one comes again.
				select {
				case <-p.gone:
				case <-late:
					t.Fatal("it runs still")
				case <-time.After(10 * time.Millisecond):
					if tt.again {
						signal()
					}
					continue
				}
				break
			}
			if got := p.cmd.ProcessState.Sys().(syscall.WaitStatus); got != tt.status {
				t.Errorf("%v, and says %s", p.cmd.ProcessState, strings.TrimSpace(p.said()))
			}
		})
	}
}
