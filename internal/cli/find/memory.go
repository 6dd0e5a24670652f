package find

import (
	"context"

	"github.com/spf13/pflag"

	"piarchive/internal/cli"
	"piarchive/internal/query"
	"piarchive/internal/query/memory"
	"piarchive/internal/query/search"
)

// memoryFlags are the flags of how and blame.
type memoryFlags struct {
	cli.Period
	project, zone string
	limit         int
}

// usualMemory is how many answers are given unless told.
const usualMemory = 20

// bindMemory declares the flags, and makes the runner of a command that answers so.
func bindMemory(flags *pflag.FlagSet, answer func(context.Context, *cli.Call, *query.Archive, memory.Filter, int) error) cli.Runner {
	var f memoryFlags
	flags.IntVarP(&f.limit, "limit", "n", usualMemory, "print at most `N` answers, 0 for all")
	cli.BindProject(flags, &f.project)
	f.Bind(flags, "what was done", "what was done")
	flags.StringVar(&f.zone, "tz", "", "time zone of dates: `ZONE` such as Europe/Berlin or UTC")
	return func(ctx context.Context, c *cli.Call) error {
		filter, most, err := f.filter(c)
		if err != nil {
			return err
		}
		a, err := cli.OpenArchive(ctx, c)
		if err != nil {
			return err
		}
		defer a.Close()
		return answer(ctx, c, a, filter, most)
	}
}

// filter reads the flags; most is how many answers are asked for.
func (f *memoryFlags) filter(c *cli.Call) (o memory.Filter, most int, err error) {
	if f.limit < 0 {
		return o, 0, cli.UsageErrorf("-n is a number of answers, not %d", f.limit)
	}
	if most = f.limit; most == 0 {
		most = search.All
	}
	now, err := cli.InZone(c.Now(), f.zone)
	if err != nil {
		return o, 0, err
	}
	if o.Since, o.Until, err = f.Read(now); err != nil {
		return o, 0, err
	}
	o.Project, err = c.ProjectPath(f.project)
	return o, most, err
}
