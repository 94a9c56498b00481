import { useEffect, useRef, useState } from 'react'
import type { AroundNavHandler } from 'wouter'

/**
 * Unsaved changes are not lost by a stray click. A page that has some sets the guard; anything that leads away, a link,
 * the palette, the browser's own buttons, then asks first.
 */
type Guard = (leave: () => void) => void

let guard: { ask: Guard; place: string; address: string } | null = null

/** The same page and the same object: filters and tabs in the address may change freely. */
function placeOf(address: URL): string {
  return `${address.pathname}?new=${address.searchParams.get('new') ?? ''}`
}

export const aroundNavigation: AroundNavHandler = (navigate, to, options) => {
  if (guard !== null && placeOf(new URL(to, window.location.href)) !== guard.place) {
    guard.ask(() => navigate(to, options))
    return
  }
  navigate(to, options)
  if (guard !== null) guard.address = window.location.href
}

// Listeners of the window run in the order of their registration: this one must be registered
// before the router's, which comes with the first page that is drawn.
window.addEventListener('popstate', (event) => {
  if (guard === null || placeOf(new URL(window.location.href)) === guard.place) return
  // The router must not see that the address moved; it is put back, and moved for good once that is wanted.
  event.stopImmediatePropagation()
  history.pushState(null, '', guard.address)
  guard.ask(() => history.back())
})

window.addEventListener('beforeunload', (event) => {
  if (guard !== null) event.preventDefault()
})

export interface Leaving {
  /** The user wants to leave: ask first. */
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
    guard = { ask, place: placeOf(new URL(address)), address }
    return () => {
      guard = null
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
