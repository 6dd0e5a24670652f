package question

import (
	"math"
	"strconv"
	"strings"
)

// ParseRange reads >1, >=1, <5, 10k..50k or a lone number.
func ParseRange(v string) (low, high float64, ok bool) {
	const most = 1e300
	amount := func(s string) (float64, bool) {
		scale := 1.0
		switch {
		case strings.HasSuffix(s, "k"):
			s, scale = s[:len(s)-1], 1e3
		case strings.HasSuffix(s, "M"):
			s, scale = s[:len(s)-1], 1e6
		}
		n, err := strconv.ParseFloat(strings.TrimPrefix(s, "$"), 64)
		return n * scale, err == nil && n == n && n < most && n > -most
	}
	if a, b, found := strings.Cut(v, ".."); found {
		low, high, ok = -most, most, a != "" || b != ""
		if a != "" && ok {
			low, ok = amount(a)
		}
		if b != "" && ok {
			high, ok = amount(b)
		}
		return low, high, ok
	}
	for _, op := range []string{">=", "<=", ">", "<"} {
		if rest, found := strings.CutPrefix(v, op); found {
			n, ok := amount(rest)
			switch op {
			case ">=":
				return n, most, ok
			case ">":
				return math.Nextafter(n, most), most, ok
			case "<=":
				return -most, n, ok
			}
			return -most, math.Nextafter(n, -most), ok
		}
	}
	n, ok := amount(v)
	return n, n, ok
}
