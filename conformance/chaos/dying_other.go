//go:build !linux

package main

import "syscall"

func dying() *syscall.SysProcAttr { return nil }
