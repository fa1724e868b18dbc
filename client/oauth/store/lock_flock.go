//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package store

import (
	"errors"
	"os"
	"sync"
	"syscall"
)

// tryLock locks a file, and returns a function to unlock it; nil if it is locked. The system unlocks it
// when the process ends.
func tryLock(name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
		return sync.OnceFunc(func() { _ = f.Close() }), nil
	}
	_ = f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		err = nil
	}
	return nil, err
}

// foreign reports whether a folder belongs to another user, who could change its contents.
func foreign(about os.FileInfo) bool {
	stat, ok := about.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) != os.Geteuid()
}
