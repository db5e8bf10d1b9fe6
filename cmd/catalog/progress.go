package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"catalog.example/api/invisible"
)

const (
	// progressAfter is how long work may take before its progress is shown.
	progressAfter = time.Second
	// progressEvery is the least time between two drawings of the same label.
	progressEvery = 50 * time.Millisecond
	// progressBar is how many columns the bar has at most.
	progressBar = 30
)

// progress shows on one line of a terminal how far work is. The line is drawn again
// in its place, and cleared at the end. It needs no control but a carriage return.
// A nil *progress shows nothing. It is safe for concurrent use.
type progress struct {
	w     io.Writer
	now   func() time.Time
	start time.Time // of all work

	mu    sync.Mutex
	label string
	text  string    // what is drawn in place of label
	since time.Time // when label was first shown
	first int       // how many were done then
	drawn time.Time
	width int // columns of what is drawn
}

// newProgress returns the progress of work that begins now, for the terminal behind
// w, and nil if that is no terminal.
func newProgress(w io.Writer, now func() time.Time) *progress {
	if !isTerminal(w) {
		return nil
	}
	return &progress{w: w, now: now, start: now()}
}

// show draws a label, how many of total are done and how long the rest will take at
// the pace since the label was first drawn. It draws nothing during the first second
// of the work, or soon after the same label was drawn.
func (p *progress) show(label string, done, total int) { p.showAs(label, label, done, total) }

// showAs draws a text in place of the label, such as what the work waits for. The pace
// stays that of the label, with its pauses: there may be more of them.
func (p *progress) showAs(label, text string, done, total int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if now.Sub(p.start) < progressAfter || text == p.text && now.Sub(p.drawn) < progressEvery {
		return
	}
	if label != p.label {
		p.label, p.since, p.first = label, now, done
	}
	p.text, p.drawn = text, now
	counts := fmt.Sprintf("%d/%d", done, total)
	if p.first < done && done < total {
		each := now.Sub(p.since) / time.Duration(done-p.first)
		counts += fmt.Sprintf(", %v left", (each * time.Duration(total-done)).Round(time.Second))
	}
	share := float64(done) / float64(max(total, 1))
	p.draw(progressLine(invisible.Escape(text), counts, share, widthOf(p.w)-1)) // some terminals wrap after the last column
}

// progressLine is a line of the given columns at most.
func progressLine(label, counts string, share float64, columns int) string {
	before, after := fmt.Sprintf("%s %3.0f%% |", label, 100*share), "| "+counts
	bar := min(progressBar, columns-utf8.RuneCountInString(before+after))
	if bar < 1 {
		line := []rune(label + " " + counts)
		return string(line[:max(0, min(len(line), columns))])
	}
	filled := min(int(share*float64(bar)), bar)
	return before + strings.Repeat("█", filled) + strings.Repeat(" ", bar-filled) + after
}

// draw replaces what is drawn.
func (p *progress) draw(line string) {
	width := utf8.RuneCountInString(line)
	_, _ = fmt.Fprintf(p.w, "\r%s%s", line, strings.Repeat(" ", max(0, p.width-width))) // nothing is left to tell a failure to
	p.width = width
}

// clear removes the line.
func (p *progress) clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.width > 0 {
		p.draw("")
		_, _ = fmt.Fprint(p.w, "\r")
	}
}
