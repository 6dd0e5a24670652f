// Package config reads the settings file: TOML, of which it keeps what is set, and on
// which line.
//
// [Read] returns a [File]; [File.Get] finds a setting in it. What the settings mean,
// which there are, and what else may say the same, is known to commands alone.
//
// A file that is not there has no settings and is no error. Every other [Error] has the
// line that is to be mended.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"

	"github.com/pelletier/go-toml/v2"
)

// File is a settings file as it was read.
type File struct {
	Path     string
	Settings []Setting // by line
}

// Setting is one of its lines. What it says is text, as a flag would be given it: of a
// list a text for each item.
type Setting struct {
	Table, Key string // Table is "" in front of the first [table]
	Values     []string
	List       bool
	Line       int
}

// Name is what the setting is called, outside the file.
func (s Setting) Name() string {
	if s.Table == "" {
		return s.Key
	}
	return s.Table + "." + s.Key
}

// Error is a line that cannot be taken as it is.
type Error struct {
	Path string
	Line int
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

// At says where a setting stands.
func (f File) At(s Setting) string { return fmt.Sprintf("%s:%d", f.Path, s.Line) }

// Wrong is an error about a setting of the file.
func (f File) Wrong(s Setting, err error) error { return &Error{f.Path, s.Line, err} }

// Get finds a setting.
func (f File) Get(table, key string) (Setting, bool) {
	i := slices.IndexFunc(f.Settings, func(s Setting) bool { return s.Table == table && s.Key == key })
	if i < 0 {
		return Setting{}, false
	}
	return f.Settings[i], true
}

// mostBytes is more than anyone writes.
const mostBytes = 1 << 20

// Read reads a file: the settings that are right, and all that is wrong.
func Read(path string) (File, []error) {
	f := File{Path: path}
	info, err := os.Stat(path) // a pipe in its place is not waited for
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err == nil && !info.Mode().IsRegular():
		err = errors.New("not a regular file")
	case err == nil && info.Size() > mostBytes:
		err = errors.New("too large for settings")
	}
	if err != nil {
		return f, []error{fmt.Errorf("read the settings: %w", err)}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return f, []error{fmt.Errorf("read the settings: %w", err)}
	}
	wrong := f.parse(text)
	return f, wrong
}

func (f *File) parse(text []byte) (wrong []error) {
	var values map[string]any
	if err := toml.Unmarshal(text, &values); err != nil {
		if bad, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ := bad.Position()
			return []error{&Error{f.Path, line, errors.New(bad.Error()[len("toml: "):])}}
		}
		return []error{&Error{f.Path, 1, err}}
	}
	// To a reader that knows the tables and no key, every line is one too many, and it
	// says which.
	var tables []reflect.StructField
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if _, ok := values[name].(map[string]any); ok {
			tag := reflect.StructTag("toml:" + strconv.Quote(name))
			tables = append(tables, reflect.StructField{Name: fmt.Sprintf("T%d", len(tables)), Type: reflect.TypeFor[struct{}](), Tag: tag})
		}
	}
	knowing := reflect.New(reflect.StructOf(tables)).Interface()
	err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(knowing)
	unknown, ok := errors.AsType[*toml.StrictMissingError](err)
	if !ok {
		return nil
	}
	for _, place := range unknown.Errors {
		line, _ := place.Position()
		s, err := setting(values, place.Key())
		if s.Line = line; err != nil {
			wrong = append(wrong, f.Wrong(s, err))
			continue
		}
		f.Settings = append(f.Settings, s)
	}
	return wrong
}

// setting finds what a key is set to.
func setting(values map[string]any, key toml.Key) (s Setting, err error) {
	switch len(key) {
	case 1:
		s.Key = key[0]
	case 2:
		s.Table, s.Key = key[0], key[1]
		values, _ = values[key[0]].(map[string]any)
	default:
		return s, fmt.Errorf("%s is deeper than settings are", key[len(key)-1])
	}
	value, ok := values[s.Key]
	if !ok {
		return s, fmt.Errorf("%s: the settings of a command stand below [COMMAND]", s.Key)
	}
	if list, ok := value.([]any); ok {
		s.List = true
		for _, item := range list {
			text, err := written(item)
			if err != nil {
				return s, fmt.Errorf("%s: %w", s.Key, err)
			}
			s.Values = append(s.Values, text)
		}
		return s, nil
	}
	text, err := written(value)
	if err != nil {
		return s, fmt.Errorf("%s: %w", s.Key, err)
	}
	s.Values = []string{text}
	return s, nil
}

// written is a value as a flag would be given it.
func written(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		if !math.IsInf(v, 0) && !math.IsNaN(v) {
			return strconv.FormatFloat(v, 'f', -1, 64), nil
		}
	case toml.LocalDate:
		return v.String(), nil
	}
	return "", errors.New("it takes a text, a number, true or false, or a list of those")
}
