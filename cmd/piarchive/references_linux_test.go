package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestReferencesAreData gives a session every kind of reference to files that a
// session can hold, to pipes and to a file outside the root, runs all that reads,
// and lets the kernel tell that none of them was opened.
func TestReferencesAreData(t *testing.T) {
	b := newBench(t)
	secret, blobs := filepath.Join(b.dir, "secret"), filepath.Join(b.dir, "blobs")
	hash := strings.Repeat("a", 64)
	for _, pipe := range []string{filepath.Join(secret, "pipe"), filepath.Join(secret, "pipe.jsonl"), filepath.Join(blobs, hash)} {
		if err := os.MkdirAll(filepath.Dir(pipe), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(secret, "file.jsonl")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(sampleSession, "brass", "golden")), 0o600); err != nil {
		t.Fatal(err)
	}
	b.write(t, "r.jsonl", referring(t, secret, file, hash))
	b.write(t, "v.jsonl", strings.ReplaceAll(referring(t, secret, file, hash), `"refers000"`, `"vanishing"`))
	opened := watchOpens(t, secret, blobs)

	commands := []string{
		"index", "list --long --text", "list needle", "search needle", "search golden", "search -C 2 needle", "search is:fork", "search has:image", "search file:pipe",
		"show refers000", "show refers000 --all --tools --thinking", "show refers000 --format md", "show refers000 --json",
		"show " + filepath.Join(b.dir, "sessions", "r.jsonl") + " --tools", "context refers000", "tree refers000", "path refers000", "entry refers000 m1",
		"children refers000 m1", "labels refers000", "info --json", "verify --deep", "restore refers000 -o -", "index --full", "vanished", "restore vanishing", "forget --yes --even-present refers000",
	}
	for _, command := range commands {
		if command == "vanished" {
			if err := os.Remove(filepath.Join(b.dir, "sessions", "v.jsonl")); err != nil {
				t.Fatal(err)
			}
			b.run(t, 0, "index", "-q")
		}
		b.stdout.Reset()
		b.stderr.Reset()
		if status := run(t.Context(), b.env, strings.Fields(command)); status > 1 {
			t.Errorf("%s: exit status %d, %s", command, status, b.stderr.String())
		}
		if names := opened(); len(names) > 0 {
			t.Errorf("%s opens %q", command, names)
		}
	}
	b.run(t, 0, "sql", "SELECT * FROM forks JOIN files JOIN sessions")
	if _, err := os.ReadFile(file); err != nil || len(opened()) == 0 {
		t.Errorf("the watch is blind (%v)", err)
	}
}

// referring is a session that names files in every place where one can be named.
func referring(t *testing.T, secret, file, hash string) string {
	pipe := filepath.Join(secret, "pipe")
	image := func(data string) map[string]any {
		return map[string]any{"type": "image", "mimeType": "image/png", "data": data}
	}
	entry := func(id, parent, kind string, more map[string]any) map[string]any {
		e := map[string]any{"type": kind, "id": id, "parentId": parent, "timestamp": "2026-01-05T10:00:01.000Z"}
		for name, v := range more {
			e[name] = v
		}
		return e
	}
	message := func(id, parent string, m map[string]any) map[string]any {
		return entry(id, parent, "message", map[string]any{"message": m})
	}
	var text strings.Builder
	for _, line := range []map[string]any{
		{"type": "session", "version": 3, "id": "refers000", "timestamp": "2026-01-05T10:00:00.000Z", "cwd": secret, "parentSession": pipe + ".jsonl", "branchedFrom": file},
		message("m1", "", map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": "needle @" + pipe},
			image("blob:sha256:" + hash), image("blob:sha256:../secret/pipe"), image("file://" + pipe)},
			"attachments": []any{map[string]any{"type": "document", "fileName": pipe, "path": pipe}}}),
		message("m2", "m1", map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "toolCall", "id": "c", "name": "read", "arguments": map[string]any{"path": pipe}}}}),
		message("m3", "m2", map[string]any{"role": "toolResult", "toolCallId": "c", "toolName": "bash", "content": []any{},
			"details": map[string]any{"fullOutputPath": pipe, "truncation": map[string]any{"truncated": true, "outputPath": file}}}),
		message("m4", "m3", map[string]any{"role": "bashExecution", "command": "cat", "output": "o", "fullOutputPath": file, "truncated": true}),
		message("m5", "m4", map[string]any{"role": "fileMention", "files": []any{map[string]any{"path": pipe, "content": "x"}}}),
		entry("m6", "m5", "compaction", map[string]any{"summary": "s", "firstKeptEntryId": "m1", "details": map[string]any{"readFiles": []string{pipe}, "modifiedFiles": []string{file}}}),
		entry("m7", "m6", "x", map[string]any{"sessionFile": file, "path": pipe}),
	} {
		b, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(b, '\n'))
	}
	return text.String()
}

// watchOpens returns what tells the names in the directories that were opened
// since it was last asked.
func watchOpens(t *testing.T, dirs ...string) func() []string {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Skipf("the kernel does not tell: %v", err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	for _, dir := range dirs {
		if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_OPEN|unix.IN_ACCESS); err != nil {
			t.Skipf("the kernel does not tell: %v", err)
		}
	}
	return func() (names []string) {
		buf := make([]byte, 64<<10)
		for {
			n, err := unix.Read(fd, buf)
			if err != nil || n <= 0 {
				return names
			}
			for at := 0; at+unix.SizeofInotifyEvent <= n; {
				length := int(buf[at+12]) | int(buf[at+13])<<8
				name := buf[at+unix.SizeofInotifyEvent:][:length]
				names = append(names, strings.TrimRight(string(name), "\x00"))
				at += unix.SizeofInotifyEvent + length
			}
		}
	}
}
