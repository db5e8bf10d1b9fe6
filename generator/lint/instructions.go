package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"catalog.example/api/invisible"
	"catalog.example/generator/content"
	"catalog.example/generator/rule"
	"golang.org/x/text/unicode/norm"
)

// instruction is a turn of phrase by which a text speaks to the model that reads it, in
// lower case. It names what is commanded, so that sentences about prompts and
// models pass.
type instruction struct {
	// needs are words, in lower case, one of each group of which is in every match:
	// most texts have none, and looking for words is a hundred times as fast as
	// the expression.
	needs  [][]string
	phrase *regexp.Regexp
}

var instructions = []instruction{
	// Forget what you were told.
	{oneOf("ignore", "disregard", "forget", "override", "bypass", "follow"),
		regexp.MustCompile(`\b(?:ignore|disregard|forget|override|bypass|do not follow|don't follow|stop following)\s+(?:[\w']+\s+){0,3}?(?:previous|prior|above|earlier|preceding|foregoing|your|system|original|initial)\s+(?:[\w']+\s+){0,3}?(?:instructions?|prompts?|rules?|guidelines?|directions|directives|instructions|context|training|programming)\b`)},
	{oneOf("ignore", "disregard", "forget"),
		regexp.MustCompile(`\b(?:ignore|disregard|forget)\s+(?:everything|all|anything)\s+(?:\w+\s+){0,2}?(?:above|before|previously|you (?:were|have been))\b`)},
	{both(oneOf("your"), oneOf("prompt", "instructions")),
		regexp.MustCompile(`\b(?:reveal|repeat|print|output|leak|disclose)\s+(?:\w+\s+){0,2}?your\s+(?:\w+\s+){0,2}?(?:prompt|instructions)\b`)},
	{both(oneOf(":"), oneOf("instruction", "prompt", "instructions")),
		regexp.MustCompile(`\b(?:new|updated|real|actual|important|additional)\s+(?:system\s+)?(?:instructions?|prompts?|instructions)\s*(?:for (?:the |an? )?(?:ai|assistants?|agents?|models?|llms?)\s*)?:`)},
	// You are somebody else.
	{oneOf("you are now "), regexp.MustCompile(`\byou are now (?:an?|the|in|my|free|no longer|acting|operating|going)\b`)},
	{oneOf("from now on"), regexp.MustCompile(`\bfrom now on,?\s+(?:you|act|respond|answer|always|only|never|behave|speak)\b`)},
	{oneOf("pretend "), regexp.MustCompile(`\bpretend (?:to be|that you|you are)\b`)},
	{oneOf("you are a"), regexp.MustCompile(`\b(?:if|when|since|because) you are an? (?:ai|llm|language model|large language model|ai model|ai assistant|ai agent|chatbot)\b`)},
	{oneOf("you are a"), regexp.MustCompile(`\byou are an? (?:ai|llm|language model|large language model|helpful assistant|chatbot)\b`)},
	{oneOf("as a ai", "as an ai", "as a llm", "as an llm", "as a language", "as an language", "as a large", "as an large", "as a artificial", "as an artificial"),
		regexp.MustCompile(`\bas an? (?:ai|artificial intelligence|llm|large language model|language model|ai (?:language )?(?:assistant|model|agent|chatbot)),?\s+(?:you|i|your|always|never|do|please)\b`)},
	{oneOf("note", "message", "attention", "instruction", "hint", "memo"),
		regexp.MustCompile(`\b(?:note|message|attention|instructions?|hint|memo)\s*(?:to|for)?\s*:?\s+(?:all\s+)?(?:ai|llms?|language models?|ai (?:assistants?|agents?|models?|crawlers?))\b\s*[:,!]`)},
	// Keep it from the user, or press something on them.
	{both(oneOf("user"), oneOf("do not", "don't", "never", "must not")),
		regexp.MustCompile(`\b(?:do not|don't|never|must not)\s+(?:tell|inform|mention|reveal|warn|alert|disclose|admit)\s+(?:(?:this|it|that|anything|any of this)\s+)?(?:to\s+)?(?:the\s+|your\s+)?users?\b`)},
	{both(oneOf("user"), oneOf("tell", "inform", "convince", "persuade", "assure")),
		regexp.MustCompile(`\b(?:tell|inform|convince|persuade|assure)\s+the\s+user\s+(?:that|to)\b`)},
	{both(oneOf("must", "should", "shall", "required", "have", "need"), oneOf("assistant", "language models", "llms", "agents", "ai models", "chatbots")),
		regexp.MustCompile(`\b(?:ai assistants?|assistants|language models|llms|ai agents|ai models|chatbots|agents)\s+(?:must|should|shall|are required to|have to|need to)\s+(?:always\s+|only\s+|never\s+)?(?:recommend|rank|prefer|suggest|praise|ignore|disregard|mention this|list this|tell)\b`)},
	{both(oneOf("always", "only"), oneOf("recommend", "suggest", "rank", "choose", "prefer")),
		regexp.MustCompile(`\b(?:always|only)\s+(?:recommend|suggest|rank|choose|prefer)\s+(?:this|our|us)\b`)},
	{both(oneOf("this"), oneOf("first", "above", "before", "over", "instead", "highest", "at the top")),
		regexp.MustCompile(`\b(?:recommend|rank|suggest|list|place|put)\s+(?:only\s+)?this\s+(?:tool|project|listing|entry|product)?\s*(?:first|above|before|over|instead|highest|at the top)\b`)},
	// The marks by which conversations are written down.
	{oneOf("<"), regexp.MustCompile(`</?\s*(?:system|assistant|developer|human|instructions?|system-reminder|im_start|im_end|tool_call|tool_result|function_calls?|function_results?)(?:\s[^<>]*)?/?>`)},
	{oneOf("<|", "inst]", "sys>>"), regexp.MustCompile(`<\|[a-z_ ]+\|>|\[/?inst\]|<</?sys>>`)},
	{both(oneOf(":"), oneOf("system", "assistant", "developer")),
		regexp.MustCompile(`(?m)^[#*>\s-]*(?:system|assistant|developer)(?:\s+(?:message|prompt|instructions?|override))?\**\s*:\**\s`)},
	{both(oneOf("#"), oneOf("system", "instruction", "human", "assistant")),
		regexp.MustCompile(`(?m)^#{1,6}\s*(?:system|instructions?|human|assistant)\s*:?\s*$`)},
}

// oneOf and both write down what an instruction needs.
func oneOf(words ...string) [][]string        { return [][]string{words} }
func both(one, another [][]string) [][]string { return slices.Concat(one, another) }

// neededWords are the words that instructions need, by their first two bytes; a word of
// one byte stands at all that begin with it.
var neededWords = func() map[[2]byte][]string {
	words := map[[2]byte][]string{}
	for _, i := range instructions {
		for _, word := range slices.Concat(i.needs...) {
			for second := range byte(0xff) { // UTF-8 has no byte 0xff
				begin := [2]byte{word[0], second}
				if (len(word) == 1 || word[1] == begin[1]) && !slices.Contains(words[begin], word) {
					words[begin] = append(words[begin], word)
				}
			}
		}
	}
	return words
}()

// neededBytes has a bit for each pair of bytes in neededWords. Every byte of all listings
// is looked up in it, and it is small enough for a core's own cache.
var neededBytes = func() (pairs [1 << 10]uint64) {
	for begin := range neededWords {
		pair := uint16(begin[0])<<8 | uint16(begin[1])
		pairs[pair/64] |= 1 << (pair % 64)
	}
	return pairs
}()

// neededIn returns which of neededWords stand in a text.
func neededIn(text string) (found []string) {
	for i := range len(text) {
		begin := [2]byte{text[i]}
		if i+1 < len(text) {
			begin[1] = text[i+1]
		}
		pair := uint16(begin[0])<<8 | uint16(begin[1])
		if neededBytes[pair/64]>>(pair%64)&1 == 0 {
			continue
		}
		for _, word := range neededWords[begin] {
			if strings.HasPrefix(text[i:], word) && !slices.Contains(found, word) {
				found = append(found, word)
			}
		}
	}
	return found
}

// in returns where the instruction stands in a text that has some of neededWords, as
// pairs of places.
func (i *instruction) in(text string, has []string) [][]int {
	for _, words := range i.needs {
		if !slices.ContainsFunc(words, func(word string) bool { return slices.Contains(has, word) }) {
			return nil
		}
	}
	return i.phrase.FindAllStringIndex(text, -1)
}

func checkInstructions(p piece) []content.Finding {
	text, offsets := folded(p.text)
	has := neededIn(text)
	if len(has) == 0 {
		return nil
	}
	var found [][]int
	for i := range instructions {
		found = append(found, instructions[i].in(text, has)...)
	}
	slices.SortFunc(found, slices.Compare)
	var findings []content.Finding
	told := 0 // up to where
	for _, at := range found {
		if at[0] < told {
			continue
		}
		told = at[1]
		begin, end := at[0], at[1]
		if offsets != nil {
			begin, end = offsets[begin], offsets[end]
		}
		given := strings.Join(strings.Fields(p.text[begin:end]), " ")
		findings = append(findings, p.at(rule.Instruction, fmt.Sprintf("%s%q speaks to a model that reads it; allowed are texts that describe what is listed: say it in other words, or leave it out", p.key, given), begin))
	}
	return findings
}

// folded returns a text as people see it, for comparing: in lower case, without
// what is invisible, with letters that look like those of ASCII as these. offsets
// leads from each byte of it, and from its end, to the text; nil where all places
// are the same.
func folded(text string) (folded string, offsets []int) {
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
		seen := strings.ToLower(norm.NFKC.String(string(r)))
		if ascii, ok := lookAlikes[[]rune(seen)[0]]; ok {
			seen = ascii
		}
		for range len(seen) {
			offsets = append(offsets, i)
		}
		out = append(out, seen...)
	}
	return string(out), append(offsets, len(text))
}

// lookAlikes are small letters of other scripts that look like letters of ASCII
// (Unicode UTS #39, the most used), and quotation marks.
var lookAlikes = map[rune]string{
	'а': "a", 'в': "b", 'с': "c", 'ԁ': "d", 'е': "e", 'ё': "e", 'һ': "h", 'і': "i", 'ї': "i", 'ј': "j", 'к': "k", 'ӏ': "l", 'м': "m", 'н': "h", 'о': "o", 'р': "p",
	'ԛ': "q", 'г': "r", 'ѕ': "s", 'т': "t", 'у': "y", 'ѵ': "v", 'ԝ': "w", 'х': "x", 'ь': "b",
	'α': "a", 'β': "b", 'ε': "e", 'η': "n", 'ι': "i", 'κ': "k", 'ν': "v", 'ο': "o", 'ρ': "p", 'τ': "t", 'υ': "u", 'χ': "x", 'γ': "y", 'ω': "w",
	'ı': "i", 'ɡ': "g", 'ɑ': "a", 'օ': "o", 'ս': "u", 'ց': "g", 'հ': "h", 'ո': "n", '’': "'", '‘': "'",
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}
