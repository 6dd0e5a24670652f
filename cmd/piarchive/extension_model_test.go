//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"piarchive/internal/ingest/ingesttest"
)

// model stands for a language model behind the API of OpenAI: it makes one call of a tool
// after the other, keeps what comes back, and says that it has done so.
type model struct {
	calls    []toolCall
	declared []string // tools in the first request
	results  []string // of the calls

	mutex sync.Mutex
	wrong error
}

type toolCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	var request struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct {
			Function struct{ Name string }
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || len(request.Messages) == 0 {
		m.wrong = fmt.Errorf("a request with %d messages: %w", len(request.Messages), err)
		http.Error(w, "no request", http.StatusBadRequest)
		return
	}
	if m.declared == nil {
		for _, tool := range request.Tools {
			m.declared = append(m.declared, tool.Function.Name)
		}
	}
	if last := request.Messages[len(request.Messages)-1]; last.Role == "tool" {
		m.results = append(m.results, string(last.Content))
	}
	delta, reason := map[string]any{"role": "assistant", "content": "that is all"}, "stop"
	if n := len(m.results); n < len(m.calls) && slices.Contains(m.declared, m.calls[n].Name) {
		delta, reason = map[string]any{"role": "assistant", "tool_calls": []any{
			map[string]any{"index": 0, "id": fmt.Sprint("call", n), "type": "function", "function": m.calls[n]}}}, "tool_calls"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, choice := range []any{map[string]any{"index": 0, "delta": delta}, map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": reason}} {
		chunk, err := json.Marshal(map[string]any{"id": "1", "object": "chat.completion.chunk", "model": "fake", "choices": []any{choice}})
		if err != nil {
			m.wrong = err
		}
		fmt.Fprintf(w, "data: %s\n\n", chunk)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// TestToolsInPi: a model in the real pi is given the tool that searches, as the extension
// asks for it, and calls each of the tools.
func TestToolsInPi(t *testing.T) {
	t.Parallel()
	interpreter := node(t)
	inEach(t, "PIARCHIVE_PI", filepath.Join("dist", "bundle", "cli.js"), interpreter, func(t *testing.T, program string) {
		sessions := ingesttest.Sessions(t, map[string][]string{"alpha001": {"the gate of the harbour", "a crane lifts the container", "it was heavy"}})
		const search = "mcp__piarchive__search_sessions"
		script, err := json.Marshal(map[string]string{"code": `
			for (const [name, args] of [["open", {ref: "alpha001@4"}], ["list_sessions", {}], ["usage", {}]]) {
				const result = await tools["mcp__piarchive__" + name](args);
				text(name + (result.isError || !result.structuredContent ? " fails: " : ": ") + result.content[0].text);
			}`})
		if err != nil {
			t.Fatal(err)
		}
		m := &model{calls: []toolCall{{search, `{"query":"crane"}`}, {"codemode", string(script)}}}
		server := httptest.NewServer(m)
		defer server.Close()
		said := tellPi(t, []string{interpreter, program, "--offline", "--no-approve", "--provider", "fake", "--model", "fake", "-p", "where was the crane?"}, server.URL, sessions)

		m.mutex.Lock()
		defer m.mutex.Unlock()
		if m.wrong != nil || !strings.Contains(said, "that is all") {
			t.Fatalf("pi says %q; %v", said, m.wrong)
		}
		if !slices.ContainsFunc(m.declared, func(name string) bool { return name == "codemode" }) && !slices.Contains(m.declared, search) {
			t.Skipf("this pi has no MCP: %q", m.declared)
		}
		if len(m.results) != 2 {
			t.Fatalf("%d results: %q; the tools are %q", len(m.results), m.results, m.declared)
		}
		for i, wanted := range [][]string{{"a crane lifts the container", "alpha001"}, {"open: ", "it was heavy", "list_sessions: ", "usage: "}} {
			for _, want := range wanted {
				if !strings.Contains(m.results[i], want) {
					t.Errorf("%s: %q is not in %s", m.calls[i].Name, want, m.results[i])
				}
			}
		}
		if strings.Contains(m.results[1], " fails: ") {
			t.Error(m.results[1])
		}
	})
}

// tellPi runs a command of pi with the extension and a model.
func tellPi(t *testing.T, command []string, model, sessions string) string {
	t.Helper()
	agent, bin := t.TempDir(), t.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(bin, "piarchive"))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(agent, "models.json"), fmt.Appendf(nil, `{"providers": {"fake": {"baseUrl": %q, "api": "openai-completions", "apiKey": "none",
			"models": [{"id": "fake", "name": "fake", "input": ["text"], "contextWindow": 100000, "maxTokens": 1000, "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}}]}}}`, model), 0o600)
	}
	extension, wrong := filepath.Abs(filepath.Join(repository, "extension"))
	if err != nil || wrong != nil {
		t.Fatal(err, wrong)
	}
	cmd := exec.CommandContext(t.Context(), command[0], append(command[1:], "-e", extension)...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"), "HOME=" + agent, "PI_CODING_AGENT_DIR=" + agent,
		"PIARCHIVE_ROOTS=" + sessions, "PIARCHIVE_DB=" + filepath.Join(agent, "archive.db"), "LANG=C.UTF-8", "GORACE=atexit_sleep_ms=0"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s%s", command, err, out, stderr.String())
	}
	return string(out)
}
