package postings

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// columnMark in a position list stands before the number of the next column.
const columnMark = 1

// counts are the occurrences in each column.
type counts = [Columns]uint16

// count adds n to a count, which stays at what fits.
func count(c *counts, column byte, n int) {
	c[column] = uint16(min(int(c[column])+n, math.MaxUint16))
}

// countList adds to c the occurrences in the columns in, and reports whether there are
// some, and whether the list is sound. It does not read the positions: each has one
// byte below 0x80, and counting these takes no branch that could be guessed wrong.
func countList(c *counts, list []byte, in Set) (some, ok bool) {
	if len(list) <= 8 && cap(list) >= 8 {
		return countWord(c, list, in)
	}
	var column, before byte
	for i := 0; ; {
		n := 0
		for ; i < len(list); i++ {
			b := list[i]
			if b == columnMark && before < 0x80 {
				break
			}
			n += int(b>>7 ^ 1)
			before = b
		}
		if n == 0 && i > 0 {
			return some, false // a column without positions
		}
		if n > 0 && in>>column&1 == 1 {
			count(c, column, n)
			some = true
		}
		if i == len(list) {
			return some, before < 0x80
		}
		if i+1 == len(list) || list[i+1] >= Columns {
			return some, false
		}
		column, before = list[i+1], 0
		i += 2
	}
}

// countWord is countList for the most part of position lists, all bytes at once: bit 7 of
// each byte of a word says something about that byte of the list.
func countWord(c *counts, list []byte, in Set) (some, ok bool) {
	const each, low = 0x8080808080808080, 0x7F7F7F7F7F7F7F7F
	unused := 64 - 8*len(list)
	word := binary.LittleEndian.Uint64(list[:8])
	valid := uint64(each) >> unused
	ends := ^word & valid
	if ends<<unused>>63 == 0 {
		return false, false // within a varint, or no bytes at all
	}
	other := word ^ columnMark*0x0101010101010101
	marks := ^((other&low + low) | other) & valid &^ (word & each << 8)
	if marks&^0x80 == 0 { // all in one column, which a mark in front may name
		marked := byte(marks >> 7)
		column, n := marked*byte(word>>8), bits.OnesCount64(ends)-2*int(marked)
		if column >= Columns || n <= 0 {
			return false, false
		}
		if in>>column&1 == 0 {
			return false, true
		}
		count(c, column, n)
		return true, true
	}
	var column byte
	for {
		mark := marks & -marks
		n := bits.OnesCount64(ends & (mark - 1)) // before the mark; all that are left without one
		if n == 0 && mark != 0x80 {
			return some, false // a column without positions
		}
		if n > 0 && in>>column&1 == 1 {
			count(c, column, n)
			some = true
		}
		if mark == 0 {
			return some, true
		}
		column = byte(word >> (bits.TrailingZeros64(mark) + 1))
		if mark<<8&valid == 0 || column >= Columns {
			return some, false
		}
		both := mark | mark<<8 // the number of column 1 looks like a mark
		marks &^= both
		ends &^= both | (mark - 1)
	}
}
