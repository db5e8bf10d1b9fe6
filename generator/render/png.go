package render

import (
	"bytes"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"image"
	"slices"

	"github.com/klauspost/compress/flate"
)

// canvas is a picture of 16 colours and an even width. Most of it is blank, and blank pixels are neither
// packed nor summed up. They have the colour 0.
type canvas struct {
	*image.Paletted
	ends []int // for each row, the end of the pixels that may not be blank
}

func newCanvas(size image.Rectangle) canvas {
	return canvas{image.NewPaletted(size, palette), make([]int, size.Dy())}
}

// row returns the pixels of a row from the left up to an end, to draw on.
func (c canvas) row(y, end int) []uint8 {
	c.ends[y] = max(c.ends[y], end)
	return c.Pix[y*c.Stride : y*c.Stride+end]
}

// clear makes a canvas blank.
func (c canvas) clear() {
	for y, end := range c.ends {
		clear(c.Pix[y*c.Stride : y*c.Stride+end])
	}
	clear(c.ends)
}

// pngWriter writes canvases as PNG (https://www.w3.org/TR/png-3/). image/png takes ten times as long,
// because it compresses with compress/zlib, and knows nothing of blank pixels.
type pngWriter struct {
	rows    []byte // of the picture, each with its filter; zero between pictures
	out     bytes.Buffer
	data    bytes.Buffer
	deflate *flate.Writer
}

// pngLevel is the fastest. The default level takes more than twice as long for a tenth fewer bytes.
const pngLevel = 1

// write returns a picture, until the next one is written.
func (w *pngWriter) write(c canvas) ([]byte, error) {
	const colours, pixelsOfByte = 3, 2
	w.out.Reset()
	w.out.WriteString("\x89PNG\r\n\x1a\n")
	header := binary.BigEndian.AppendUint32(nil, uint32(c.Rect.Dx()))
	header = binary.BigEndian.AppendUint32(header, uint32(c.Rect.Dy()))
	w.chunk("IHDR", append(header, 8/pixelsOfByte, colours, 0, 0, 0)) // bits of a pixel, and defaults
	var palette []byte
	for _, c := range c.Palette {
		red, green, blue, _ := c.RGBA()
		palette = append(palette, byte(red>>8), byte(green>>8), byte(blue>>8))
	}
	w.chunk("PLTE", palette)

	width := 1 + c.Rect.Dx()/pixelsOfByte // the filter, which is 0 for none, and the pixels
	w.rows = slices.Grow(w.rows[:0], width*len(c.ends))[:width*len(c.ends)]
	sum := uint32(1)
	for y, end := range c.ends {
		drawn := w.rows[y*width:][:1+(end+1)/pixelsOfByte]
		row := c.Pix[y*c.Stride:][:pixelsOfByte*(len(drawn)-1)]
		for i := 0; i+1 < len(row); i += pixelsOfByte {
			drawn[1+i/pixelsOfByte] = row[i]<<4 | row[i+1]
		}
		sum = adlerOf(sum, adler32.Checksum(drawn), len(drawn))
		blank := width - len(drawn)
		sum = adlerOf(sum, uint32(blank)<<16|1, blank) // the checksum of so many zeros
	}
	err := w.compress(sum)
	for y, end := range c.ends {
		clear(w.rows[y*width:][:1+(end+1)/pixelsOfByte])
	}
	if err != nil {
		return nil, err
	}
	w.chunk("IDAT", w.data.Bytes())
	w.chunk("IEND", nil)
	return w.out.Bytes(), nil
}

// compress writes the rows into data in the format of zlib (RFC 1950), which ends in their checksum.
func (w *pngWriter) compress(sum uint32) (err error) {
	w.data.Reset()
	w.data.WriteString("\x78\x5e") // deflate with a window of 32 KiB, compressed fast
	if w.deflate == nil {
		if w.deflate, err = flate.NewWriter(&w.data, pngLevel); err != nil {
			return err
		}
	}
	w.deflate.Reset(&w.data)
	if _, err = w.deflate.Write(w.rows); err != nil {
		return err
	}
	if err = w.deflate.Close(); err != nil {
		return err
	}
	w.data.Write(binary.BigEndian.AppendUint32(nil, sum))
	return nil
}

// adlerOf returns the Adler-32 checksum of two texts one after the other, from the checksums of each and
// the length of the second, which is below the modulus.
func adlerOf(first, second uint32, length int) uint32 {
	const modulus = 65521
	a, b := first&0xffff, first>>16
	sumA := (a + second&0xffff + modulus - 1) % modulus
	sumB := (b + second>>16 + uint32(length)*((a+modulus-1)%modulus)%modulus) % modulus
	return sumB<<16 | sumA
}

// chunk writes a chunk: its length, name, data and checksum.
func (w *pngWriter) chunk(name string, data []byte) {
	w.out.Write(binary.BigEndian.AppendUint32(nil, uint32(len(data))))
	checked := w.out.Len()
	w.out.WriteString(name)
	w.out.Write(data)
	w.out.Write(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(w.out.Bytes()[checked:])))
}
