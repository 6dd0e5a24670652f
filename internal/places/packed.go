package places

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Unpacked is the path that a file would have if it were not compressed, and whether
// it is.
func Unpacked(path string) (string, bool) {
	for _, suffix := range []string{".gz", ".zst"} {
		if rest, ok := strings.CutSuffix(path, suffix); ok {
			return rest, true
		}
	}
	return path, false
}

// unpack begins to unpack a file of that name.
func unpack(file io.Reader, name string) (io.ReadCloser, error) {
	packed := bufio.NewReaderSize(file, 64<<10)
	if strings.HasSuffix(name, ".gz") {
		return gzip.NewReader(packed)
	}
	d, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

// What a small file may be unpacked to has bounds. Sessions shrink to a tenth or less,
// those with much repetition to a hundredth.
const (
	alwaysUnpacked = 64 << 20
	mostTimes      = 200
	maxWindow      = 128 << 20 // of what has to be remembered to unpack, as far as zstd goes by itself
)

// packed is a compressed file. It holds no more of the lines than the packing needs.
// Where it is damaged, what stands before that is all there is.
type packed struct {
	file  *os.File
	limit int64

	stream io.ReadCloser // nil before the first byte, and after the last
	at     int64         // of the stream
	size   int64         // -1 until the end was met
	damage error         // that the end is
	failed error         // of the disk
}

func newPacked(file *os.File, size int64) *packed {
	return &packed{file: file, limit: max(alwaysUnpacked, mostTimes*size), size: -1}
}

// Damage is what is wrong with a source whose size is known, as far as its lines could
// be read; nil of one that is whole.
func Damage(s Source) error {
	if p, ok := s.(*packed); ok {
		return p.damage
	}
	return nil
}

// Size reads to the end once.
func (p *packed) Size() (int64, error) {
	if p.size < 0 {
		if err := p.discard(1<<63 - 1); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
	}
	return p.size, nil
}

// ReadAt begins anew where it has to go back.
func (p *packed) ReadAt(b []byte, offset int64) (n int, err error) {
	if p.size >= 0 && offset >= p.size {
		return 0, io.EOF
	}
	if p.stream == nil || offset < p.at {
		if err := p.rewind(); err != nil {
			return 0, err
		}
	}
	if err := p.discard(offset - p.at); err != nil {
		return 0, err
	}
	for n < len(b) && err == nil {
		var m int
		m, err = p.read(b[n:])
		n += m
	}
	return n, err
}

func (p *packed) rewind() error {
	p.stop()
	p.at = 0
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	var err error
	if p.stream, err = unpack(failing{p}, p.file.Name()); err != nil {
		p.stream = nil
		return p.end(err)
	}
	return nil
}

// discard moves on by n bytes; io.EOF where there are not so many.
func (p *packed) discard(n int64) (err error) {
	if p.stream == nil {
		if err := p.rewind(); err != nil {
			return err
		}
	}
	buf := make([]byte, min(n, 128<<10))
	for n > 0 && err == nil {
		var m int
		m, err = p.read(buf[:min(n, int64(len(buf)))])
		n -= int64(m)
	}
	return err
}

func (p *packed) read(b []byte) (n int, err error) {
	n, err = p.stream.Read(b)
	p.at += int64(n)
	switch {
	case p.at > p.limit:
		p.at = 0 // nothing of it is taken
		return 0, p.end(fmt.Errorf("it would be more than %d bytes", p.limit))
	case errors.Is(err, io.EOF):
		p.size = p.at
	case err != nil:
		err = p.end(err)
	}
	return n, err
}

// end notes that the lines end where the stream is, because of an error that is not the
// disk's.
func (p *packed) end(err error) error {
	p.stop()
	if p.failed != nil {
		return p.failed
	}
	if errors.Is(err, io.EOF) { // there is not even a beginning
		err = io.ErrUnexpectedEOF
	}
	p.size, p.damage = p.at, fmt.Errorf("unpack it: %w", err)
	return io.EOF
}

// failing keeps the errors of the disk apart from those of the packing.
type failing struct{ *packed }

func (f failing) Read(b []byte) (int, error) {
	n, err := f.file.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		f.failed = err
	}
	return n, err
}

func (p *packed) stop() {
	if p.stream != nil {
		p.stream.Close()
		p.stream = nil
	}
}

// Close closes the file.
func (p *packed) Close() error {
	p.stop()
	return p.file.Close()
}
