package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
)

// files is a Store with a file for each key.
type files struct{ folder string }

// NewFiles returns a Store with a file for each key, in a folder that processes share, which it creates if
// necessary. It fails if others can read the folder, or if it belongs to another user.
func NewFiles(folder string) (Store, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	about, err := os.Stat(folder)
	if err != nil {
		return nil, err
	}
	if foreign(about) {
		return nil, fmt.Errorf("store: %s belongs to another user; want a folder of your own", folder)
	}
	if mode := about.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" { // whose modes say nothing
		return nil, fmt.Errorf("store: %s has the mode %#o; want 0700", folder, mode)
	}
	return files{folder}, nil
}

// path returns the file of a key, whose name anybody may have chosen.
func (s files) path(key, kind string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(s.folder, hex.EncodeToString(sum[:])+kind)
}

// Load implements Store.
func (s files) Load(_ context.Context, key string) (oauth.Record, Version, error) {
	text, err := s.read(key)
	if err != nil {
		return oauth.Record{}, "", err
	}
	return parse(text)
}

// read returns the contents of a file; none if it is not there.
func (s files) read(key string) ([]byte, error) {
	f, err := os.Open(s.path(key, ".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if len(text) > MaxBytes {
		err = ErrSize
	}
	return text, err
}

// Save implements Store.
func (s files) Save(ctx context.Context, key string, r oauth.Record, v Version) (Version, error) {
	text, err := format(r)
	if err != nil {
		return "", err
	}
	unlock, err := s.lock(ctx, key, ".write")
	if err != nil {
		return "", err
	}
	defer unlock()
	old, err := s.read(key)
	if err != nil && !errors.Is(err, ErrSize) {
		return "", err
	}
	if versionOf(old) != v {
		return "", ErrChanged
	}
	next := s.path(key, ".next")
	if err = write(next, text); err == nil {
		err = os.Rename(next, s.path(key, ".json"))
	}
	if err != nil {
		return "", err
	}
	return versionOf(text), nil
}

// write writes a file that is on the disk when it returns.
func write(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// Lock implements Store.
func (s files) Lock(ctx context.Context, key string) (func(), error) {
	return s.lock(ctx, key, ".lock")
}

// How often a lock that somebody has is tried again.
const (
	firstWait   = time.Millisecond
	longestWait = 50 * time.Millisecond
)

// lock waits for a lock that processes share.
func (s files) lock(ctx context.Context, key, kind string) (unlock func(), err error) {
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		if unlock, err = tryLock(s.path(key, kind)); unlock != nil || err != nil {
			return unlock, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
