//go:build !linux

package server

import "os"

// exchangeFolders swaps two folders; for a moment there is none at b.
func exchangeFolders(a, b string) error {
	for _, move := range [][2]string{{b, a + "-old"}, {a, b}, {a + "-old", a}} {
		if err := os.Rename(move[0], move[1]); err != nil {
			return err
		}
	}
	return nil
}
