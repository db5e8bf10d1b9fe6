package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// remount makes the folder $1, and if possible all else, read-only in a namespace of its
// own, and runs a command. It fails if the folder is still writable.
const remount = `set -e
mount --make-rprivate /
mount --bind "$1" "$1"
mount -o remount,bind,ro "$1"
mount -o remount,bind,ro / 2>/dev/null || true
if touch "$1/written" 2>/dev/null; then echo "the folder can be written to" >&2; exit 9; fi
cd "$1"
shift
exec "$@"`

// checkReadOnly serves from a read-only file system.
func checkReadOnly(t *testing.T, program, _ string) {
	dir := t.TempDir()
	public := filepath.Join(dir, "public")
	if out, err := exec.CommandContext(t.Context(), program, "build", "--quiet", "--content", "testdata/content", "--out", public).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Mkdir(filepath.Join(dir, "tmp"), 0o755); err != nil {
		t.Fatal(err)
	}
	namespace := &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 { // every user may mount in a namespace of its own
		namespace = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		}
	}
	probe := exec.CommandContext(t.Context(), "sh", "-c", remount, "sh", dir, "true")
	probe.SysProcAttr = namespace
	if out, err := probe.CombinedOutput(); err != nil {
		if os.Geteuid() == 0 {
			t.Fatalf("root cannot mount in a namespace of its own, so that a read-only file system cannot be tried: %v\n%s", err, out)
		}
		t.Logf("mounting is not allowed here (%v); rights are taken away instead", err)
		checkWithoutWriteRights(t, program, public)
		return
	}
	checkReadOnlyServe(t, func(s *serveProcess) {
		s.command.Path, s.command.Args = "/bin/sh", append([]string{"sh", "-c", remount, "sh", dir}, s.command.Args...)
		s.command.SysProcAttr = namespace
		s.command.Env = append(s.command.Env, "TMPDIR="+filepath.Join(dir, "tmp"))
	}, program, public)
}
