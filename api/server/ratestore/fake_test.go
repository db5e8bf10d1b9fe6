package ratestore

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

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
