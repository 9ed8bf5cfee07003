// Package location says which database a user means.
package location

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// Of is the path of the database that is named by --db, or else by the environment, or
// else the default one. The error is that of Default.
func Of(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	if path := os.Getenv("POLYA_DB"); path != "" {
		return path, nil
	}
	return Default()
}

// Default is the database of a user who names none.
func Default() (string, error) {
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
