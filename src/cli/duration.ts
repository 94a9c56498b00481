import { CliError } from './cli-error.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** `90d`, `24h`, `30m`, `10s`, `2w` in milliseconds. */
export function parseDuration(text: string, option: string): number {
  const found = /^(\d{1,6})([smhdw])$/.exec(text)
  const unit = UNITS[found?.[2] ?? '']
  if (found === null || unit === undefined) {
    throw new CliError(`--${option}: a number and one of s, m, h, d, w, for example 24h or 90d; not '${text}'`, 2)
  }
  return Number(found[1]) * unit
}

/** `1h` ago, or a time or a day as it is written. */
export function parseSince(text: string, option: string, now: number): string {
  if (/^\d{4}-\d\d-\d\d/.test(text)) return text
  return new Date(now - parseDuration(text, option)).toISOString()
}
