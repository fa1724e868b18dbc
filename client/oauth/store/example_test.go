package store_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/store"
)

// Of two processes that have loaded the same Record, only one can save.
func Example() {
	ctx := context.Background()
	kept := store.NewMemory()
	_, version, _ := kept.Load(ctx, "alice")
	rec := oauth.Record{Issuer: "https://as.example", Token: oauth.Token{Access: "t1"}}
	_, err := kept.Save(ctx, "alice", rec, version)
	fmt.Println(err)
	_, err = kept.Save(ctx, "alice", rec, version)
	fmt.Println(errors.Is(err, store.ErrChanged))
	rec, _, _ = kept.Load(ctx, "alice")
	fmt.Println(rec.Issuer, rec.Token.Access)
	// Output:
	// <nil>
	// true
	// https://as.example …
}
