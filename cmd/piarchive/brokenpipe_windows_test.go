package main

import (
	"golang.org/x/sys/windows"
)

const brokenPipe = windows.ERROR_BROKEN_PIPE
