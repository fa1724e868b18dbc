package coverage

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Product are the folders of the packages that implement the rows.
var Product = []string{"jsonrpc", "protocol", "lifecycle", "server", "client"}

// Unnamed is the file, from the root, with the reasons why product code does not name certain rows.
const Unnamed = "conformance/unnamed.txt"

// A Code says where the product names the rows that it implements.
type Code struct {
	Named   map[string][]string // for each row, the lines that name it, as file:line
	Reasons map[string]string   // for each row in the file Unnamed, why no line does
}

var anyRowID = regexp.MustCompile(`\b[A-Z]+-[0-9]{3}\b`)

// ReadCode reads which rows the product packages below root name in a comment or a string,
// and the reasons for those that are not named.
func ReadCode(root string) (Code, error) {
	c := Code{Named: map[string][]string{}}
	for _, dir := range Product {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return fs.SkipDir
			case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			return c.file(path, filepath.ToSlash(rel))
		})
		if err != nil {
			return Code{}, err
		}
	}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(Unnamed)))
	if err != nil {
		return Code{}, err
	}
	c.Reasons, err = reasons(text)
	return c, err
}

// file records the rows named in the comments and strings of a file.
func (c Code) file(path, rel string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	file := set.AddFile(rel, -1, len(text))
	var s scanner.Scanner
	var faults scanner.ErrorList
	s.Init(file, text, faults.Add, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return faults.Err()
		}
		if tok != token.COMMENT && tok != token.STRING {
			continue
		}
		for i, line := range strings.Split(lit, "\n") {
			for _, id := range anyRowID.FindAllString(line, -1) {
				c.Named[id] = append(c.Named[id], fmt.Sprintf("%s:%d", rel, set.Position(pos).Line+i))
			}
		}
	}
}

// reasons reads paragraphs of a reason and, indented below it, its rows.
func reasons(text []byte) (map[string]string, error) {
	list := map[string]string{}
	var reason []string
	var ids int
	end := func() error {
		if len(reason) > 0 && ids == 0 {
			return fmt.Errorf("no rows for %q", strings.Join(reason, " "))
		}
		reason, ids = nil, 0
		return nil
	}
	in := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; in.Scan(); n++ {
		line := in.Text()
		var err error
		switch {
		case strings.TrimSpace(line) == "":
			err = end()
		case line[0] == '#': // of the file itself
		case line[0] != '\t' && line[0] != ' ':
			if ids > 0 {
				err = errors.New("a reason begins with a blank line before it")
			}
			reason = append(reason, line)
		case len(reason) == 0:
			err = errors.New("rows without a reason")
		default:
			for _, id := range strings.Fields(line) {
				ids++
				switch {
				case !anyRowID.MatchString(id) || anyRowID.FindString(id) != id:
					err = fmt.Errorf("%q is no row id", id)
				case list[id] != "":
					err = fmt.Errorf("%s is there twice", id)
				}
				list[id] = strings.Join(reason, " ")
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", Unnamed, n, err)
		}
	}
	if err := errors.Join(in.Err(), end()); err != nil {
		return nil, fmt.Errorf("%s: %w", Unnamed, err)
	}
	return list, nil
}

// asks reports whether the product must name the row, or have a reason for not doing so: rows
// about implemented machines, in one of the revisions, with a text of their own.
func asks(r Row, revisions []string) bool {
	return !r.TransportOnly() && r.Open() == "" && r.See() == "" && slices.ContainsFunc(revisions, r.Holds)
}

// Missing returns the rows of the revisions that have neither a name in the code nor a reason.
func (c Code) Missing(rows []Row, revisions []string) (out []Row) {
	for _, r := range rows {
		if asks(r, revisions) && len(c.Named[r.ID]) == 0 && c.Reasons[r.ID] == "" {
			out = append(out, r)
		}
	}
	return out
}

// Stale returns the faults of the reasons and the names: unknown rows, and
// reasons for rows that are named or need none.
func (c Code) Stale(rows []Row) (out []string) {
	known := map[string]Row{}
	for _, r := range rows {
		known[r.ID] = r
	}
	for id := range c.Reasons {
		switch r, ok := known[id]; {
		case !ok:
			out = append(out, id+" is no row: "+Unnamed)
		case len(c.Named[id]) > 0:
			out = append(out, id+" is named in "+c.Named[id][0]+" and needs no reason why not")
		case !asks(r, Revisions):
			out = append(out, id+" need not be named, and needs no reason why not")
		}
	}
	for id, places := range c.Named {
		if area, _, _ := strings.Cut(id, "-"); !slices.ContainsFunc(rows, func(r Row) bool { return r.ID == id }) &&
			slices.ContainsFunc(rows, func(r Row) bool { return strings.HasPrefix(r.ID, area+"-") }) {
			out = append(out, id+" is no row: "+places[0])
		}
	}
	slices.Sort(out)
	return out
}
