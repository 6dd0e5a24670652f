package salvage

import (
	"encoding/binary"
	"io"
	"math"
)

// image is a damaged database as its pages, with those of its log in front: the
// format is that of https://sqlite.org/fileformat2.html. No number in it is trusted.
type image struct {
	file, log io.ReaderAt
	pages     int64           // that the file can have
	page      int             // size of one
	usable    int             // bytes of it
	logged    map[int64]int64 // where in the log the latest state of a page is
	free      map[int64]bool  // pages whose rows were removed
	freeKnown bool            // all of them are among free
}

// ownPage is the size of pages that SQLite takes unless told otherwise: where the
// header is lost, it has to be that.
const ownPage = 4096

func newImage(file io.ReaderAt, size int64, log io.ReaderAt, logSize int64) *image {
	m := &image{file: file, log: log, page: ownPage, logged: map[int64]int64{}, free: map[int64]bool{}}
	head := make([]byte, 100)
	if _, err := file.ReadAt(head, 0); err == nil && string(head[:16]) == "SQLite format 3\x00" {
		if n := int(binary.BigEndian.Uint16(head[16:])); n >= 512 && n&(n-1) == 0 {
			m.page = n
		}
	}
	m.usable = m.page
	m.pages = (size + int64(m.page) - 1) / int64(m.page)
	m.readLog(logSize)
	m.readFree()
	return m
}

// readLog finds the pages of the transactions in the log that are whole.
func (m *image) readLog(size int64) {
	const headSize, frameHead = 32, 24
	head := make([]byte, headSize)
	if m.log == nil || !m.at(m.log, head, 0) || int(binary.BigEndian.Uint32(head[8:])) != m.page {
		return
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch binary.BigEndian.Uint32(head) {
	case 0x377f0682:
	case 0x377f0683:
		order = binary.BigEndian
	default:
		return
	}
	var sum [2]uint32
	add := func(b []byte) {
		for i := 0; i+8 <= len(b); i += 8 {
			sum[0] += order.Uint32(b[i:]) + sum[1]
			sum[1] += order.Uint32(b[i+4:]) + sum[0]
		}
	}
	add(head[:24])
	open := map[int64]int64{}
	frame := make([]byte, frameHead+m.page)
	for at := int64(headSize); at+int64(len(frame)) <= size && m.at(m.log, frame, at); at += int64(len(frame)) {
		add(frame[:8])
		add(frame[frameHead:])
		if string(frame[8:16]) != string(head[16:24]) || binary.BigEndian.Uint32(frame[16:]) != sum[0] || binary.BigEndian.Uint32(frame[20:]) != sum[1] {
			break
		}
		open[int64(binary.BigEndian.Uint32(frame))] = at + frameHead
		if pages := int64(binary.BigEndian.Uint32(frame[4:])); pages > 0 { // the end of a transaction
			m.pages = max(m.pages, pages)
			for n, where := range open {
				m.logged[n] = where
			}
			clear(open)
		}
	}
}

func (*image) at(r io.ReaderAt, buf []byte, at int64) bool {
	n, _ := r.ReadAt(buf, at)
	return n == len(buf)
}

// read reads page n, which counts from 1.
func (m *image) read(n int64, buf []byte) bool {
	if where, ok := m.logged[n]; ok {
		return m.at(m.log, buf, where)
	}
	return n >= 1 && n <= m.pages && m.at(m.file, buf, (n-1)*int64(m.page))
}

// readFree follows the list of free pages.
func (m *image) readFree() {
	buf := make([]byte, m.page)
	if !m.read(1, buf) || string(buf[:15]) != "SQLite format 3" {
		return
	}
	m.usable -= int(buf[20])
	trunk, left := int64(binary.BigEndian.Uint32(buf[32:])), int64(binary.BigEndian.Uint32(buf[36:]))
	for trunk != 0 {
		if m.free[trunk] || !m.read(trunk, buf) {
			return
		}
		m.free[trunk] = true
		left--
		n := int64(binary.BigEndian.Uint32(buf[4:]))
		if n > int64(m.usable/4-2) {
			return
		}
		for i := range n {
			m.free[int64(binary.BigEndian.Uint32(buf[8+4*i:]))] = true
			left--
		}
		trunk = int64(binary.BigEndian.Uint32(buf))
	}
	m.freeKnown = left == 0
}

// place is where a row is.
type place struct {
	page int64
	cell int
}

// row is a row as its cell has it: the types of its columns, and the beginning of
// its bytes.
type row struct {
	place
	index    bool // of an index, or of a table without rowids
	id       int64
	types    []int64
	head     int // length of what stands before the values
	total    int
	local    []byte
	overflow int64
}

// rows calls take with all rows there are. A row is valid until take returns.
func (m *image) rows(take func(*row)) {
	buf := make([]byte, m.page)
	for n := int64(1); n <= m.pages; n++ {
		if m.free[n] || !m.read(n, buf) {
			continue
		}
		for cell := range m.cells(n, buf) {
			if r := m.row(n, cell, buf); r != nil {
				take(r)
			}
		}
	}
}

// again reads the row at a place anew.
func (m *image) again(p place) *row {
	buf := make([]byte, m.page)
	if !m.read(p.page, buf) || p.cell >= m.cells(p.page, buf) {
		return nil
	}
	return m.row(p.page, p.cell, buf)
}

// The kinds of pages that hold rows.
const (
	indexInterior = 2
	indexLeaf     = 10
	tableLeaf     = 13
)

// header is where in a page that of its tree begins.
func header(page int64) int {
	if page == 1 {
		return 100
	}
	return 0
}

// cells is how many rows a page says it has, 0 for one without.
func (m *image) cells(page int64, buf []byte) int {
	b := buf[header(page):]
	switch b[0] {
	case indexInterior, indexLeaf, tableLeaf:
		return min(int(binary.BigEndian.Uint16(b[3:])), m.page/4)
	}
	return 0
}

// row reads one row of a page; nil for what is none.
func (m *image) row(page int64, cell int, buf []byte) *row {
	at := header(page)
	kind := buf[at]
	pointers := at + 8
	if kind == indexInterior {
		pointers += 4
	}
	if pointers+2*cell+2 > len(buf) {
		return nil
	}
	b := buf[min(int(binary.BigEndian.Uint16(buf[pointers+2*cell:])), m.usable):m.usable]
	if kind == indexInterior { // the page below
		b = b[min(4, len(b)):]
	}
	total, b := varint(b)
	r := &row{place: place{page, cell}, index: kind != tableLeaf}
	most := (m.usable-12)*64/255 - 23
	if !r.index {
		most = m.usable - 35
		r.id, b = varint(b)
	}
	if total <= 0 || total > math.MaxInt32 || total > (m.pages+1)*int64(m.page) {
		return nil
	}
	r.total = int(total)
	local := r.total
	if local > most {
		least := (m.usable-12)*32/255 - 23
		if local = least + (r.total-least)%(m.usable-4); local > most {
			local = least
		}
		if local+4 > len(b) {
			return nil
		}
		r.overflow = int64(binary.BigEndian.Uint32(b[local:]))
	}
	if local > len(b) {
		return nil
	}
	r.local = b[:local]
	return r.readTypes()
}

func (r *row) readTypes() *row {
	n, b := varint(r.local)
	if n <= 0 || n > int64(len(r.local)) {
		return nil
	}
	b, r.head = r.local[len(r.local)-len(b):n], int(n)
	for len(b) > 0 {
		var t int64
		t, b = varint(b)
		r.types = append(r.types, t)
	}
	return r
}

// values reads the columns; nil where they are not whole.
func (m *image) values(r *row) []any {
	payload := make([]byte, r.total)
	n := copy(payload, r.local)
	buf := make([]byte, m.page)
	for next := r.overflow; n < r.total; next = int64(binary.BigEndian.Uint32(buf)) {
		if m.free[next] || !m.read(next, buf) {
			return nil
		}
		n += copy(payload[n:], buf[4:m.usable])
	}
	b := payload[r.head:]
	values := make([]any, len(r.types))
	for i, t := range r.types {
		size := width(t)
		if size < 0 || size > int64(len(b)) {
			return nil
		}
		v := b[:size]
		b = b[size:]
		switch {
		case t == 0:
		case t <= 6:
			n := int64(int8(v[0]))
			for _, c := range v[1:] {
				n = n<<8 | int64(c)
			}
			values[i] = n
		case t == 7:
			values[i] = math.Float64frombits(binary.BigEndian.Uint64(v))
		case t <= 9:
			values[i] = t - 8
		case t%2 == 0:
			values[i] = v
		default:
			values[i] = string(v)
		}
	}
	return values
}

// width is how many bytes a value of a type takes, -1 for what is no type.
func width(t int64) int64 {
	switch {
	case t >= 0 && t <= 4:
		return t
	case t == 5:
		return 6
	case t == 6 || t == 7:
		return 8
	case t == 8 || t == 9:
		return 0
	case t >= 12:
		return (t - 12) / 2
	}
	return -1
}

// varint reads one of SQLite's numbers and returns what follows it.
func varint(b []byte) (n int64, rest []byte) {
	for i := range min(8, len(b)) {
		n = n<<7 | int64(b[i]&0x7f)
		if b[i] < 0x80 {
			return n, b[i+1:]
		}
	}
	if len(b) < 9 {
		return 0, nil
	}
	return n<<8 | int64(b[8]), b[9:]
}
