import { utcDayName } from '../../format/time.ts'
import classes from './catalog.module.css'
import type { CatalogEntry } from './catalog-list.ts'

const SOON_MS = 60 * 86_400_000

/** Until when a model answers; said louder when that is near. */
export function Shutdown({ entry }: { entry: Pick<CatalogEntry, 'provider' | 'model' | 'shutdown_date'> | undefined }) {
  if (entry === undefined) return null
  const name = `${entry.provider}/${entry.model}`
  if (entry.shutdown_date === null) {
    return (
      <span className={classes['soon']} title={`${name} is deprecated; no date is known`}>
        deprecated
      </span>
    )
  }
  const at = Date.parse(entry.shutdown_date)
  const isSoon = at - Date.now() < SOON_MS
  return (
    <time
      dateTime={entry.shutdown_date}
      className={isSoon ? classes['soon'] : classes['dim']}
      title={`${name} is deprecated and shuts down on ${entry.shutdown_date}`}
    >
      {utcDayName(entry.shutdown_date)}, {new Date(at).getUTCFullYear()}
    </time>
  )
}
