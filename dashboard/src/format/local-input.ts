function two(value: number): string {
  return String(value).padStart(2, '0')
}

/** A moment as an input of dates and times wants it: the viewer's clock, to the minute. */
export function localInput(at: string | number): string {
  const date = new Date(at)
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`
}

/** Back again; null when it is empty or no date. */
export function momentOf(input: string): string | null {
  // The engine would read a date into almost anything.
  if (!/^\d{4,}-\d\d-\d\dT\d\d:\d\d/.test(input)) return null
  const date = new Date(input)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
