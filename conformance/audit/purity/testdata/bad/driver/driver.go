// Package driver does I/O, which it may, with what it may not import.
package driver

import (
	"os"
	"sync"
	"time"
	_ "unsafe"

	_ "pgregory.net/rapid" // want import

	"github.com/sansmcp/mcp/conformance/audit/purity/testdata/bad/revision"
)

var mu sync.Mutex

func now() <-chan time.Time {
	c := make(chan time.Time, 1)
	go func() {
		mu.Lock()
		defer mu.Unlock()
		c <- time.Now()
		_, _ = os.Stdout.WriteString("now")
	}()
	return c
}

func older(a, b revision.Revision) bool { return a < b } // want order

//go:linkname hidden time.hidden
func hidden() {}
