package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sansmcp/mcp/conformance/audit/coverage"
)

// code lists the rows of the revisions that product code does not name. Rows may stand in
// conformance/unnamed.txt instead, with the reason.
func code(root string, revisions []string) error {
	rows, err := coverage.Read(filepath.Join(root, "conformance", "requirements.tsv"))
	if err != nil {
		return err
	}
	c, err := coverage.ReadCode(root)
	if err != nil {
		return err
	}
	missing := c.Missing(rows, revisions)
	for _, r := range missing {
		fmt.Printf("%s\t%s\n", r.ID, r.Text)
	}
	stale := c.Stale(rows)
	for _, text := range stale {
		fmt.Println(text)
	}
	named := 0
	for _, r := range rows {
		if len(c.Named[r.ID]) > 0 {
			named++
		}
	}
	fmt.Printf("%d rows are named in %s, %d have a reason why not, %d have neither\n", named, strings.Join(coverage.Product, ", "), len(c.Reasons), len(missing))
	if len(missing)+len(stale) > 0 {
		return fmt.Errorf("%d rows are not named and %d findings are stale", len(missing), len(stale))
	}
	return nil
}
