package search

import (
	"strconv"
	"strings"

	"catalog.example/api"
)

// functionWords of English carry no meaning of their own in a query (contract 4).
var functionWords = wordSet(`a about all also am an and any are as at be been but by can could did do does for from
	get give had has have help her here him his how i if in into is it its just like look looking lets let make me my
	need needs of on onto or our out over please s she should so some something someone such t than that the their them
	then there these they thing things this those to up us use used using very via want wants was way we were what whats when where
	which who whose whom why will with without would you your should must may might shall wanna gonna im ive id dont doesnt cant isnt only also too though although because since per`)

// weakWords fit any job: verbs and adjectives that say little of what is wanted.
// They need not match, but lift where they do.
var weakWords = wordSet(`ai run runs running turn turns turning put puts putting see sees seeing take takes taking keep keeps keeping
	let no not going come comes work works working create creates creating build builds building show shows showing try tell tells told
	give gives giving ask set sets start stop say says said call called handle handles support supports allow allows enable enables
	automate automatic automatically own personal
	new old simple simply small big large huge little tiny long short high low fast faster quick quickly easy easily easier full whole real near
	one two three several many more most few lots lot bunch pile bit multiple single various different same other others another
	way ways kind sort type types part place time times day days month months year years people person user users everyone anyone somebody
	again always never ever still already yet now today once together apart away down off back up around across inside within between behind
	before after during while until per each every only both either else even often really actually just
	online modern latest nice cool proper properly correct right able possible per
	mine yours ours myself yourself theirs clone`)

// hintNoise are words of hints that listings use of anything.
var hintNoise = wordSet("gb gig gigs less low little old weak easy dummies free")

// fillerPhrases are what people add to any query in a catalog of open-source
// tools; they need not match (contract 4). Longer ones stand before their parts.
var fillerPhrases = phrases(`alternative to, alternatives to, replacement for, instead of, similar to, open source, opensource, foss, oss,
	self hosted, self host, selfhosted, self hosting, i want to, i need to, how can i, how do i, is there,
	alternative, alternatives, replacement, substitute, best, good, great, better, top, free, tool, tools, app, apps, application, applications,
	software, program, programs, solution, project, projects, recommend, recommended, recommendation, find, ai powered, run it myself, myself, equivalent`)

// hint is a fact that a query's wording asks for: it lifts listings that have
// it, within their tier (contract 4).
type hint struct {
	parameter string // the filter that would insist on it, "" where there is none
	value     string
	// terms are those of the index any of which lists the listings that have the
	// fact; a term that ends in anyAfter stands for all that begin like it. Where
	// there is none, fits tells.
	terms []string
	fits  func(memoryNeed, facts) bool
	// required tells that words of the query mean the fact, and nothing less will
	// do: a listing answers them by having the fact or by having the words.
	required bool
}

// anyAfter ends a term that stands for all that begin like it.
const anyAfter = "*"

func flagged(f facet, value string) hint {
	return hint{parameter: facetNames[f], value: value, terms: []string{valueTerm(f, value)}}
}

func runsOn(platform string) hint { return flagged(facetPlatform, platform) }

// writtenIn and licensedUnder are facts that words of a query mean: unlike a
// platform, they are seldom told in the texts of a listing.
func writtenIn(language string) hint {
	return hint{required: true, terms: []string{factTerm("language", language)}}
}

func licensedUnder(family string) hint {
	return hint{required: true, terms: []string{licenseTerm(family) + anyAfter}}
}

func fitsMemory(gb float64) hint {
	return hint{fits: func(need memoryNeed, _ facts) bool { return float64(need.ram) <= gb }}
}

func fitsGraphicsMemory(gb float64) hint {
	return hint{fits: func(need memoryNeed, f facts) bool { return float64(need.vram) <= gb || f.flag(flagGPU) == gpuNone }}
}

// What a computer or a graphics card has that is called old or weak, in GB.
const (
	lowMemoryGB         = 8
	lowGraphicsMemoryGB = 6
)

// hintPhrases maps wordings to the fact they ask for. Platforms are named by
// their usual names, so that they are not looked for in texts.
var hintPhrases = func() map[string]hint {
	noGPU, gpu := flagged(facetGPU, "0"), flagged(facetGPU, "1")
	offline := hint{terms: []string{factTerm("worksOffline", "1")}}
	beginner, docker := flagged(facetBeginner, "1"), flagged(facetDocker, "1")
	noKey := hint{terms: []string{factTerm("apiKey", api.APIKeyNo), factTerm("apiKey", api.APIKeyOptional)}}
	m := map[string]hint{}
	for _, entry := range []struct {
		h     hint
		texts string
	}{
		{noGPU, `no gpu, without gpu, without a gpu, no dedicated gpu, without a dedicated gpu, no graphics card, without graphics card,
			without a graphics card, no video card, without a video card, cpu only, only cpu, only a cpu, just cpu, just a cpu, cpu, gpu less, gpuless,
			integrated graphics`},
		{gpu, "with gpu, with a gpu, with my gpu, on gpu, on my gpu, gpu accelerated, nvidia gpu, with nvidia, nvidia card"},
		{offline, `offline, no internet, without internet, without the internet, without an internet connection, works offline, air gapped, airgapped,
			no cloud, without cloud, without the cloud, without uploading, on device, local, locally, own computer, my computer, own machine, my machine,
			own pc, my pc, own laptop, my laptop, own hardware, my hardware, own device, at home`},
		{beginner, `beginners, beginner friendly, for a beginner, easy to install, easy to use, non programmers, without coding, without programming,
			no coding, for dummies, easy`},
		{docker, "docker, docker compose, docker image, in a container"},
		{noKey, "no api key, without api key, without an api key"},
		{fitsMemory(lowMemoryGB), `low ram, little ram, low memory, little memory, low end, low spec, old laptop, weak laptop, cheap laptop, slow laptop,
			old computer, weak computer, slow computer, old pc, weak pc, slow pc, old hardware, weak hardware, old machine`},
		{fitsGraphicsMemory(lowGraphicsMemoryGB), `low vram, little vram, small gpu, weak gpu, old gpu, cheap gpu, small graphics card, old graphics card,
			weak graphics card`},
		{runsOn("linux"), "linux, ubuntu"},
		{runsOn("macos"), "mac, macos, macbook, apple silicon, m1, m2, m3, m4, m1 mac, m2 mac, m3 mac, m4 mac, mac mini, imac"},
		{runsOn("windows"), "windows, windows pc, windows laptop, windows 10, windows 11"},
		{runsOn("android"), "android, android phone, android tablet"},
		{runsOn("ios"), "iphone, ios, ipad"},
		{runsOn("kubernetes"), "kubernetes, k8s"},
		{writtenIn("TypeScript"), "typescript"},
		{writtenIn("JavaScript"), "javascript"},
		{writtenIn("Go"), "golang, go"},
		{writtenIn("Rust"), "rust"},
		{writtenIn("Java"), "java"},
		{writtenIn("C#"), "csharp"},
		{writtenIn("Python"), "written in python"},
		{licensedUnder("Apache-2.0"), "apache licence, apache license, apache licensed, apache 2, apache 2 0, apache 2 licence, apache 2 license"},
		{licensedUnder("MIT"), "mit licence, mit license, mit licensed, under mit"},
		{licensedUnder("GPL"), "gpl, gpl licence, gpl license, gpl licensed"},
		{licensedUnder("AGPL"), "agpl, agpl licence, agpl license"},
		{licensedUnder("BSD"), "bsd licence, bsd license, bsd licensed"},
		{runsOn("browser-extension"), "browser extension"},
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
		case "graphics", "video":
			if next+1 < len(w) && w[next+1] == "card" {
				next++
			}
			return fitsGraphicsMemory(gb), next + 1
		case "vram", "gpu", "card":
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
