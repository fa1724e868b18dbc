package links

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("%v, want %v", err, want)
	}
}

func wantText(t *testing.T, got any, want string) {
	t.Helper()
	if text := fmt.Sprint(got); !strings.Contains(text, want) {
		t.Fatalf("%s, want %s in it", text, want)
	}
}
