//go:build unix

package child_test

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/child"
)

// What cannot be started costs nothing, and what has ended neither.
func TestNothingIsLeft(t *testing.T) {
	greeted := func() {
		t.Helper()
		c := start(t, command("good"), child.Options{})
		open(t, c, newest)
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
	greeted() // the runtime keeps files of its own from the first pipe on
	goroutines, files := runtime.NumGoroutine(), descriptors(t)
	for range 20 {
		if _, err := child.Start(exec.Command("/there/is/no/such/server"), child.Options{}); err == nil {
			t.Fatal("it started")
		}
		cmd := exec.Command("true")
		cmd.Stdin = strings.NewReader("")
		if _, err := child.Start(cmd, child.Options{}); err == nil {
			t.Fatal("it started although its input was set")
		}
	}
	for range 3 {
		greeted()
	}
	for end := time.Now().Add(patience); runtime.NumGoroutine() > goroutines || descriptors(t) > files; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines more, %d files more", runtime.NumGoroutine()-goroutines, descriptors(t)-files)
		}
	}
}

// What a server says that nobody receives any more holds nothing after Close.
func TestFloodAtTheEnd(t *testing.T) {
	readers := func() int {
		buf := make([]byte, 1<<20)
		return strings.Count(string(buf[:runtime.Stack(buf, true)]), "created by github.com/sansmcp/mcp/jsonrpc/pipe.Read")
	}
	none := func(what string) {
		t.Helper()
		for end := time.Now().Add(patience); readers() > 0; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal(what)
			}
		}
	}
	none("a reader of an earlier test reads still") // it may end while this test runs, and would be counted for ours
	c := start(t, command("chatty"), short)
	if _, err := c.Receive(context.Background()); err != nil {
		t.Fatal(err)
	}
	if readers() == 0 {
		t.Fatal("the goroutine that reads is not found")
	}
	ctx, end := context.WithCancel(context.Background())
	end()
	_ = c.Close(ctx)
	none("it reads still")
}

func descriptors(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0 // there is no such folder everywhere
	}
	return len(files)
}
