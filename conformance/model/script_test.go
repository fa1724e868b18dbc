package model_test

import (
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/lifecycle"
)

// The script of a run is a transcript: it can be read, and its steps are those of the run.
func TestScript(t *testing.T) {
	for _, party := range []lifecycle.Party{lifecycle.Server, lifecycle.Client} {
		for seed := range 30 {
			src := rand.New(rand.NewSource(int64(seed)))
			run, err := model.NewRun(src, model.RandomSetup(src, party), true)
			if err != nil {
				t.Fatal(err)
			}
			for range 40 {
				if err := run.Step(); err != nil {
					t.Fatal(err)
				}
			}
			script := run.Script()
			path := filepath.Join(t.TempDir(), "a-run.txt")
			if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := transcript.Parse(path)
			if err != nil {
				t.Fatalf("%v\n%s", err, script)
			}
			inputs := 0
			for _, line := range strings.Split(script, "\n") {
				if strings.HasPrefix(line, "> ") || strings.HasPrefix(line, "@ ") || strings.HasPrefix(line, "app ") {
					inputs++
				}
			}
			if f.Role != party || len(f.Steps) != inputs || inputs < 15 {
				t.Errorf("a transcript for a %v of %d steps, %d are in the script\n%s", f.Role, len(f.Steps), inputs, script)
			}
		}
	}
}
