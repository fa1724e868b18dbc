// Package contexts makes contexts that end by themselves.
package contexts

import (
	"context"
	"time"
)

func given(ctx context.Context) error {
	if ctx == context.Background() {
		return context.Canceled
	}
	<-ctx.Done() // want chan
	return context.Cause(ctx)
}

func made(ctx context.Context) {
	next, cancel := context.WithCancel(ctx)        // want ambient
	_, _ = context.WithTimeout(next, time.Second)  // want ambient
	_ = context.AfterFunc(next, cancel)            // want ambient
	var _ context.CancelFunc = cancel              // want ambient
	_ = context.WithValue(ctx, "key", "something") // want ambient
}
