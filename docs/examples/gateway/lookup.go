package main

import (
	"os/exec"
	"path/filepath"
	"strings"
)

// lookUp returns the program of a command whose definition has its own PATH: that is searched
// first, as most clients do. A command that is not found there is left to the PATH of this process.
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
			if !filepath.IsAbs(dir) { // relative to an unknown folder
				continue
			}
			if found, err := exec.LookPath(filepath.Join(dir, command)); err == nil {
				return found
			}
		}
	}
	return command
}
