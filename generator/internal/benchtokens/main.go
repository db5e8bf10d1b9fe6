// Command benchtokens measures what an agent reads to get 3 to 5 fits with their
// facts, by each of the doors that the catalog has.
//
// In goes the shipped content folder and a sample of the judged queries; out comes
// a Markdown table of tokens, the median and the worst of the sample. A token is
// counted as 4 bytes of what is sent without a coding: language models differ, and
// English, Markdown and JSON come to about that in all of them. Figures are
// rounded up to 50, so that they outlive small changes of the content.
//
//	go run ./generator/internal/benchtokens
//
// The README and the page for agents show the table; a test holds them to it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	content := flag.String("content", "content", "shipped content folder")
	judged := flag.String("judged", "api/search/testdata/judged.jsonl", "judged queries")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	rows, err := measure(ctx, *content, *judged)
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchtokens:", err)
		os.Exit(1)
	}
	fmt.Print(table(rows))
}
