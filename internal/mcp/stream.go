package mcp

import (
	"bufio"
	"encoding/json"
	"io"
	"sync"
	"time"
)

// stream is what a client sends and is sent. The end of what it sends is held back
// until all that it asked was answered: the protocol's library lets go of open
// requests at once, and `piarchive mcp < requests` would say nothing.
type stream struct {
	in   *bufio.Reader
	rest []byte // of the last line that was read
	out  io.Writer

	mutex sync.Mutex
	open  int           // requests that wait for an answer
	idle  chan struct{} // told when open is 0
}

func newStream(in io.Reader, out io.Writer) *stream {
	return &stream{in: bufio.NewReaderSize(in, 64<<10), out: out, idle: make(chan struct{}, 1)}
}

// kind reports whether a message wants an answer, and whether it is one.
func kind(message []byte) (isRequest, isAnswer bool) {
	var m struct{ ID, Method json.RawMessage }
	if json.Unmarshal(message, &m) != nil {
		return false, false
	}
	return m.ID != nil && m.Method != nil, m.ID != nil && m.Method == nil
}

func (s *stream) count(n int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.open = max(0, s.open+n); s.open == 0 {
		select {
		case s.idle <- struct{}{}:
		default:
		}
	}
}

func (s *stream) waiting() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.open > 0
}

func (s *stream) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		line, err := s.in.ReadSlice('\n') // of one longer than the buffer only a part, which counts as nothing
		if isRequest, _ := kind(line); isRequest {
			s.count(1)
		}
		if len(line) == 0 && err != nil {
			for late := time.After(callTime); s.waiting(); {
				select {
				case <-s.idle:
				case <-late:
					return 0, err
				}
			}
			return 0, err
		}
		s.rest = line
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func (s *stream) Write(p []byte) (int, error) {
	n, err := s.out.Write(p)
	if _, isAnswer := kind(p); isAnswer {
		s.count(-1)
	}
	return n, err
}

func (s *stream) Close() error { return nil }
