const STEPS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const

/** The two largest parts: 3 d 4 h, 12 min 5 s. */
export function uptime(seconds: number): string {
  const first = STEPS.findIndex(([size]) => seconds >= size)
  if (first === -1) return '0 s'
  const parts: string[] = []
  let rest = seconds
  for (const [size, unit] of STEPS.slice(first, first + 2)) {
    const amount = Math.floor(rest / size)
    rest -= amount * size
    if (amount > 0) parts.push(`${amount} ${unit}`)
  }
  return parts.join(' ')
}
