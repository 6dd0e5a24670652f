package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// vocabulary is a list of words in which each stands as often as it is used. As in real
// sessions the ten most frequent are a tenth of a text, the thousand most frequent 70 %.
func vocabulary(rand *rand.Rand) []string {
	const distinct = 20000
	syllables := strings.Fields("ac bel con da er fi gra hor in jo ka lin mo nu op par que re sta ti un ver wa xi yo zen")
	weight, sum := make([]float64, distinct), 0.0
	for i := range weight {
		weight[i] = 1 / math.Pow(float64(i)+6, .98)
		sum += weight[i]
	}
	var list []string
	for i, w := range weight {
		word := ""
		if i < len(common) {
			word = common[i]
		} else {
			for range 2 + rand.IntN(3) {
				word += syllables[rand.IntN(len(syllables))]
			}
		}
		for range int(math.Ceil(w / sum * 100000)) {
			list = append(list, word)
		}
	}
	return list
}

func (m *maker) word() string { return m.words[m.rand.IntN(len(m.words))] }

// at is the length at a quantile.
func (l *lengths) at(x float64) float64 {
	i := 1
	for quantiles[i] < x {
		i++
	}
	part := (x - quantiles[i-1]) / (quantiles[i] - quantiles[i-1])
	return math.Exp(math.Log(l[i-1]+1)*(1-part)+math.Log(l[i]+1)*part) - 1
}

func (m *maker) length(of lengths) int { return int(of.at(m.rand.Float64())) }

// output is what a tool printed. Half of it this project has seen before.
func (m *maker) output(n int) string {
	if len(m.seen) > 0 && m.rand.Float64() < .5 {
		if text := m.seen[m.rand.IntN(len(m.seen))]; len(text) >= n {
			return text[:n]
		}
	}
	text := m.code(n)
	if len(m.seen) < 50 {
		m.seen = append(m.seen, text)
	} else {
		m.seen[m.rand.IntN(50)] = text
	}
	return text
}

func (m *maker) prose(n int) string {
	return m.text(n, []string{" ", " ", " ", " ", " ", " ", " ", ", ", ". ", " `", "\n\n- "})
}

func (m *maker) code(n int) string {
	return m.text(n, []string{" ", " ", " ", "\n", "\n\t", "(", ") { ", ": ", " = \"", "\", "})
}

// text is words with something between them. Most of them it has had before, and of
// two hundred one is like none that ever was.
func (m *maker) text(n int, between []string) string {
	n = min(n, max(m.left, 100))
	text := make([]byte, 0, n+32)
	var had []string
	for len(text) < n {
		switch x := m.rand.IntN(200); {
		case len(had) > 10 && x < 130:
			text = append(text, had[m.rand.IntN(len(had))]...)
		case x < 196:
			word := m.word()
			if x >= 193 {
				word += "_" + m.word()
			} else if x >= 190 {
				word = "src/" + word + "/" + m.word() + ".ts"
			}
			had = append(had, word)
			text = append(text, word...)
		case x < 199:
			text = strconv.AppendInt(text, int64(m.rand.IntN(1+m.rand.IntN(10000))), 10)
		default:
			text = strconv.AppendUint(text, m.rand.Uint64()>>36, 16)
		}
		text = append(text, between[m.rand.IntN(len(between))]...)
	}
	return string(text[:n])
}

// image is random: a picture does not compress.
func (m *maker) image() block {
	var data strings.Builder
	for n := min(m.length(imageLengths), max(m.left, 100)); data.Len() < n; {
		fmt.Fprintf(&data, "%s", strconv.FormatUint(m.rand.Uint64(), 36))
	}
	return block{Type: "image", Data: data.String()[:data.Len()/4*4], MimeType: "image/png"}
}
