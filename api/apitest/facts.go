package apitest

import (
	"slices"

	"catalog.example/api"
	"catalog.example/api/hardware"
)

// Facts returns definitions of facts for tests: those of the shipped catalogue that tests need, of seven kinds.
func Facts() []api.Fact {
	return slices.Concat(factsOfNeeds(), otherFacts())
}

func factsOfNeeds() []api.Fact {
	no, least := false, 0.5
	return []api.Fact{
		{
			Key: "gpu", Kind: api.FactChoice, Label: "GPU", Group: "Will it fit?",
			Meaning: "Whether it needs a graphics processor.",
			Values: []api.FactOption{{Slug: "none", Label: "no use for one"}, {Slug: "optional", Label: "optional"},
				{Slug: "required", Label: "required"}},
			Searched: &no,
			Chip:     map[string]string{"none": "No GPU", "optional": "GPU optional", "required": "GPU required"},
			Filter: &api.FactFilter{
				Parameter: "gpu", Described: &no, Zero: []string{"none", "optional"},
				One:    []string{"optional", "required"},
				Labels: map[string]string{"0": "works without a GPU", "1": "can use a GPU"},
			},
			Suggested: map[string][]string{
				"0":    {"no gpu", "without gpu", "without a gpu", "cpu only", "gpu less"},
				"1":    {"with gpu"},
				"none": {"low vram", "# gb vram", "# gb graphics card"},
			},
		},
		{
			Key: "minRamGb", Kind: api.FactNumber, Label: "RAM from", Group: "Will it fit?",
			Meaning: "Least main memory, in gigabytes.", Unit: "GB", Least: &least,
			Chip: map[string]string{api.FactKnown: "RAM from"}, Filter: &api.FactFilter{Parameter: "maxRamGb",
				Match: api.MatchAtMost, Described: &no},
			Suggested: map[string][]string{api.FactAmount: {"# gb", "# gb ram"}, "8": {"low ram", "old laptop"}},
			Sourced:   true,
		},
		{
			Key: "minVramGb", Kind: api.FactNumber, Label: "VRAM from", Group: "Will it fit?",
			Meaning: "Least graphics memory, in gigabytes.", Unit: "GB", Least: &least,
			Suggested: map[string][]string{api.FactAmount: {"# gb vram", "# gb graphics card"}, "6": {"low vram"}},
		},
		{
			Key: "docker", Kind: api.FactYesNo, Label: "Docker", Group: "Will it fit?",
			Meaning: "Its makers publish an image, a Compose file or a Dockerfile.",
			Chip:    map[string]string{"1": "Docker"}, Filter: &api.FactFilter{Parameter: "docker"},
			Suggested: map[string][]string{"1": {"docker"}}, Sourced: true,
		},
	}
}

func otherFacts() []api.Fact {
	no := false
	return []api.Fact{
		{
			Key: "beginner", Kind: api.FactYesNo, Label: "For beginners", Group: "Will it fit?",
			Meaning: "Someone who does not program gets a first result.",
			Chip:    map[string]string{"1": "For beginners"}, Filter: &api.FactFilter{Parameter: "beginner"},
			Suggested: map[string][]string{"1": {"beginners", "easy"}},
		},
		{
			Key: "selfHosted", Kind: api.FactYesNo, Label: "Self-hosted", Group: "Will it fit?",
			Meaning: "It runs on a machine of your own.",
			Filter:  &api.FactFilter{Parameter: "selfHosted", Described: &no},
		},
		{
			Key: "worksOffline", Kind: api.FactYesNo, Label: "Works offline", Group: "Will it fit?",
			Meaning:   "It does its job without a network.",
			Chip:      map[string]string{"1": "Offline"},
			Suggested: map[string][]string{"1": {"offline", "local", "own computer", "my computer"}},
		},
		{
			Key: "apiKey", Kind: api.FactChoice, Label: "Paid API key", Group: "Will it fit?",
			Meaning: "Whether it needs a paid provider's API key.",
			Values: []api.FactOption{{Slug: "no", Label: "not needed"}, {Slug: "optional", Label: "optional"},
				{Slug: "yes", Label: "needed"}},
			Searched:  &no,
			Suggested: map[string][]string{"no": {"no api key"}, "optional": {"no api key"}},
		},
		{Key: "memoryFor", Kind: api.FactText, Label: "Memory stated for", Group: "Will it fit?",
			Meaning: "What the memory figures are stated for.", Searched: &no},
		{
			Key: "arch", Kind: api.FactChoices, Label: "Processor", Group: "Will it fit?",
			Meaning:  "The processors that it runs on.",
			Values:   []api.FactOption{{Slug: "amd64", Label: "Intel or AMD"}, {Slug: "arm64", Label: "ARM"}},
			Searched: &no,
		},
		{
			Key: "gpuVendors", Kind: api.FactChoices, Label: "Graphics cards", Group: "Will it fit?",
			Meaning: "The makers of graphics cards that it can use.",
			Values: []api.FactOption{{Slug: "nvidia", Label: "NVIDIA"}, {Slug: "amd", Label: "AMD"},
				{Slug: "apple", Label: "Apple"}},
			Searched: &no,
		},
		{Key: "setups", Kind: api.FactSetups, Label: "RAM and VRAM", Group: "Will it fit?",
			Meaning: "What its uses take.", Sourced: true},
		{Key: "caveats", Kind: api.FactTexts, Label: "Know before you choose",
			Meaning: "Things to know before choosing.", Searched: &no},
	}
}

// FitNotes returns values for Facts. The arguments are keys, each followed by its value;
// other facts are unknown.
func FitNotes(keysAndValues ...any) api.FactValues {
	values := api.UnknownFacts(Facts())
	for i := 0; i+1 < len(keysAndValues); i += 2 {
		key, _ := keysAndValues[i].(string)
		values.Set(key, keysAndValues[i+1])
	}
	return values
}

// Words returns the words of a subject for tests.
func Words() api.Words {
	return api.Words{
		Filler:    []string{"open source", "self hosted", "tool", "app", "software"},
		Weak:      []string{"ai"},
		Languages: map[string][]string{"Go": {"golang", "go"}, "Rust": {"rust"}, "TypeScript": {"typescript"}},
		Licenses: map[string][]string{
			"Apache-2.0": {"apache licence", "apache license"}, "MIT": {"mit licence", "mit licensed"},
			"GPL": {"gpl licence"},
		},
	}
}

// Models returns two sizes of models for tests, which take 2.5 and 6.5 GB.
func Models() hardware.Models {
	size := hardware.ModelSize{
		Name: "small", Parameters: 1, Bits: 8, Layers: 16, Heads: 8, HeadSize: 128, MeasuredGb: new(2.0),
	}
	large := size
	large.Name, large.Parameters, large.MeasuredGb = "large", 8, new(6.0)
	return hardware.Models{
		ContextTokens: 8192, ProcessGb: 0.5, Keeps: hardware.Kept{RAMGb: 1, VRAMGb: 0.5},
		Sizes: []hardware.ModelSize{size, large},
	}
}

// Hardware returns a table of computers for tests.
func Hardware() hardware.Table {
	return hardware.Table{
		Sizes: hardware.Sizes{RAMGb: []float64{1, 2, 4, 8, 12, 16, 24, 32, 64, 128},
			VRAMGb: []float64{4, 6, 8, 11, 12, 16, 24, 48, 80}},
		Words: hardware.Words{
			RAM: []string{"ram", "memory", "main memory", "ddr4"}, VRAM: []string{"vram"},
			Disk:     []string{"ssd", "storage"},
			Computer: []string{"laptop", "pc"}, Brand: []string{"dell", "xps"}, Product: []string{"thinkpad"},
			Card: []string{"gpu", "graphics card"}, CardOf: map[string][]string{"nvidia": {"nvidia", "geforce"}},
			Printed: []string{"laptop gpu", "rev", "generation", "mhz"}, Variant: []string{"ti", "ultra", "max"},
			System: map[string][]string{"macos": {"macbook"}},
			Filter: map[string][]string{"vramGb=0": {"no graphics card", "no gpu", "igpu", "cpu only"}},
			Other:  []string{"m2 maven"},
		},
		Devices: []hardware.Device{
			{Name: "GeForce RTX 3060", Aliases: []string{"RTX 3060", "3060"}, Kind: hardware.KindCard, Vendor: "nvidia",
				MemoryGb: []float64{12, 8}},
			{Name: "GeForce RTX 3060 Ti", Aliases: []string{"RTX 3060 Ti"}, Kind: hardware.KindCard, Vendor: "nvidia",
				MemoryGb: []float64{8}},
			{Name: "NVIDIA A10", Aliases: []string{"A10"}, Kind: hardware.KindCard, Vendor: "nvidia",
				MemoryGb: []float64{24}},
			{Name: "Apple M2", Aliases: []string{"M2"}, Kind: hardware.KindComputer, Vendor: "apple", Arch: "arm64",
				MemoryGb: []float64{8, 16, 24}, Unified: true,
				Shares: []hardware.Share{{Share: 0.75}}},
			{Name: "Raspberry Pi 5", Kind: hardware.KindComputer, Arch: "arm64", MemoryGb: []float64{8, 4}},
			{Name: "Intel UHD Graphics 620", Aliases: []string{"UHD 620"}, Kind: hardware.KindProcessor,
				Vendor: "intel", Arch: "amd64"},
			{Name: "MacBook Air", Kind: hardware.KindSeries, System: "macos"},
			{Name: "Intel Core i7", Aliases: []string{"i7"}, Kind: hardware.KindProcessor, Arch: "amd64"},
			{Name: "Pixel 9", Kind: hardware.KindPhone, Arch: "arm64", System: "android", MemoryGb: []float64{12}},
		},
	}
}
