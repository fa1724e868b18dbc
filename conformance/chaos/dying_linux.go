package main

import "syscall"

// dying has a process end with the one that started it.
func dying() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
