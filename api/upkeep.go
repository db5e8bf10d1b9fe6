package api

// UpkeepValues lists the values of Project.Upkeep.
var UpkeepValues = []string{UpkeepActive, UpkeepSlow, UpkeepDormant, UpkeepArchived}

// The values of Project.Upkeep; see UpkeepMeaning.
const (
	UpkeepActive   = "active"
	UpkeepSlow     = "slow"
	UpkeepDormant  = "dormant"
	UpkeepArchived = "archived"
)

// KeptUp is what somebody who chooses would say of UpkeepActive.
const KeptUp = "Is kept up"

// UpkeepMeaning defines UpkeepValues in a sentence.
const UpkeepMeaning = "How lately it was worked on. Active: a commit or release in the 6 months before we last" +
	" looked; slow: in 18; dormant: none; archived: its makers have stopped, or its repository is archived."

// LatestActivity returns the day of the latest commit or release, or nil if neither is known. The
// release may be later than UpdatedAt, which may have been read earlier.
func (p *Project) LatestActivity() *Date {
	if p.Release != nil && (p.UpdatedAt == nil || p.Release.Date > *p.UpdatedAt) {
		return &p.Release.Date
	}
	return p.UpdatedAt
}

// UpkeepThen returns the value that Upkeep had at UpkeepAsOf, or nil if the dates do not tell: if
// that day was more than 6 months before CheckedAt, nobody has checked what has happened since.
func (p *Project) UpkeepThen() *string {
	value := UpkeepDormant
	latest := p.LatestActivity()
	switch {
	case p.Archived != nil && *p.Archived:
		value = UpkeepArchived
	case p.CheckedAt == nil || p.UpkeepAsOf == nil || latest == nil || *p.UpkeepAsOf < p.CheckedAt.monthsBefore(6):
		return nil
	case *latest >= p.UpkeepAsOf.monthsBefore(6):
		value = UpkeepActive
	case *latest >= p.UpkeepAsOf.monthsBefore(18):
		value = UpkeepSlow
	}
	return &value
}

// Stopped returns UpkeepArchived or UpkeepDormant if nobody works on the listing, else "".
func (p *Project) Stopped() string { return stopped(p.Archived, p.Upkeep) }

// Stopped is Project.Stopped for the listing of the hit.
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
