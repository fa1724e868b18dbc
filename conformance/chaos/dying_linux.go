package main

import "syscall"

// dying makes a process end with its parent.
func dying() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
