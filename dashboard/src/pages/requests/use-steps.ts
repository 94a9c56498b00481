import { useEffect, useEffectEvent } from 'react'

export interface Steps {
  /** Null when there is none in that direction. */
  onNewer: (() => void) | null
  onOlder: (() => void) | null
  onClose: (() => void) | null
}

/**
 * The keyboard: j and k, or the arrows where they would not scroll or type, go to the older and the newer request, Escape
 * closes. Without an opened request they move the focus along the list.
 */
export function useSteps({ onNewer, onOlder, onClose }: Steps): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    const place = placeOf(event.target)
    if (place === 'elsewhere') return
    const step = stepOf(event.key, place)
    if (step === null) return
    if (onClose === null) {
      if (step !== 'close' && moveFocus(step)) event.preventDefault()
      return
    }
    event.preventDefault()
    if (step === 'close') onClose()
    else if (step === 'older') onOlder?.()
    else onNewer?.()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event)
    window.addEventListener('keydown', listener)
    return () => window.removeEventListener('keydown', listener)
  }, [])
}

type Place = 'panel' | 'list' | 'elsewhere'

/** Keys mean something else in text fields, and in anything above the page. */
function placeOf(target: EventTarget | null): Place {
  if (!(target instanceof HTMLElement)) return 'elsewhere'
  if (target.matches('input, textarea, select, [contenteditable]')) return 'elsewhere'
  if (target.closest('[data-request-panel], [role="dialog"]') !== null) return 'panel'
  if (target.closest('[role="menu"], [role="listbox"], [data-portal]') !== null) return 'elsewhere'
  return 'list'
}

function stepOf(key: string, place: Place): 'older' | 'newer' | 'close' | null {
  if (key === 'Escape') return 'close'
  if (key === 'j' || (key === 'ArrowDown' && place === 'list') || key === 'ArrowRight') return 'older'
  if (key === 'k' || (key === 'ArrowUp' && place === 'list') || key === 'ArrowLeft') return 'newer'
  return null
}

/** To the row below or above the one that has the focus; j without any goes to the first. */
function moveFocus(step: 'older' | 'newer'): boolean {
  const links = [...document.querySelectorAll<HTMLElement>('a[data-request]')]
  const index = links.indexOf(document.activeElement as HTMLElement)
  if (index === -1) return false
  links[index + (step === 'older' ? 1 : -1)]?.focus()
  return true
}
