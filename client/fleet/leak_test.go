//go:build linux

package fleet_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/fleet"
)

// Connections that fail, are replaced or die leave no file open.
func TestFiles(t *testing.T) {
	files := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(list)
	}
	f := start(t, settings(), fleet.Options{})
	connect(t, f, "first", opts(command("good")))
	before := files()
	for i := range 20 {
		name := fmt.Sprint(i)
		if err := join(t.Context(), f, name, opts(command("short"))); err == nil {
			t.Fatal("no error")
		}
		if err := join(t.Context(), f, name, opts(dial.Command{Args: []string{"/no/such/program"}})); err == nil {
			t.Fatal("no error")
		}
		connect(t, f, name, opts(command("good"))) // what has failed may be connected again
		if _, err := call(t.Context(), f, name, "die"); err == nil {
			t.Fatal("no error")
		}
		if err := leave(t.Context(), f, name); err != nil {
			t.Fatal(err)
		}
	}
	for began := time.Now(); files() > before; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 10*time.Second {
			t.Fatalf("%d files are open, %d were", files(), before)
		}
	}
	mustCall(t, f, "first", "echo")
}
