//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package store

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"
)

// forgotten is the age of a lock left by a process that died: no run takes so long.
const forgotten = 5 * time.Minute

// tryLock creates a file, and returns a function to unlock it; nil if it is locked. A process that dies
// leaves the file behind, so a lock is valid only for a time.
func tryLock(name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_ = f.Close()
		return sync.OnceFunc(func() { _ = os.Remove(name) }), nil
	}
	if about, old := os.Stat(name); old == nil && time.Since(about.ModTime()) > forgotten {
		_ = os.Remove(name)
	}
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrPermission) { // Windows reports this for a file that is being removed
		err = nil
	}
	return nil, err
}

// foreign reports whether a folder belongs to another user, which is unknown here.
func foreign(os.FileInfo) bool { return false }
