import {
  CACHE_WRITE_CLASSES,
  type ClassPriceField,
  OUTPUT_PARTS,
  PROMPT_CLASSES,
  TOKEN_CLASSES,
} from '../../../src/domain/pricing/classes.ts'

export type PriceField = ClassPriceField
export { CACHE_WRITE_CLASSES, OUTPUT_PARTS, PROMPT_CLASSES }

/** The price classes as the pages name them. */
export const PRICE_CLASSES = TOKEN_CLASSES.map(({ price, side, label }) => ({
  field: price,
  name: label.charAt(0).toUpperCase() + label.slice(1),
  /** The class whose price applies while this one has none; null for input and output themselves. */
  fallback: price === 'input_per_mtok' || price === 'output_per_mtok' ? null : side === 'prompt' ? 'input' : 'output',
}))

const ALWAYS_LISTED: readonly PriceField[] = ['input_per_mtok', 'cached_input_per_mtok', 'output_per_mtok']

/** The classes worth a line: the usual three, and those for which one of the lists has a price. */
export function listedClasses(lists: readonly Record<PriceField, string | null>[]): typeof PRICE_CLASSES {
  return PRICE_CLASSES.filter(
    ({ field }) => ALWAYS_LISTED.includes(field) || lists.some((list) => list[field] !== null),
  )
}
