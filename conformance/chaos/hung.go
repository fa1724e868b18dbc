package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// why writes all information about a call that hangs: the steps of its client, the record of its session, the
// leases, and the goroutines of the processes.
func (f *fleet) why(c *call, dir string) {
	if dir == "" {
		return
	}
	var out strings.Builder
	_, _ = fmt.Fprintf(&out, "%s, id %d of session %s, %s, %d events, the last is %s, at %v\n%s", c.name, c.id, c.s.id, c.kind, c.n, c.last, time.Now().Format(time.TimeOnly), strings.Join(c.trace, ""))
	for _, ev := range c.got {
		_, _ = fmt.Fprintf(&out, "  %s %s\n", ev.id, ev.data)
	}
	read := http.Client{Timeout: patience}
	for _, addr := range f.addrs() {
		for _, path := range []string{"/record?id=" + c.s.id, "/goroutines"} {
			_, _ = fmt.Fprintf(&out, "\n%s%s\n", addr, path)
			resp, err := read.Get("http://" + addr + path)
			if err != nil { // it was just killed
				_, _ = fmt.Fprintln(&out, err)
				continue
			}
			_, _ = io.Copy(&out, resp.Body)
			_ = resp.Body.Close()
		}
	}
	out.WriteString("\n" + f.log())
	_ = os.WriteFile(filepath.Join(dir, "hung-"+c.name+".txt"), []byte(out.String()), 0o644)
}
