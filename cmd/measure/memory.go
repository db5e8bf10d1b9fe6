package main

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// process is what /proc tells of a process.
type process struct {
	id, parent int
	pss        int64 // bytes
}

// processes returns the processes of the sandbox with their memory, without those that have ended
// meanwhile. PSS is the proportional set size: pages that several processes share count once in
// their sum.
func processes() (list []process) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue
		}
		rollup, err := os.ReadFile(filepath.Join("/proc", e.Name(), "smaps_rollup"))
		if err != nil {
			continue
		}
		list = append(list, process{id, parentIn(stat), pssIn(rollup)})
	}
	return list
}

// parentIn returns the parent's number in the text of /proc/PID/stat. The second field, the name in
// parentheses, may contain anything.
func parentIn(stat []byte) int {
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1])
	return parent
}

// pssIn returns the bytes of PSS in the text of /proc/PID/smaps_rollup.
func pssIn(rollup []byte) int64 {
	lines := bufio.NewScanner(bytes.NewReader(rollup))
	for lines.Scan() {
		if fields := strings.Fields(lines.Text()); len(fields) == 3 && fields[0] == "Pss:" {
			kib, _ := strconv.ParseInt(fields[1], 10, 64)
			return kib << 10
		}
	}
	return 0
}

// sum adds up the memory of the processes, except the excluded ones and their descendants.
func sum(list []process, excluded ...int) (total int64) {
	parents := map[int]int{}
	for _, p := range list {
		parents[p.id] = p.parent
	}
	isExcluded := func(id int) bool {
		for range len(list) + 1 {
			if slices.Contains(excluded, id) {
				return true
			}
			if id = parents[id]; id == 0 {
				break
			}
		}
		return false
	}
	for _, p := range list {
		if !isExcluded(p.id) {
			total += p.pss
		}
	}
	return total
}

// block is the size of disk blocks in bytes. Files take whole blocks.
const block = 4096

// diskOf returns the bytes that the files in a folder take.
func diskOf(folder string) (total int64, err error) {
	err = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += (info.Size() + block - 1) / block * block
		}
		return err
	})
	return total, err
}
