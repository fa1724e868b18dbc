//go:build plan9

package build

import "os"

func exit() { os.Exit(1) }
