//go:build unix

package ratestore

import "syscall"

// quiet tells whether a socket is open, and nothing has come in that was not read.
func quiet(socket syscall.RawConn) bool {
	var read error
	err := socket.Control(func(fd uintptr) {
		// Go's sockets do not block. What is there is left there.
		_, _, read = syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK)
	})
	return err == nil && (read == syscall.EAGAIN || read == syscall.EWOULDBLOCK)
}
