package purity

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
)

// listed is the output of go list for a package.
type listed struct {
	Dir        string
	ImportPath string
	Name       string
	Export     string
	Standard   bool
	DepOnly    bool

	GoFiles        []string
	IgnoredGoFiles []string
	CgoFiles       []string
	CFiles         []string
	SFiles         []string
	SysoFiles      []string

	Imports     []string
	TestImports []string

	Error *struct{ Err string }

	rel string // the directory, relative to the checked one
}

const listFields = "Dir,ImportPath,Name,Export,Standard,DepOnly,GoFiles,IgnoredGoFiles," +
	"CgoFiles,CFiles,SFiles,SysoFiles,Imports,TestImports,Error"

// list runs go list in dir.
func list(dir string, args ...string) ([]*listed, error) {
	cmd := exec.Command("go", append([]string{"list", "-e", "-json=" + listFields}, args...)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("purity: go list: %w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("purity: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fmt.Errorf("purity: %w", err)
	}
	var pkgs []*listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(listed)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, fmt.Errorf("purity: output of go list: %w", err)
		}
		if rel, err := filepath.Rel(dir, p.Dir); err == nil {
			p.rel = filepath.ToSlash(rel)
		}
		pkgs = append(pkgs, p)
	}
}

// below reports whether path is one of the roots or below one.
func below(path string, roots []string) bool {
	for _, root := range roots {
		if path == root || strings.HasPrefix(path, root+"/") {
			return true
		}
	}
	return false
}
