const short = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** A range as the button that changes it says it. */
export function rangeText(from: string, to: string): string {
  if (from === '') return `Before ${momentText(to)}`
  if (to === '') return `Since ${momentText(from)}`
  return `${momentText(from)} – ${momentText(to)}`
}

function momentText(at: string): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? at : short.format(date)
}

/** As an input of a date and a time takes it, in the viewer's zone; empty for none or nonsense. */
export function fieldOf(at: string): string {
  const date = new Date(at)
  if (at === '' || Number.isNaN(date.getTime())) return ''
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19)
}

/** The moment that was typed in the viewer's zone, as the gateway takes it. */
export function momentOf(field: string): string | null {
  const date = new Date(field)
  return field === '' || Number.isNaN(date.getTime()) ? null : date.toISOString()
}
