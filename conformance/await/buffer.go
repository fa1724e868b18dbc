package await

import (
	"strings"
	"sync"
)

// Buffer is a text for concurrent writing and reading.
type Buffer struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write adds to the text.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String returns the text.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// Reset empties the text.
func (b *Buffer) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text.Reset()
}
