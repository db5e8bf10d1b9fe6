package lint

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"catalog.example/api/invisible"
	"catalog.example/generator/rule"
	"golang.org/x/text/unicode/norm"
)

// instruction is a phrase that gives orders to a model that reads the text.
type instruction struct {
	required [][]string // in every match begins at least one word of each group
	phrase   func() *regexp.Regexp
}

// instructions returns the phrases of instructions.txt. An expression is compiled when a text needs
// it, so that commands that read no listing start sooner.
var instructions = sync.OnceValue(func() (list []instruction) {
	var lines []string
	for line := range strings.Lines(instructionsText) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	for pair := range slices.Chunk(lines, 2) {
		i := instruction{phrase: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pair[1]) })}
		for group := range strings.SplitSeq(pair[0], " & ") {
			i.required = append(i.required, strings.Split(group, " / "))
		}
		list = append(list, i)
	}
	return list
})

//go:embed instructions.txt
var instructionsText string

// wordTable has the required words of all instructions.
type wordTable struct {
	// words has those that begin with each pair of bytes. A word of one byte is listed under every
	// pair that begins with that byte.
	words map[[2]byte][]string
	// prefixes has a bit for each pair of bytes, set if the pair is a key of words. It is looked up for
	// each word of all listings, and fits into the first-level cache of a processor.
	prefixes [1 << 10]uint64
}

var requiredTable = sync.OnceValue(func() *wordTable {
	table := wordTable{words: map[[2]byte][]string{}}
	for _, i := range instructions() {
		for _, word := range slices.Concat(i.required...) {
			for second := range byte(0xff) { // 0xff is left out because it never occurs in UTF-8
				prefix := [2]byte{word[0], second}
				if (len(word) == 1 || word[1] == prefix[1]) && !slices.Contains(table.words[prefix], word) {
					table.words[prefix] = append(table.words[prefix], word)
				}
			}
		}
	}
	for prefix := range table.words {
		pair := uint16(prefix[0])<<8 | uint16(prefix[1])
		table.prefixes[pair/64] |= 1 << (pair % 64)
	}
	return &table
})

// requiredWordsIn returns the required words that begin in a folded text, where no word is begun already.
func requiredWordsIn(text string) (found []string) {
	table := requiredTable()
	inWord := false
	for i := range len(text) {
		before := inWord
		if inWord = isWordByte(text[i]); inWord && before {
			continue
		}
		prefix := [2]byte{text[i]}
		if i+1 < len(text) {
			prefix[1] = text[i+1]
		}
		pair := uint16(prefix[0])<<8 | uint16(prefix[1])
		if table.prefixes[pair/64]>>(pair%64)&1 == 0 {
			continue
		}
		for _, word := range table.words[prefix] {
			if strings.HasPrefix(text[i:], word) && !slices.Contains(found, word) {
				found = append(found, word)
			}
		}
	}
	return found
}

// isWordByte reports whether a byte is one of \w in regular expressions.
func isWordByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
}

// find returns the beginning and end of each match in a text. words are the required words in the
// text.
func (i *instruction) find(text string, words []string) [][]int {
	for _, group := range i.required {
		if !slices.ContainsFunc(group, func(word string) bool { return slices.Contains(words, word) }) {
			return nil
		}
	}
	return i.phrase().FindAllStringIndex(text, -1)
}

// checkInstructions finds instructions to models in a text.
func checkInstructions(f textField, found *findings) {
	text, offsets := fold(f.text)
	words := requiredWordsIn(text)
	if len(words) == 0 {
		return
	}
	var matches [][]int
	for _, i := range instructions() {
		matches = append(matches, i.find(text, words)...)
	}
	slices.SortFunc(matches, slices.Compare)
	reported := 0 // the end of the last reported match
	for _, match := range matches {
		begin, end := match[0], match[1]
		if begin < reported {
			continue
		}
		reported = end
		if offsets != nil {
			begin, end = offsets[begin], offsets[end]
		}
		quote := strings.Join(strings.Fields(f.text[begin:end]), " ")
		found.add(f.finding(rule.Instruction, begin, "%q gives an instruction to the model that reads it: describe "+
			"what is listed instead, or remove it", quote))
	}
}

// fold returns a text as people see it: in lower case, without invisible characters, and with ASCII
// letters in place of letters that look like them. offsets maps each byte of the result, and its
// end, to an offset in the text. It is nil for ASCII texts, in which offsets do not change.
func fold(text string) (folded string, offsets []int) {
	if isASCII(text) {
		return strings.ToLower(text), nil
	}
	out := make([]byte, 0, len(text))
	offsets = make([]int, 0, len(text)+1)
	for i, r := range text {
		if r < utf8.RuneSelf {
			c := text[i]
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			out, offsets = append(out, c), append(offsets, i)
			continue
		}
		if invisible.Is(r) {
			continue
		}
		letters := strings.ToLower(norm.NFKC.String(string(r)))
		if ascii, ok := confusables[[]rune(letters)[0]]; ok {
			letters = ascii
		}
		for range len(letters) {
			offsets = append(offsets, i)
		}
		out = append(out, letters...)
	}
	return string(out), append(offsets, len(text))
}

// confusables maps quotation marks and the most common lower-case letters of other scripts that
// look like ASCII letters (Unicode UTS #39) to ASCII.
var confusables = map[rune]string{
	'а': "a", 'в': "b", 'с': "c", 'ԁ': "d", 'е': "e", 'ё': "e", 'һ': "h", 'і': "i", 'ї': "i", 'ј': "j", 'к': "k",
	'ӏ': "l", 'м': "m", 'н': "h", 'о': "o", 'р': "p",
	'ԛ': "q", 'г': "r", 'ѕ': "s", 'т': "t", 'у': "y", 'ѵ': "v", 'ԝ': "w", 'х': "x", 'ь': "b",
	'α': "a", 'β': "b", 'ε': "e", 'η': "n", 'ι': "i", 'κ': "k", 'ν': "v", 'ο': "o", 'ρ': "p", 'τ': "t", 'υ': "u",
	'χ': "x", 'γ': "y", 'ω': "w",
	'ı': "i", 'ɡ': "g", 'ɑ': "a", 'օ': "o", 'ս': "u", 'ց': "g", 'հ': "h", 'ո': "n", '’': "'", '‘': "'",
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
