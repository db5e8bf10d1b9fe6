package ratestore

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// startFake returns the address of a server that is no Redis. Each of its
// connections is closed when serve returns, or at the end of the test.
func startFake(t testing.TB, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	var group sync.WaitGroup
	group.Go(func() {
		for {
			connection, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[connection] = true
			mu.Unlock()
			group.Go(func() {
				serve(connection)
				_ = connection.Close()
				mu.Lock()
				delete(open, connection)
				mu.Unlock()
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for connection := range open {
			_ = connection.Close()
		}
		mu.Unlock()
		group.Wait()
	})
	return l.Addr().String()
}

// readCommand reads a command as a Redis does.
func readCommand(in *bufio.Reader) ([]string, error) {
	length := func(kind byte) (n int, err error) {
		line, err := in.ReadString('\n')
		if err != nil {
			return 0, err
		}
		_, err = fmt.Sscanf(line, string(kind)+"%d\r\n", &n)
		return n, err
	}
	words, err := length('*')
	if err != nil {
		return nil, err
	}
	var command []string
	for range words {
		size, err := length('$')
		if err != nil {
			return nil, err
		}
		word := make([]byte, size+2)
		if _, err := io.ReadFull(in, word); err != nil {
			return nil, err
		}
		text, ended := strings.CutSuffix(string(word), "\r\n")
		if !ended {
			return nil, errors.New("a word is longer than it says")
		}
		command = append(command, text)
	}
	return command, nil
}
