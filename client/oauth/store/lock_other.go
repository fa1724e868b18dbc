//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package store

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"
)

// forgotten is how old a lock is that a process has left behind: no run takes so long.
const forgotten = 5 * time.Minute

// tryLock makes a file, and returns how it is unlocked; nil if somebody has it. A process that dies leaves it
// behind, so that it counts for a time alone.
func tryLock(name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_ = f.Close()
		return sync.OnceFunc(func() { _ = os.Remove(name) }), nil
	}
	if about, old := os.Stat(name); old == nil && time.Since(about.ModTime()) > forgotten {
		_ = os.Remove(name)
	}
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrPermission) { // Windows says so of a file that is being removed
		err = nil
	}
	return nil, err
}

// foreign reports whether a folder belongs to another user, which cannot be told here.
func foreign(os.FileInfo) bool { return false }
