import { localTime } from '../../format/time.ts'
import classes from './overview.module.css'

/** Says quietly that the page refreshes itself, or that it could not. */
export function LiveMark({ updatedAt, hasFailed }: { updatedAt: number; hasFailed: boolean }) {
  const title =
    updatedAt === 0
      ? 'Waiting for the first figures'
      : `Refreshes itself while this page is in front. Last at ${localTime(new Date(updatedAt).toISOString())}`
  return (
    <span className={classes['live']} title={title} data-failed={hasFailed || undefined}>
      <span className={classes['dot']} data-tone={hasFailed ? 'bad' : 'good'} aria-hidden />
      {hasFailed ? 'Not refreshed' : 'Live'}
    </span>
  )
}
