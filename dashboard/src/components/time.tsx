import { localTime, relativeTime, utcTime } from '../format/time.ts'

/** In the viewer's zone, UTC on hover. `relative` says "3 min ago" and keeps both times for the hover. */
export function Time({ at, relative = false }: { at: string; relative?: boolean }) {
  const local = localTime(at)
  return (
    <time dateTime={at} title={relative ? `${local}\n${utcTime(at)}` : utcTime(at)} className="figures">
      {relative ? relativeTime(at, Date.now()) : local}
    </time>
  )
}
