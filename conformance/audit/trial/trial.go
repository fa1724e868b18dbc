// Package trial builds the tests of a package once and runs them any number of times,
// with an environment variable that chooses what is broken.
package trial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Tests are the compiled tests of a package.
type Tests struct {
	dir, binary string
	args        []string
}

// Build compiles the tests of the package in dir into a file. flags are those of go
// test for the compiler; args are those of every run, which is a short one. With rapid,
// its tests try the same cases in each run and do not shrink failures.
func Build(dir, file string, rapid bool, flags, args []string) (*Tests, error) {
	cmd := exec.Command("go", append(append([]string{"test", "-c", "-o", file}, flags...), ".")...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the tests in %s do not build: %w\n%s", dir, err, out)
	}
	t := &Tests{dir: dir, binary: file, args: append([]string{"-test.short"}, args...)}
	if rapid {
		t.args = append(t.args, "-rapid.seed=1", "-rapid.nofailfile", "-rapid.shrinktime=0s")
	}
	return t, nil
}

// Run runs the tests with the variable set to value and returns their exit code, 0
// if they pass, and their output. The error is that of ctx if it ends first.
func (t *Tests) Run(ctx context.Context, variable, value string) (code int, out string, err error) {
	cmd := exec.CommandContext(ctx, t.binary, t.args...)
	cmd.Dir, cmd.Env = t.dir, append(os.Environ(), variable+"="+value)
	cmd.WaitDelay = time.Second
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, b.String(), nil
	case ctx.Err() != nil:
		return 0, b.String(), ctx.Err()
	case errors.As(err, &exit):
		return exit.ExitCode(), b.String(), nil
	}
	return 0, b.String(), err
}

// Each calls do for 0 to n-1, in order and several at a time, and returns the errors.
func Each(n, parallel int, do func(i int) error) error {
	next := make(chan int)
	errs := make([]error, n)
	var wg sync.WaitGroup
	for range max(parallel, 1) {
		wg.Go(func() {
			for i := range next {
				errs[i] = do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	return errors.Join(errs...)
}
