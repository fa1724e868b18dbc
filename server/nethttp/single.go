package nethttp

import (
	"context"
	"strings"
)

// split is a Store whose records of single requests stay in this process.
type split struct {
	own *memory
	Store
}

func (s split) of(id string) Store {
	if single(id) {
		return s.own
	}
	return s.Store
}

func (s split) Get(ctx context.Context, id string) (Record, error) { return s.of(id).Get(ctx, id) }
func (s split) Delete(ctx context.Context, id string) error        { return s.of(id).Delete(ctx, id) }
func (s split) Put(ctx context.Context, id string, r Record, step uint64) error {
	return s.of(id).Put(ctx, id, r, step)
}
func (s split) Wait(ctx context.Context, id string, step uint64) error {
	return s.of(id).Wait(ctx, id, step)
}

// ofSingle begins the ids of single requests, but never the id of a session (given).
const ofSingle = "0"

func single(id string) bool { return strings.HasPrefix(id, ofSingle) }
