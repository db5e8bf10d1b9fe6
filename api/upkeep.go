package api

// UpkeepValues are the values of Project.Upkeep (contract 10).
var UpkeepValues = []string{UpkeepActive, UpkeepSlow, UpkeepDormant, UpkeepArchived}

// The values of Project.Upkeep; see UpkeepMeaning.
const (
	UpkeepActive   = "active"
	UpkeepSlow     = "slow"
	UpkeepDormant  = "dormant"
	UpkeepArchived = "archived"
)

// UpkeepMeaning defines UpkeepValues in a sentence.
const UpkeepMeaning = "Active: a commit or release in the 6 months before its facts were read; slow: in the 18 months before; dormant: none; archived: ended by its makers."

// UpkeepThen returns the value of Upkeep as of CheckedAt, or nil if it does not follow from
// the dates.
func (p *Project) UpkeepThen() *string {
	value := UpkeepDormant
	latest := p.UpdatedAt
	if p.Release != nil && (latest == nil || p.Release.Date > *latest) {
		latest = &p.Release.Date
	}
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
func (p *HitProject) Stopped() string {
	switch {
	case p.Archived != nil && *p.Archived:
		return UpkeepArchived
	case p.Upkeep != nil && *p.Upkeep == UpkeepDormant:
		return UpkeepDormant
	}
	return ""
}

func (d Date) monthsBefore(n int) Date { return DateOf(d.Time().AddDate(0, -n, 0)) }
