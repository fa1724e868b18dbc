package transcript_test

import (
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/conformance/transcript"
)

var update = flag.Bool("update", false, "rewrite what the transcripts expect")

// TestTranscripts runs every transcript in each of its revisions, normally
// and with a snapshot and a restore after each step.
func TestTranscripts(t *testing.T) {
	paths, err := filepath.Glob("../testdata/*/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, path := range paths {
		f, err := transcript.Parse(path)
		if err != nil {
			t.Error(err)
			continue
		}
		name := strings.TrimSuffix(filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path)), ".txt")
		if *update {
			got, err := f.Run(transcript.Options{Revision: f.Revisions[0]})
			if err != nil {
				t.Error(err)
				continue
			}
			for i := range f.Steps {
				f.Steps[i].Want = got[i]
			}
			if err := f.Write(); err != nil {
				t.Fatal(err)
			}
		}
		for _, rev := range f.Revisions {
			for _, reload := range []bool{false, true} {
				run := name + "/" + rev.String()
				if reload {
					run += "/restored"
				}
				t.Run(run, func(t *testing.T) {
					got, err := f.Run(transcript.Options{Revision: rev, Reload: reload})
					if err != nil {
						t.Fatal(err)
					}
					for i, s := range f.Steps {
						if !slices.Equal(got[i], f.Wanted(s, rev)) {
							t.Errorf("step %d, %s\n%s", i+1, s.Input, cmp.Diff(f.Wanted(s, rev), got[i]))
						}
					}
				})
			}
		}
	}
}
