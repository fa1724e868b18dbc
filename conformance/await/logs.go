package await

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Logs runs the tests of a package and returns the code to exit with. Whoever logs nowhere
// logs to it, and each record has to have a message of several words, and one of the keys for
// each value.
func Logs(m *testing.M, keys ...string) int {
	h := &logs{keys: keys}
	slog.DiscardHandler = h
	code := m.Run()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.odd != "" {
		fmt.Fprintln(os.Stderr, "an odd record of a log:", h.odd)
		return max(code, 1)
	}
	return code
}

// logs looks at records.
type logs struct {
	keys []string
	mu   sync.Mutex
	odd  string // the first one that is not as it has to be
}

// Enabled implements slog.Handler.
func (*logs) Enabled(context.Context, slog.Level) bool { return true }

// WithAttrs implements slog.Handler.
func (h *logs) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup implements slog.Handler.
func (h *logs) WithGroup(string) slog.Handler { return h }

// Handle implements slog.Handler.
func (h *logs) Handle(_ context.Context, r slog.Record) error {
	ok := strings.Contains(strings.TrimSpace(r.Message), " ")
	r.Attrs(func(a slog.Attr) bool {
		ok = ok && slices.Contains(h.keys, a.Key)
		return true
	})
	if !ok {
		var b strings.Builder
		_ = slog.NewTextHandler(&b, nil).Handle(context.Background(), r)
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.odd == "" {
			h.odd = b.String()
		}
	}
	return nil
}
