package realtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// sockets are those that zonecut's process has open.
func (l *lab) sockets() int {
	l.Helper()
	folder := fmt.Sprintf("/proc/%d/fd", l.zonecut.command.Process.Pid)
	entries, err := os.ReadDir(folder)
	if err != nil {
		l.Fatal(err)
	}
	count := 0
	for _, entry := range entries {
		if target, err := os.Readlink(filepath.Join(folder, entry.Name())); err == nil && strings.HasPrefix(target, "socket:") {
			count++
		}
	}
	return count
}
