package model_test

import (
	"errors"
	"fmt"
)

// failer is a test of either kind.
type failer interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// caught runs code that fails like a test, and returns its failure.
func caught(body func(t failer)) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case stop:
			err = p.error
		default:
			panic(p)
		}
	}()
	body(stop{})
	return nil
}

// stop is a failer that ends caught.
type stop struct{ error }

func (stop) Fatal(args ...any)                 { panic(stop{errors.New(fmt.Sprint(args...))}) }
func (stop) Fatalf(format string, args ...any) { panic(stop{fmt.Errorf(format, args...)}) }
