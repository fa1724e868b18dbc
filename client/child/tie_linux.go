package child

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// tied starts processes that get SIGTERM when this process ends, in any way. The kernel ties a
// process to the thread that started it, and the Go runtime ends a locked thread with its
// goroutine. So one goroutine starts them all, and keeps its thread while one of them lives.
var tied struct {
	mu    sync.Mutex
	alive int
	jobs  chan func()
}

// start starts a process that ends with this one, unless cmd says otherwise.
func start(cmd *exec.Cmd) error {
	if cmd.SysProcAttr.Pdeathsig == 0 {
		cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM
	}
	tied.mu.Lock()
	if tied.alive == 0 {
		tied.jobs = make(chan func())
		go startAll(tied.jobs)
	}
	tied.alive++
	jobs := tied.jobs
	tied.mu.Unlock()
	started := make(chan error)
	jobs <- func() { started <- cmd.Start() }
	err := <-started
	if err != nil {
		ended()
	}
	return err
}

// ended counts down a started process that has ended.
func ended() {
	tied.mu.Lock()
	defer tied.mu.Unlock()
	if tied.alive--; tied.alive == 0 {
		close(tied.jobs)
	}
}

func startAll(jobs <-chan func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread() // otherwise the thread would end
	for job := range jobs {
		job()
	}
}
