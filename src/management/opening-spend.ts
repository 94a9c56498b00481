import type { z } from 'zod'
import { type OpeningSpend, openingFromText } from '../domain/budgets/opening-spend.ts'
import { timestamp } from './contract/fields.ts'
import type { OpeningBody } from './contract/opening-spend.ts'

export function openingView(text: string | null) {
  const opening = openingFromText(text)
  return opening === null ? null : { ...opening, at: timestamp(opening.at) }
}

/** Null: there is none. */
export function openingIn({ usd, note }: z.infer<typeof OpeningBody>, now: number): OpeningSpend | null {
  return /[1-9]/.test(usd) ? { usd, at: now, note: note ?? null } : null
}
