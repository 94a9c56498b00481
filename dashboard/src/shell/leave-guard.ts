import { useEffect, useRef, useState } from 'react'
import type { AroundNavHandler } from 'wouter'

/**
 * Changes that are not saved yet are not lost by a stray click. A page that has some sets the guard; whatever leads
 * away, a link, the palette, the browser's own buttons, then asks first.
 */
type Guard = (leave: () => void) => void

let guard: { ask: Guard; place: string } | null = null

/** The same page and the same object: filters and tabs in the address may change freely. */
function placeOf(address: URL): string {
  return `${address.pathname}?new=${address.searchParams.get('new') ?? ''}`
}

export const aroundNavigation: AroundNavHandler = (navigate, to, options) => {
  const leaves = guard !== null && placeOf(new URL(to, window.location.href)) !== guard.place
  if (guard !== null && leaves) guard.ask(() => navigate(to, options))
  else navigate(to, options)
}

export interface Leaving {
  /** Somebody wants to leave: ask them. */
  isAsking: boolean
  stay: () => void
  leave: () => void
  /** What was changed is saved: nothing holds any longer, although the page has not drawn it yet. */
  release: () => void
}

export function useLeaveGuard(hasChanges: boolean): Leaving {
  const [isAsking, setAsking] = useState(false)
  const wanted = useRef<() => void>(() => {})
  useEffect(() => {
    if (!hasChanges) return undefined
    const address = window.location.href
    const ask: Guard = (leave) => {
      wanted.current = leave
      setAsking(true)
    }
    guard = { ask, place: placeOf(new URL(address)) }
    const onPopState = (event: PopStateEvent) => {
      if (guard === null || placeOf(new URL(window.location.href)) === guard.place) return
      // The router must not see that the address moved; it is put back, and moved for good once that is wanted.
      event.stopImmediatePropagation()
      history.pushState(null, '', address)
      ask(() => history.back())
    }
    const onUnload = (event: BeforeUnloadEvent) => guard !== null && event.preventDefault()
    window.addEventListener('popstate', onPopState, { capture: true })
    window.addEventListener('beforeunload', onUnload)
    return () => {
      guard = null
      window.removeEventListener('popstate', onPopState, { capture: true })
      window.removeEventListener('beforeunload', onUnload)
    }
  }, [hasChanges])
  const release = () => {
    guard = null
  }
  return {
    isAsking,
    stay: () => setAsking(false),
    leave: () => {
      release()
      setAsking(false)
      wanted.current()
    },
    release,
  }
}
