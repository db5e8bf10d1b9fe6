//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"catalog.example/api/soak"
)

// TestDevInBrowser opens the page of a listing in a browser, and changes the listing. The
// page must follow by itself, without faults such as violations of its own policy.
func TestDevInBrowser(t *testing.T) {
	soak.Long(t)
	t.Parallel()
	program, err := exec.LookPath("catalog")
	if err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t)
	content := smallContent(t)
	d := startDev(t, program, filepath.Dir(content), "--addr", "127.0.0.1:0")
	listing := filepath.Join(content, "projects", "paper-lantern.md")
	// until waits until an expression is true. While the page loads again, there may be
	// nothing to ask.
	until := func(expression string) chromedp.Action[chromedp.Void] {
		return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
			for {
				isTrue, err := chromedp.Evaluate[bool]("Boolean("+expression+")")(ctx, target)
				if err == nil && isTrue {
					return chromedp.Void{}, nil
				}
				if ctx.Err() != nil {
					return chromedp.Void{}, fmt.Errorf("it does not come about that %s: %w", expression, errors.Join(ctx.Err(), err))
				}
			}
		}
	}
	lead := func(text string) string { return `document.querySelector(".lead")?.textContent === "` + text + `"` }
	const bar = `document.getElementById("dev-findings")`

	b.do(t, chromedp.Navigate(d.address+"/projects/paper-lantern/"), until(lead("Writes down what was said in a meeting.")),
		until(bar+`.hidden || !`+bar+`.querySelector(".error")`))
	editText(t, listing, "Writes down what was said in a meeting.", "Writes down what was sung.")
	b.do(t, until(lead("Writes down what was sung.")))

	editText(t, listing, "category: speech-to-text", "category: nosuch")
	b.do(t, until(`!`+bar+`.hidden && `+bar+`.querySelector(".error a")?.textContent.endsWith("content/projects/paper-lantern.md:10:11")`),
		until(lead("Writes down what was sung.")),
		until(bar+`.getBoundingClientRect().height > 10 && getComputedStyle(`+bar+`).borderBottomStyle === "solid"`),
		until(bar+`.compareDocumentPosition(document.querySelector(".lead")) & Node.DOCUMENT_POSITION_FOLLOWING`))

	// What is mended goes without a reload: the page is the same.
	b.do(t, chromedp.Evaluate[chromedp.Void](`window.stays = true`))
	editText(t, listing, "category: nosuch", "category: speech-to-text")
	b.do(t, until(`!`+bar+`.querySelector(".error")`), until(`window.stays`))
	if status := d.stop(t); status != exitOK {
		t.Errorf("the exit status is %d: %s", status, d.stderr)
	}
}
