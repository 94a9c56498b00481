import { useEffect, useState } from 'react'
import { beginningOf, type Period } from './periods.ts'

const LOOK_MS = 10_000

/** The beginning of the period, which moves on with the clock while the page is in front. */
export function useBeginning(period: Period): string {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setNow(Date.now()), LOOK_MS)
    return () => clearInterval(timer)
  }, [])
  return beginningOf(period, now)
}
