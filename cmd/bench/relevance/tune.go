package relevance

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"catalog.example/cmd/bench/peer"
	"catalog.example/cmd/bench/shipped"
)

// maxRounds limits the rounds of tuning over all knobs. Tuning ends with the first round that
// finds nothing better.
const maxRounds = 5

// tune sets one knob after the other to the value with the best score, until a whole round
// finds nothing better (coordinate ascent). It is deterministic: a knob keeps its value if the
// scores are equal. It returns the settings and their score.
func tune(knobs []knob, evaluate func(map[string]float64) (float64, error)) (map[string]float64, float64, error) {
	settings := (&peerSpec{knobs: knobs}).settings()
	best, err := evaluate(settings)
	if err != nil {
		return nil, 0, err
	}
	for range maxRounds {
		improved := false
		for _, k := range knobs {
			for _, step := range nearSteps(k, settings[k.name]) {
				trial := maps.Clone(settings)
				trial[k.name] = step
				score, err := evaluate(trial)
				if err != nil {
					return nil, 0, err
				}
				if score > best {
					settings, best, improved = trial, score, true
				}
			}
		}
		if !improved {
			break
		}
	}
	return settings, best, nil
}

// nearSteps returns the values to try next for a knob: up to two on either side of its present
// value. Later rounds reach the others.
func nearSteps(k knob, value float64) []float64 {
	at, found := slices.BinarySearch(k.steps, value)
	above := at
	if found {
		above++
	}
	return slices.Concat(k.steps[max(0, at-2):at], k.steps[above:min(len(k.steps), above+2)])
}

// tuneNamed tunes a peer for nDCG@5 over the queries, and prints the best values of its knobs.
func tuneNamed(ctx context.Context, o options, documents []peer.Document, queries []shipped.Query,
	out io.Writer) error {
	spec, _ := peerNamed(o.tune)
	p, err := spec.start(ctx, o.scripts, documents)
	if err != nil {
		return fmt.Errorf("%s: %w", spec.name, err)
	}
	defer p.close()
	evaluations := 0
	settings, score, err := tune(spec.knobs, func(settings map[string]float64) (float64, error) {
		hits, err := p.ask(settings, texts(queries))
		if err != nil {
			return 0, err
		}
		score := measure(queries, hits).overall.ndcg
		evaluations++
		fmt.Fprintf(out, "%4d  %.4f\n", evaluations, score)
		return score, nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", spec.name, err)
	}
	fmt.Fprintf(out, "%s reaches nDCG@5 %.4f with\n", spec.name, score)
	for _, k := range spec.knobs {
		fmt.Fprintf(out, "\t%s %g\n", k.name, settings[k.name])
	}
	return nil
}
