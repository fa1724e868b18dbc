//go:build linux

package examples_test

import (
	"bufio"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// peak returns the most memory that a program has used, in MB. It is for after its end.
func (p *running) peak() int64 {
	p.t.Helper()
	select {
	case <-p.gone:
	case <-time.After(5 * time.Minute):
		p.t.Fatal("it does not end")
	}
	return p.cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss / 1024
}

// Calls that are cancelled cost nothing once they are: 40 MB of a slow call and its cancel,
// again and again.
func TestCancelledWork(t *testing.T) {
	if testing.Short() {
		t.Skip("40 MB of input")
	}
	p := start(t, program("stdioserver"))
	p.open()
	in := bufio.NewWriterSize(p.in, 64<<10)
	for i := range 200_000 {
		fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"slow","arguments":{"ms":60000,"steps":1}}}`+"\n"+
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", i, i)
	}
	_ = in.Flush()
	_ = p.in.Close()
	if mb := p.peak(); mb > 100 {
		t.Errorf("%d MB", mb)
	} else {
		t.Logf("%d MB", mb)
	}
}

// A client keeps no more of what a server tells than it can use.
func TestManyNotifications(t *testing.T) {
	if testing.Short() {
		t.Skip("200 MB of notifications")
	}
	p := start(t, append([]string{program("client"), "-tool", "talk", "--"}, command(t, "news", folder(t))...)...)
	heard, ended := 0, false
	for line := range p.lines {
		if strings.Contains(line, "notification received") {
			heard++
		}
		ended = ended || strings.Contains(line, "that is all")
	}
	mb := p.peak()
	if mb > 60 || heard != 200_000 || !ended {
		t.Errorf("%d MB, %d notifications shown, the end: %v", mb, heard, ended)
	}
	t.Logf("%d MB for 200 MB", mb)
}
