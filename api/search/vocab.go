package search

import (
	"slices"
	"strconv"
	"strings"
)

// functionWords of English carry no meaning of their own in a query (contract 4).
var functionWords = wordSet(`a about all also am an and any are as at be been but by can could did do does for from
	get give had has have help her here him his how i if in into is it its just like look looking lets let make me my
	need needs of on onto or our out over please s she should so some something someone such t than that the their them
	then there these they thing things this those to up us use used using very via want wants was way we were what whats when where
	which who why will with without would you your`)

// fillerPhrases are what people add to any query in a catalog of open-source
// tools; they need not match (contract 4). Longer ones stand before their parts.
var fillerPhrases = phrases(`alternative to, alternatives to, replacement for, instead of, similar to, open source, opensource, foss, oss,
	self hosted, self host, selfhosted, self hosting, i want to, i need to, how can i, how do i, is there,
	alternative, alternatives, replacement, substitute, best, good, great, better, top, free, tool, tools, app, apps, application, applications,
	software, program, programs, solution, project, projects, recommend, recommended, recommendation, find, ai powered, run it myself, myself, clone, equivalent`)

// hint is a fact that a query's wording asks for: it lifts listings that have
// it, within tier and grade (contract 4).
type hint struct {
	parameter string // the filter that would insist on it, "" where there is none
	value     string
	holds     func(*facts, *facetValues) bool
}

func hasFlag(at int, values ...uint32) func(*facts, *facetValues) bool {
	return func(f *facts, _ *facetValues) bool { return slices.Contains(values, f.flag(at)) }
}

func runsOn(platform string) hint {
	return hint{"platform", platform, func(f *facts, v *facetValues) bool {
		sets := v.platforms[platform]
		return int(f.platforms) < len(sets) && sets[f.platforms]
	}}
}

func fitsMemory(gb float64) hint {
	return hint{"", "", func(f *facts, _ *facetValues) bool { return float64(f.minRAM) <= gb }}
}

func fitsGraphicsMemory(gb float64) hint {
	return hint{"", "", func(f *facts, _ *facetValues) bool {
		return float64(f.minVRAM) <= gb || f.flag(flagGPU) == gpuNone
	}}
}

// hintPhrases maps wordings to the fact they ask for. Platforms are named by
// their usual names, so that they are not looked for in texts.
var hintPhrases = func() map[string]hint {
	noGPU := hint{"gpu", "0", hasFlag(flagGPU, gpuNone, gpuOptional)}
	gpu := hint{"gpu", "1", hasFlag(flagGPU, gpuOptional, gpuRequired)}
	offline := hint{"", "", hasFlag(flagOffline, flagYes)}
	beginner := hint{"beginner", "1", hasFlag(flagBeginner, flagYes)}
	docker := hint{"docker", "1", hasFlag(flagDocker, flagYes)}
	noKey := hint{"", "", hasFlag(flagAPIKey, apiKeyNo, apiKeyOptional)}
	lowMemory := fitsMemory(8)
	m := map[string]hint{}
	for _, entry := range []struct {
		h     hint
		texts string
	}{
		{noGPU, "no gpu, without gpu, without a gpu, no graphics card, without graphics card, without a graphics card, cpu only, only cpu, on cpu, gpu less"},
		{gpu, "with gpu, with a gpu, with my gpu, on gpu, on my gpu, gpu accelerated, nvidia gpu, with nvidia"},
		{offline, "offline, no internet, without internet, without the internet, works offline, air gapped, airgapped"},
		{beginner, "for beginners, beginner friendly, for a beginner, easy to install, easy to use, for non programmers, without coding, without programming, no coding, for dummies, easy"},
		{docker, "docker, in docker, with docker, docker compose, docker image, in a container"},
		{noKey, "no api key, without api key, without an api key"},
		{lowMemory, "low ram, little ram, low memory, low end, old laptop, weak laptop, old computer, old pc"},
		{runsOn("linux"), "on linux, for linux, linux, on ubuntu, for ubuntu, ubuntu"},
		{runsOn("macos"), "on mac, for mac, mac, macos, on macos, for macos, macbook, on my mac, on a mac, apple silicon"},
		{runsOn("windows"), "on windows, for windows, windows, windows pc"},
		{runsOn("android"), "on android, for android, android"},
		{runsOn("ios"), "on iphone, for iphone, iphone, on ios, for ios, ios, ipad"},
		{runsOn("kubernetes"), "on kubernetes, in kubernetes, kubernetes, k8s"},
		{runsOn("browser-extension"), "browser extension, as a browser extension"},
	} {
		for _, p := range phrases(entry.texts) {
			m[strings.Join(p, " ")] = entry.h
		}
	}
	return m
}()

// longestHint is the number of words of the longest key of hintPhrases.
var longestHint = func() int {
	longest := 0
	for key := range hintPhrases {
		longest = max(longest, strings.Count(key, " ")+1)
	}
	return longest
}()

// memoryHint reads an amount of memory at the start of the words: "8gb", "8 gb
// ram", "12gb vram". It returns the hint and how many words it takes, or 0.
func memoryHint(w []string) (hint, int) {
	number, taken := strings.TrimSuffix(strings.TrimSuffix(w[0], "gb"), "gig"), 1
	if number == w[0] {
		if len(w) < 2 || w[1] != "gb" && w[1] != "gig" && w[1] != "gigs" {
			return hint{}, 0
		}
		taken = 2
	}
	gb, err := strconv.ParseFloat(number, 64)
	if err != nil || gb <= 0 || gb > 1<<20 {
		return hint{}, 0
	}
	// "8gb of ram", "8gb ram", "8gb memory", "8gb vram"
	next := taken
	if next < len(w) && w[next] == "of" {
		next++
	}
	if next < len(w) {
		switch w[next] {
		case "ram", "memory":
			return fitsMemory(gb), next + 1
		case "vram", "gpu", "graphics":
			return fitsGraphicsMemory(gb), next + 1
		}
	}
	return fitsMemory(gb), taken
}

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

func phrases(text string) [][]string {
	var list [][]string
	for p := range strings.SplitSeq(text, ",") {
		list = append(list, tokens(p))
	}
	return list
}
