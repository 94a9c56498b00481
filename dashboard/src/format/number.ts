const whole = new Intl.NumberFormat('en-US')
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

/** 12345 → 12,345. */
export function count(value: number): string {
  return whole.format(value)
}

/** 1 → 1 call, 12345 → 12,345 calls. */
export function callCount(value: number): string {
  return `${count(value)} ${value === 1 ? 'call' : 'calls'}`
}

/** 12345 → 12.3K, for tiles and axes. */
export function shortCount(value: number): string {
  return compact.format(value)
}

/** A share of a whole; a share that is not nothing is never shown as nothing, one that is not all never as all. */
export function percent(part: number, all: number): string {
  if (all === 0) return '–'
  const share = (part / all) * 100
  if (share > 0 && share < 0.01) return '<0.01 %'
  if (share > 99.99 && share < 100) return '>99.99 %'
  return `${share < 10 ? share.toFixed(2) : share.toFixed(1)} %`
}

/** 840 → 840 ms, 12345 → 12.3 s. */
export function milliseconds(value: number | null): string {
  if (value === null) return '–'
  if (value < 10) return `${value.toFixed(value < 1 ? 2 : 1)} ms`
  if (value < 1000) return `${Math.round(value)} ms`
  if (value < 60_000) return `${(value / 1000).toFixed(value < 10_000 ? 2 : 1)} s`
  return `${Math.floor(value / 60_000)} min ${Math.round((value % 60_000) / 1000)} s`
}

export function bytes(value: number): string {
  if (value < 1024) return `${value} B`
  if (value < 1024 ** 2) return `${(value / 1024).toFixed(1)} KiB`
  return `${(value / 1024 ** 2).toFixed(1)} MiB`
}

/** 200000 → 200K, 1048576 → 1.05M: how long a prompt may be. */
export function tokens(value: number | null): string {
  return value === null
    ? '–'
    : new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 }).format(value)
}
