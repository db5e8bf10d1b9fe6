package content

import (
	_ "embed"
	"strings"
)

// osiText lists the licences that the Open Source Initiative approves, according to the SPDX list
// in go-spdx. `make licences` writes it.
//
//go:embed osi.txt
var osiText string

var osiLicenses = strings.Fields(osiText)
