/** In the text of an event: when the upstream sent it, in microseconds. */
const MARK = '@'
const DIGITS = 15
export const STAMP = MARK.padEnd(1 + DIGITS, '0')

/** Milliseconds, the same in every process. */
export function steadyNow(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

export function stampInto(event: Buffer): void {
  const at = event.indexOf(MARK)
  if (at >= 0) event.write(String(Math.round(steadyNow() * 1_000)).padStart(DIGITS, '0'), at + 1, 'latin1')
}

export function stampsIn(bytes: Buffer): number[] {
  const stamps: number[] = []
  for (let at = bytes.indexOf(MARK); at >= 0; at = bytes.indexOf(MARK, at + DIGITS))
    stamps.push(Number(bytes.toString('latin1', at + 1, at + 1 + DIGITS)) / 1_000)
  return stamps
}
