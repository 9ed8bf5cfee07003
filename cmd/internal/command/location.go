package command

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// Locate returns the path of the database named by --db, or else by the environment, or else
// DefaultPath. It has the errors of DefaultPath.
func Locate(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	if path := os.Getenv("POLYA_DB"); path != "" {
		return path, nil
	}
	return DefaultPath()
}

// DefaultPath returns the path of the database of a user who names none.
func DefaultPath() (string, error) {
	dir := ""
	home, err := os.UserHomeDir()
	switch {
	case runtime.GOOS == "windows":
		dir = os.Getenv("LocalAppData")
	case runtime.GOOS == "darwin" && err == nil:
		dir = filepath.Join(home, "Library", "Application Support")
	case filepath.IsAbs(os.Getenv("XDG_DATA_HOME")):
		dir = os.Getenv("XDG_DATA_HOME")
	case err == nil:
		dir = filepath.Join(home, ".local", "share")
	}
	if dir == "" {
		return "", errors.New("there is no home directory to keep a database in; name one by --db FILE or POLYA_DB")
	}
	return filepath.Join(dir, "polya", "polya.db"), nil
}
