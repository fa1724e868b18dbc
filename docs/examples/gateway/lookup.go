package main

import (
	"os/exec"
	"path/filepath"
	"strings"
)

// lookUp returns the program that a command means where its definition has a PATH of its own: that
// one is searched first, as most clients do. What is not found there is left to the PATH of this
// process.
func lookUp(command string, env []string) string {
	if strings.ContainsAny(command, `/\`) {
		return command
	}
	for _, v := range env {
		path, ok := strings.CutPrefix(v, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(path) {
			if !filepath.IsAbs(dir) { // nobody can say relative to what
				continue
			}
			if found, err := exec.LookPath(filepath.Join(dir, command)); err == nil {
				return found
			}
		}
	}
	return command
}
