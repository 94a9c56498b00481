import type { Reply } from '../../api/client.ts'
import { isZero, magnitude } from '../../format/exact.ts'
import { shortUsd } from '../../format/money.ts'
import { count } from '../../format/number.ts'
import { nameOfUse } from '../../format/units.ts'

export type WhatIf = Reply<'usage.what-if'>

export interface Verdict {
  headline: string
  tone: 'good' | 'bad' | 'plain'
  sentence: string
}

/** The comparison in plain words. */
export function verdictOf({ total, model, prices_at: at, price_version: version }: WhatIf): Verdict {
  const { requests, paid_usd: paid, what_if_usd: other, difference_usd: difference } = total
  const isLess = difference.startsWith('-')
  const prices = model === null ? `the prices of ${at.slice(0, 10)}` : `the prices of ${model}${versionText(version)}`
  const calls = `${count(requests)} ${requests === 1 ? 'call' : 'calls'}`
  const sentence = `${calls} cost ${shortUsd(paid)}. At ${prices} they would have cost ${shortUsd(other)}.`
  if (isZero(difference)) return { headline: 'The same', tone: 'plain', sentence }
  const size = shortUsd(magnitude(difference))
  return {
    headline: `${size} ${isLess ? 'less' : 'more'}${relative(paid, difference)}`,
    tone: isLess ? 'good' : 'bad',
    sentence,
  }
}

/** Calls that neither sum has, as text: one line for each model. */
export function unpricedLines({ unpriced, model }: WhatIf): string[] {
  return unpriced.map(({ provider, model: served, requests, missing, unit }) => {
    const name = provider === null ? 'an unknown model' : `${provider}/${served}`
    const calls = `${count(requests)} ${requests === 1 ? 'call' : 'calls'} of ${name}`
    if (missing === 'paid') return `${calls}: what they cost is unknown`
    const what = unit === null ? 'them' : `“${nameOfUse(unit)}”`
    if (model !== null) return `${calls}: ${model} has no price for ${what}`
    return `${calls}: the model had no price${unit === null ? '' : ` for ${what}`} then`
  })
}

function versionText(version: number | null): string {
  return version === null ? '' : ` (price version ${version})`
}

function relative(paid: string, difference: string): string {
  if (isZero(paid)) return ''
  const percent = Math.abs(Number(difference) / Number(paid)) * 100
  return ` (${percent < 0.1 ? '<0.1' : percent.toFixed(1)} %)`
}
