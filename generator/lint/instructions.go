package lint

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"catalog.example/api/invisible"
	"catalog.example/generator/rule"
	"golang.org/x/text/unicode/norm"
)

// instruction is a phrase, in lower case, that addresses a model that reads the text. It includes a
// command, so that sentences about prompts and models do not match.
type instruction struct {
	// Every match contains a word of each group of required. Most texts do not, and searching for
	// words is much faster than the expression.
	required [][]string
	phrase   *regexp.Regexp
}

var instructions = []instruction{
	// Ignore or reveal instructions.
	{oneOf("ignore", "disregard", "forget", "override", "bypass", "follow"),
		regexp.MustCompile(`\b(?:ignore|disregard|forget|override|bypass|do not follow|don't follow|stop following)\s+(?:[\w']+\s+){0,3}?(?:previous|prior|above|earlier|preceding|foregoing|your|system|original|initial)\s+(?:[\w']+\s+){0,3}?(?:instructions?|prompts?|rules?|guidelines?|directions|directives|instructions|context|training|programming)\b`)},
	{oneOf("ignore", "disregard", "forget"),
		regexp.MustCompile(`\b(?:ignore|disregard|forget)\s+(?:everything|all|anything)\s+(?:\w+\s+){0,2}?(?:above|before|previously|you (?:were|have been))\b`)},
	{both(oneOf("your"), oneOf("prompt", "instructions")),
		regexp.MustCompile(`\b(?:reveal|repeat|print|output|leak|disclose)\s+(?:\w+\s+){0,2}?your\s+(?:\w+\s+){0,2}?(?:prompt|instructions)\b`)},
	{both(oneOf(":"), oneOf("instruction", "prompt", "instructions")),
		regexp.MustCompile(`\b(?:new|updated|real|actual|important|additional)\s+(?:system\s+)?(?:instructions?|prompts?|instructions)\s*(?:for (?:the |an? )?(?:ai|assistants?|agents?|models?|llms?)\s*)?:`)},
	// Play another role.
	{oneOf("you are now "), regexp.MustCompile(
		`\byou are now (?:an?|the|in|my|free|no longer|acting|operating|going)\b`)},
	{oneOf("from now on"), regexp.MustCompile(
		`\bfrom now on,?\s+(?:you|act|respond|answer|always|only|never|behave|speak)\b`)},
	{oneOf("pretend "), regexp.MustCompile(`\bpretend (?:to be|that you|you are)\b`)},
	{oneOf("you are a"), regexp.MustCompile(`\b(?:if|when|since|because) you are an? (?:ai|llm|language model|large language model|ai model|ai assistant|ai agent|chatbot)\b`)},
	{oneOf("you are a"), regexp.MustCompile(
		`\byou are an? (?:ai|llm|language model|large language model|helpful assistant|chatbot)\b`)},
	{oneOf("as a ai", "as an ai", "as a llm", "as an llm", "as a language", "as an language", "as a large",
		"as an large", "as a artificial", "as an artificial"),
		regexp.MustCompile(`\bas an? (?:ai|artificial intelligence|llm|large language model|language model|ai (?:language )?(?:assistant|model|agent|chatbot)),?\s+(?:you|i|your|always|never|do|please)\b`)},
	{oneOf("note", "message", "attention", "instruction", "hint", "memo"),
		regexp.MustCompile(`\b(?:note|message|attention|instructions?|hint|memo)\s*(?:to|for)?\s*:?\s+(?:all\s+)?(?:ai|llms?|language models?|ai (?:assistants?|agents?|models?|crawlers?))\b\s*[:,!]`)},
	// Deceive or influence the user.
	{both(oneOf("user"), oneOf("do not", "don't", "never", "must not")),
		regexp.MustCompile(`\b(?:do not|don't|never|must not)\s+(?:tell|inform|mention|reveal|warn|alert|disclose|admit)\s+(?:(?:this|it|that|anything|any of this)\s+)?(?:to\s+)?(?:the\s+|your\s+)?users?\b`)},
	{both(oneOf("user"), oneOf("tell", "inform", "convince", "persuade", "assure")),
		regexp.MustCompile(`\b(?:tell|inform|convince|persuade|assure)\s+the\s+user\s+(?:that|to)\b`)},
	{both(oneOf("must", "should", "shall", "required", "have", "need"), oneOf("assistant", "language models", "llms",
		"agents", "ai models", "chatbots")),
		regexp.MustCompile(`\b(?:ai assistants?|assistants|language models|llms|ai agents|ai models|chatbots|agents)\s+(?:must|should|shall|are required to|have to|need to)\s+(?:always\s+|only\s+|never\s+)?(?:recommend|rank|prefer|suggest|praise|ignore|disregard|mention this|list this|tell)\b`)},
	{both(oneOf("always", "only"), oneOf("recommend", "suggest", "rank", "choose", "prefer")),
		regexp.MustCompile(`\b(?:always|only)\s+(?:recommend|suggest|rank|choose|prefer)\s+(?:this|our|us)\b`)},
	{both(oneOf("this"), oneOf("first", "above", "before", "over", "instead", "highest", "at the top")),
		regexp.MustCompile(`\b(?:recommend|rank|suggest|list|place|put)\s+(?:only\s+)?this\s+(?:tool|project|listing|entry|product)?\s*(?:first|above|before|over|instead|highest|at the top)\b`)},
	// Markers of chat transcripts.
	{oneOf("<"), regexp.MustCompile(`</?\s*(?:system|assistant|developer|human|instructions?|system-reminder|im_start|im_end|tool_call|tool_result|function_calls?|function_results?)(?:\s[^<>]*)?/?>`)},
	{oneOf("<|", "inst]", "sys>>"), regexp.MustCompile(`<\|[a-z_ ]+\|>|\[/?inst\]|<</?sys>>`)},
	{both(oneOf(":"), oneOf("system", "assistant", "developer")),
		regexp.MustCompile(`(?m)^[#*>\s-]*(?:system|assistant|developer)(?:\s+(?:message|prompt|instructions?|override))?\**\s*:\**\s`)},
	{both(oneOf("#"), oneOf("system", "instruction", "human", "assistant")),
		regexp.MustCompile(`(?m)^#{1,6}\s*(?:system|instructions?|human|assistant)\s*:?\s*$`)},
}

// oneOf and both return the required words of an instruction.
func oneOf(words ...string) [][]string        { return [][]string{words} }
func both(one, another [][]string) [][]string { return slices.Concat(one, another) }

// find returns the beginning and end of each match in a text.
func (i *instruction) find(text string) [][]int {
	for _, group := range i.required {
		if !slices.ContainsFunc(group, func(word string) bool { return strings.Contains(text, word) }) {
			return nil
		}
	}
	return i.phrase.FindAllStringIndex(text, -1)
}

// checkInstructions finds instructions to models.
func checkInstructions(f textField, found *findings) {
	text, offsets := fold(f.text)
	var matches [][]int
	for i := range instructions {
		matches = append(matches, instructions[i].find(text)...)
	}
	slices.SortFunc(matches, slices.Compare)
	reported := 0 // the end of the last match
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
// letters for letters that look like them. offsets maps each byte of the result, and its end, to an
// offset in the text. It is nil if the text is unchanged.
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

// confusables are the most common lower-case letters of other scripts that look like ASCII letters
// (Unicode UTS #39), and quotation marks.
var confusables = map[rune]string{
	'а': "a", 'в': "b", 'с': "c", 'ԁ': "d", 'е': "e", 'ё': "e", 'һ': "h", 'і': "i", 'ї': "i", 'ј': "j", 'к': "k",
	'ӏ': "l", 'м': "m", 'н': "h", 'о': "o", 'р': "p",
	'ԛ': "q", 'г': "r", 'ѕ': "s", 'т': "t", 'у': "y", 'ѵ': "v", 'ԝ': "w", 'х': "x", 'ь': "b",
	'α': "a", 'β': "b", 'ε': "e", 'η': "n", 'ι': "i", 'κ': "k", 'ν': "v", 'ο': "o", 'ρ': "p", 'τ': "t", 'υ': "u",
	'χ': "x", 'γ': "y", 'ω': "w",
	'ı': "i", 'ɡ': "g", 'ɑ': "a", 'օ': "o", 'ս': "u", 'ց': "g", 'հ': "h", 'ո': "n", '’': "'", '‘': "'",
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}
