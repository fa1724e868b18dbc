//go:build !unix

package bench

import "time"

var started = time.Now()

// cpuTime returns elapsed time: nothing better is at hand here.
func cpuTime() int64 { return int64(time.Since(started)) }
