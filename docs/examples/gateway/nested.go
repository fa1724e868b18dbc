package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// withinName is the variable with the files of the gateways that have started this process.
const withinName = "SANSMCP_GATEWAY_FILES"

// nested returns the variable for the servers of a file. It fails if a gateway of the same file has
// started this one: a client's own file that contains the gateway, passed to the gateway, would
// start gateways without end.
func nested(file string) (variable string, err error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	files := filepath.SplitList(os.Getenv(withinName))
	if slices.Contains(files, path) {
		return "", fmt.Errorf("%s: a gateway with this file started this one: remove it from the file, or give it another file", file)
	}
	return withinName + "=" + strings.Join(append(files, path), string(filepath.ListSeparator)), nil
}
