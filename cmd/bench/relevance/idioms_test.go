package relevance

import (
	"slices"
	"testing"

	"catalog.example/cmd/bench/shipped"
)

// Verbs and idioms of content/taxonomy/synonyms.yml carry the job, and what is excluded does not. Each
// query has one of the listings among its first three hits.
func TestIdioms(t *testing.T) {
	queries, wanted := []shipped.Query{}, [][]string{}
	for _, c := range []struct {
		query string
		good  []string
	}{
		{"write down what is said", []string{"whisperx", "vibe", "whisper"}}, {"turn my podcast into text", []string{"whisper", "vibe", "buzz"}},
		{"interview into text", []string{"whisper", "whisperx"}}, {"read this aloud", []string{"piper", "kokoro", "pocket-tts"}},
		{"articles into audio", []string{"pocket-tts", "piper", "qwen3-tts"}}, {"who said what in a recording", []string{"scriberr", "whisperx"}},
		{"type what i say", []string{"handy", "voiceink"}}, {"take minutes of our meetings", []string{"meetily", "anarlog"}},
		{"get rid of the singing", []string{"ultimate-vocal-remover"}}, {"make old black and white photos colourful", []string{"image-toolbox", "codeformer"}},
		{"answer the phone for my shop", []string{"pipecat", "livekit-agents"}}, {"burning tokens", []string{"litellm", "openlit"}},
		{"it makes stuff up", []string{"trulens", "ragas", "nemo-guardrails"}}, {"words from a picture", []string{"umi-ocr", "tesseract-ocr"}},
		{"remove someone from a photo", []string{"iopaint"}}, {"group of agents", []string{"camel", "chatdev"}},
		{"find letters again", []string{"paperless-ngx", "docspell"}}, {"proofread my letter", []string{"languagetool", "harper"}},
		{"not whisper, transcribe interviews", []string{"buzz", "vibe", "noscribe"}},
		{"video from a description", []string{"open-sora", "ltx-video", "wangp", "cogvideo"}},
		{"make subtitles for a video in another language", []string{"smartsub", "subtitleedit", "pyvideotrans"}},
		{"animate a photo", []string{"liveportrait"}}, {"accounting for a small club", []string{"ezbookkeeping", "sure", "taxhacker"}},
		{"transcribe 40 gb of recordings", []string{"buzz", "vibe", "whisperx"}},
		{"text to speech on a small server", []string{"piper", "kokoro", "pocket-tts"}},
		{"try to break a language model", []string{"garak", "deepteam", "pyrit"}},
		{"make slides from a text", []string{"presenton", "ppt-master"}}, {"collect recipes", []string{"mealie"}},
		{"local chat on my xiaomi mi 8", []string{"pocketpal-ai", "chatterui", "maid", "jan", "gpt4all", "open-webui"}},
	} {
		queries, wanted = append(queries, shipped.Query{ID: c.query, Text: c.query}), append(wanted, c.good)
	}
	catalog, err := shippedCatalog()
	if err != nil {
		t.Fatal(err)
	}
	hits, err := askOurs(catalog, queries, false)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range queries {
		first := hits[i][:min(3, len(hits[i]))]
		if !slices.ContainsFunc(first, func(slug string) bool { return slices.Contains(wanted[i], slug) }) {
			t.Errorf("%q finds %v, and none of %v", q.Text, first, wanted[i])
		}
	}
}
