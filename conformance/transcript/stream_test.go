package transcript_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/jsonrpc"
)

// TestStreams cuts what the peer sends in each of the raw transcripts, including a byte order mark
// before it, into chunks of several sizes: the messages are
// the same as line by line, as in the normal runs of transcripts.
func TestStreams(t *testing.T) {
	paths, err := filepath.Glob("../testdata/raw/*.txt")
	if err != nil || len(paths) < 64 {
		t.Fatalf("%d raw transcripts, want the 64 of the recorded servers; %v", len(paths), err)
	}
	for _, path := range paths {
		f, err := transcript.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		// A message precedes, so that a mark in the script is not at the start.
		stream := []byte(`{"jsonrpc":"2.0","id":"before","method":"ping"}` + "\n")
		var whole jsonrpc.Framer
		want := messages(&whole, stream)
		for _, s := range f.Steps {
			data, err := s.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			stream = append(stream, data...)
			want = append(want, messages(&whole, data)...)
		}
		if last := want[len(want)-1]; !strings.HasPrefix(last, `request "probe" ping`) {
			t.Errorf("%s: the last message is no probe: %s", path, last)
		}
		marked := append([]byte("\ufeff"), stream...)
		for _, size := range []int{1, 2, 3, 7, 64, 4096, len(marked)} {
			if len(stream)/size > 1<<17 {
				continue // the mebibyte, in small chunks
			}
			for name, bytes := range map[string][]byte{"": stream, "marked": marked} {
				var framer jsonrpc.Framer
				var got []string
				for chunk := range slices.Chunk(bytes, size) {
					got = append(got, messages(&framer, chunk)...)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s %s, %d bytes at a time:\n%.2000s\nwant\n%.2000s", path, name, size, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
				if m, ok := framer.Close(); ok {
					t.Errorf("%s %s, %d bytes at a time: %s is left over", path, name, size, text(m))
				}
			}
		}
	}
}

// messages returns the messages complete after the bytes.
func messages(f *jsonrpc.Framer, data []byte) (list []string) {
	f.Push(data)
	for m, ok := f.Next(); ok; m, ok = f.Next() {
		list = append(list, text(m))
	}
	return list
}

// text is all content of a message that is not a batch.
func text(m jsonrpc.Message) string {
	return fmt.Sprintf("%v %v %s%s%s %v %v %v %d", m.Kind, m.ID, m.Method, m.Spelling(), m.Body, m.Err, m.Fault, m.Shape, len(m.Batch()))
}
