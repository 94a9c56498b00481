import { isTime, type Unit } from '../../format/units.ts'
import type { RegistryModel } from './registry-list.ts'

export type UnitPrice = RegistryModel['unit_prices'][number]

/** A price per unit while it is being typed. */
export interface UnitDraft {
  /** Tells rows apart while they are being typed. */
  row: number
  name: string
  unit: Unit
  usd: string
  minimumMs: number | ''
  stepMs: number | ''
}

export const EMPTY_UNIT: Omit<UnitDraft, 'row'> = { name: '', unit: 'image', usd: '', minimumMs: '', stepMs: '' }

/** What is usual, with the unit that goes with it. */
export const KNOWN_UNITS: Readonly<Record<string, Unit>> = {
  image: 'image',
  'image:1024x1024:high': 'image',
  audio_input: 'audio_minute',
  audio_output: 'audio_minute',
  character: 'character',
  page: 'page',
  search_unit: 'search',
  web_search: 'call',
}

export function draftOfUnit(price: UnitPrice, row: number): UnitDraft {
  const { name, unit, usd_per_1000: usd, minimum_ms: minimumMs = '', step_ms: stepMs = '' } = price
  return { row, name, unit, usd, minimumMs, stepMs }
}

/** Rows without a name are not sent. */
export function unitsOf(drafts: readonly UnitDraft[]): UnitPrice[] {
  const named = drafts.filter(({ name }) => name.trim() !== '')
  return named.map(({ name, unit, usd, minimumMs, stepMs }) => ({
    ...{ name: name.trim(), unit, usd_per_1000: usd.trim() },
    ...(isTime(unit) && minimumMs !== '' && { minimum_ms: minimumMs }),
    ...(isTime(unit) && stepMs !== '' && { step_ms: stepMs }),
  }))
}
