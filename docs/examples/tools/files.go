package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server/registry"
)

// The bounds of what one call reads.
const (
	maxFile    = 1 << 20  // bytes of a file
	maxEntries = 1000     // of a folder
	maxSearch  = 64 << 20 // bytes that a search looks at
	maxMatches = 100      // lines that a search returns
	maxLine    = 200      // bytes of a line that are shown
)

// folder is all that the file tools see. An os.Root opens nothing outside of its folder: no "..",
// no absolute path, no symbolic link that leads out, and no sibling with the same prefix.
type folder struct{ root *os.Root }

func (d folder) tools() []registry.Tool {
	const pathOnly = `{"type":"object","properties":{"path":{"type":"string","description":"within the folder, with slashes"}},"required":["path"],"additionalProperties":false}`
	return []registry.Tool{
		one("read_file", "Returns a text file, up to 1 MiB.", pathOnly, "path", func(_ context.Context, name string) (string, error) { return d.read(name) }),
		one("list_files", "Returns the names in a folder; those of folders end with a slash.", pathOnly, "path", func(_ context.Context, name string) (string, error) { return d.list(name) }),
		tool("search_files", "Returns the lines that contain a text, in the files of a folder and below.",
			`{"type":"object","properties":{"text":{"type":"string","minLength":1},"path":{"type":"string","description":"the folder; all if absent"}},"required":["text"],"additionalProperties":false}`,
			func(ctx context.Context, a *schema.Arguments) (string, error) {
				text, name := a.String("text"), a.StringOr("path", ".")
				if err := a.Err(); err != nil {
					return "", err
				}
				return d.search(ctx, text, name)
			}),
	}
}

// local returns a path for the Root. The Root would refuse a path that leads out. The check here is
// cheap, and also refuses devices of other systems, such as NUL and COM1.
func local(name string) (string, error) {
	name = filepath.FromSlash(path.Clean(name))
	if !filepath.IsLocal(name) {
		return "", errors.New("the path leads out of the folder")
	}
	return name, nil
}

// open opens a regular file. It refuses a pipe, without blocking.
func (d folder) open(name string) (*os.File, error) {
	name, err := local(name)
	if err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, told(err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, errors.New("this is no regular file")
	}
	return f, nil
}

// told returns an error without the path of the folder on this machine.
func told(err error) error {
	var e *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such file")
	case errors.As(err, &e):
		return errors.New("the file cannot be opened: " + e.Err.Error())
	}
	return errors.New("the file cannot be opened")
}

func (d folder) read(name string) (string, error) {
	f, err := d.open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return "", told(err)
	}
	if len(text) > maxFile {
		return "", errors.New("the file is longer than 1 MiB")
	}
	return string(text), nil
}

func (d folder) list(name string) (string, error) {
	name, err := local(name)
	if err != nil {
		return "", err
	}
	f, err := d.root.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return "", told(err)
	}
	defer f.Close()
	entries, err := f.ReadDir(maxEntries + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", told(err)
	}
	var text strings.Builder
	for i, e := range entries {
		if i == maxEntries {
			text.WriteString("… and more\n")
			break
		}
		text.WriteString(e.Name())
		if e.IsDir() {
			text.WriteByte('/')
		}
		text.WriteByte('\n')
	}
	return text.String(), nil
}

func (d folder) search(ctx context.Context, text, name string) (string, error) {
	name, err := local(name)
	if err != nil {
		return "", err
	}
	var found strings.Builder
	matches, left := 0, int64(maxSearch)
	err = fs.WalkDir(d.root.FS(), filepath.ToSlash(name), func(name string, e fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && e == nil: // the folder itself
			return told(err)
		case err != nil || !e.Type().IsRegular(): // links are not followed
			return nil
		case matches == maxMatches || left <= 0:
			return fs.SkipAll
		}
		f, err := d.open(name)
		if err != nil {
			return nil
		}
		defer f.Close()
		all := &io.LimitedReader{R: f, N: left}
		lines := bufio.NewScanner(all)
		lines.Buffer(nil, maxFile)
		for n := 1; lines.Scan() && matches < maxMatches; n++ {
			if line := lines.Text(); strings.Contains(line, text) {
				fmt.Fprintf(&found, "%s:%d: %s\n", name, n, line[:min(len(line), maxLine)])
				matches++
			}
		}
		left = all.N // including a line that was too long to search
		if lines.Err() != nil {
			fmt.Fprintf(&found, "%s: the rest was not searched\n", name)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if matches == maxMatches || left <= 0 {
		found.WriteString("… the search ended here\n")
	}
	return found.String(), nil
}
