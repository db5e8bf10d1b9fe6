package api

// UpkeepValues are the values of Project.Upkeep.
var UpkeepValues = []string{UpkeepActive, UpkeepSlow, UpkeepDormant, UpkeepArchived}

// The values of Project.Upkeep; see UpkeepMeaning.
const (
	UpkeepActive   = "active"
	UpkeepSlow     = "slow"
	UpkeepDormant  = "dormant"
	UpkeepArchived = "archived"
)

// UpkeepMeaning defines UpkeepValues in a sentence.
const UpkeepMeaning = "Active: a commit or release in the 6 months before its facts were read; slow: in the 18 " +
	"months before; dormant: none; archived: its repository is archived, or its makers have stopped."

// LatestActivity returns the day of upstream's latest commit or release, or nil if neither is
// known. UpdatedAt may have been read before the latest release.
func (p *Project) LatestActivity() *Date {
	if p.Release != nil && (p.UpdatedAt == nil || p.Release.Date > *p.UpdatedAt) {
		return &p.Release.Date
	}
	return p.UpdatedAt
}

// UpkeepThen returns the value of Upkeep as of CheckedAt, or nil if it does not follow from
// the dates.
func (p *Project) UpkeepThen() *string {
	value := UpkeepDormant
	latest := p.LatestActivity()
	switch {
	case p.Archived != nil && *p.Archived:
		value = UpkeepArchived
	case p.CheckedAt == nil || latest == nil:
		return nil
	case *latest >= p.CheckedAt.monthsBefore(6):
		value = UpkeepActive
	case *latest >= p.CheckedAt.monthsBefore(18):
		value = UpkeepSlow
	}
	return &value
}

// Stopped returns UpkeepArchived or UpkeepDormant if nobody works on the listing, else "".
func (p *Project) Stopped() string { return stopped(p.Archived, p.Upkeep) }

// Stopped returns the same as Project.Stopped for the hit's listing.
func (p *HitProject) Stopped() string { return stopped(p.Archived, p.Upkeep) }

func stopped(archived *bool, upkeep *string) string {
	switch {
	case archived != nil && *archived:
		return UpkeepArchived
	case upkeep != nil && *upkeep == UpkeepDormant:
		return UpkeepDormant
	}
	return ""
}

func (d Date) monthsBefore(n int) Date { return DateOf(d.Time().AddDate(0, -n, 0)) }
