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
	progressDelay    = time.Second           // work that ends sooner shows no progress
	progressInterval = 50 * time.Millisecond // minimum between two drawings of the same label
	progressBarWidth = 30                    // maximum, in columns
)

// progress is a progress bar on one line of a terminal. It redraws the line with a
// carriage return and clears it at the end. A nil *progress draws nothing. It is safe
// for concurrent use.
type progress struct {
	w     io.Writer
	now   func() time.Time
	start time.Time

	mu         sync.Mutex
	label      string
	text       string    // drawn instead of label
	labelStart time.Time // when label was first drawn
	labelDone  int       // items done by then
	drawnAt    time.Time
	width      int // columns of the drawn line
}

// newProgress returns a progress bar for work that starts now, or nil if w is not a
// terminal.
func newProgress(w io.Writer, now func() time.Time) *progress {
	if !isTerminal(w) {
		return nil
	}
	return &progress{w: w, now: now, start: now()}
}

// show draws the label, the number of items done, and the time left at the rate since
// the label was first drawn. It draws nothing within progressDelay of the start or
// within progressInterval of the last drawing of the label.
func (p *progress) show(label string, done, total int) { p.showAs(label, label, done, total) }

// showAs is like show, but draws another text in place of the label, such as the reason for a
// pause. The rate is still the rate of the label. It includes pauses, because more may follow.
func (p *progress) showAs(label, text string, done, total int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if now.Sub(p.start) < progressDelay || text == p.text && now.Sub(p.drawnAt) < progressInterval {
		return
	}
	if label != p.label {
		p.label, p.labelStart, p.labelDone = label, now, done
	}
	p.text, p.drawnAt = text, now
	counts := fmt.Sprintf("%d/%d", done, total)
	if p.labelDone < done && done < total {
		perItem := now.Sub(p.labelStart) / time.Duration(done-p.labelDone)
		counts += fmt.Sprintf(", %v left", (perItem * time.Duration(total-done)).Round(time.Second))
	}
	fraction := float64(done) / float64(max(total, 1))
	// Some terminals wrap after the last column.
	p.draw(progressLine(invisible.Escape(text), counts, fraction, terminalWidth(p.w)-1))
}

// progressLine formats a line of at most the given number of columns.
func progressLine(label, counts string, fraction float64, columns int) string {
	before, after := fmt.Sprintf("%s %3.0f%% |", label, 100*fraction), "| "+counts
	bar := min(progressBarWidth, columns-utf8.RuneCountInString(before+after))
	if bar < 1 {
		line := []rune(label + " " + counts)
		return string(line[:max(0, min(len(line), columns))])
	}
	filled := min(int(fraction*float64(bar)), bar)
	return before + strings.Repeat("█", filled) + strings.Repeat(" ", bar-filled) + after
}

// draw replaces the drawn line.
func (p *progress) draw(line string) {
	width := utf8.RuneCountInString(line)
	_, _ = fmt.Fprintf(p.w, "\r%s%s", line, strings.Repeat(" ", max(0, p.width-width))) // a failure to draw is harmless
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
