package postings

// Varint reads one of SQLite's variable-length integers and returns what it takes
// up, 0 when p ends within it.
func Varint(p []byte) (v uint64, n int) {
	if len(p) > 0 && p[0] < 0x80 {
		return uint64(p[0]), 1
	}
	return longVarint(p)
}

func longVarint(p []byte) (v uint64, n int) {
	for i, b := range p {
		if i == 8 {
			return v<<8 | uint64(b), 9
		}
		v = v<<7 | uint64(b&0x7F)
		if b < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}

// varints reads one integer after another.
type varints struct {
	rest []byte
	bad  bool // there were fewer than asked for
}

func (r *varints) next() uint64 {
	v, n := Varint(r.rest)
	if n == 0 {
		r.bad = true
	}
	r.rest = r.rest[n:]
	return v
}

// AppendVarint writes an integer below 1<<56.
func AppendVarint(dst []byte, v uint64) []byte {
	switch {
	case v < 1<<7:
		return append(dst, byte(v))
	case v < 1<<14:
		return append(dst, byte(v>>7)|0x80, byte(v&0x7F))
	}
	for shift := 49; shift > 0; shift -= 7 {
		if v>>shift > 0 {
			dst = append(dst, byte(v>>shift)|0x80)
		}
	}
	return append(dst, byte(v&0x7F))
}

func appendVarints(dst []byte, all ...uint64) []byte {
	for _, v := range all {
		dst = AppendVarint(dst, v)
	}
	return dst
}
