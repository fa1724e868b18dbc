package coverage

import (
	"errors"
	"os"
	"path/filepath"
)

// Root returns the root of the module of the current directory.
func Root() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, e := os.Stat(filepath.Join(dir, "conformance", "requirements.tsv")); e == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			err = errors.New("not inside the module")
		}
		dir = up
	}
	return "", err
}

// Results joins the catalogue and the cases below root.
func Results(root string) ([]Result, error) {
	rows, err := Read(filepath.Join(root, "conformance", "requirements.tsv"))
	if err != nil {
		return nil, err
	}
	cases, err := Cases(root)
	if err != nil {
		return nil, err
	}
	return Check(rows, cases)
}
