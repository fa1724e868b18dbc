package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
)

// The two ends find each other, and the server ends with its context.
func TestGreeter(t *testing.T) {
	ctx, end := context.WithCancel(context.Background())
	read, write := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- serve(ctx, "127.0.0.1:0", write) }()
	line, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := greet(ctx, strings.TrimSpace(strings.TrimPrefix(line, "serving on ")), &out); err != nil {
		t.Fatal(err)
	}
	if want := "connected to greeter, revision 2025-11-25\ngreet: Greets somebody.\nHello, Ada!\n"; out.String() != want {
		t.Errorf("it says %q, want %q", out.String(), want)
	}
	end()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
