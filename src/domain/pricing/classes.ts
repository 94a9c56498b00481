/**
 * The tokens that have their own price. Usage, prices, cost, log columns, imports and the dashboard read this
 * table: a new class is a row here, a migration that adds its column, and a provider that counts it. `side` says whether
 * the class is part of the prompt or of the answer; a class without a price costs as much as `input` or `output`. A name
 * that begins with `cacheWrite` is a cache write.
 *
 * Classes of the prompt do not overlap: their sum is the prompt. `output` is the whole answer, and the other classes of
 * the answer are parts of it that do not overlap: what they leave is charged at its price (`chargedTokens`).
 */
export const TOKEN_CLASSES = [
  row('input', 'prompt', 'input', 'input_per_mtok', 'input_tokens'),
  row('cachedInput', 'prompt', 'cached input', 'cached_input_per_mtok', 'cached_tokens'),
  row('cacheWrite5m', 'prompt', 'cache write (5 minutes)', 'cache_write_5m_per_mtok', 'cache_write_5m_tokens'),
  row('cacheWrite30m', 'prompt', 'cache write (30 minutes)', 'cache_write_30m_per_mtok', 'cache_write_30m_tokens'),
  row('cacheWrite1h', 'prompt', 'cache write (1 hour)', 'cache_write_1h_per_mtok', 'cache_write_1h_tokens'),
  row('audioInput', 'prompt', 'audio input', 'audio_input_per_mtok', 'audio_input_tokens'),
  row('imageInput', 'prompt', 'image input', 'image_input_per_mtok', 'image_input_tokens'),
  row('output', 'answer', 'output', 'output_per_mtok', 'completion_tokens'),
  row('audioOutput', 'answer', 'audio output', 'audio_output_per_mtok', 'audio_output_tokens'),
  row('imageOutput', 'answer', 'image output', 'image_output_per_mtok', 'image_output_tokens'),
] as const

function row<const Name extends string, const Price extends string, const Column extends string>(
  name: Name,
  side: 'prompt' | 'answer',
  label: string,
  price: Price,
  column: Column,
) {
  return { name, side, label, price, column }
}

type ClassRow = (typeof TOKEN_CLASSES)[number]
export type TokenClass = ClassRow['name']
export type ClassPriceField = ClassRow['price']
export type ClassColumn = ClassRow['column']

export const PROMPT_CLASSES = TOKEN_CLASSES.filter(({ side }) => side === 'prompt')
export const ANSWER_CLASSES = TOKEN_CLASSES.filter(({ side }) => side === 'answer')
/** Parts of `output`. */
export const OUTPUT_PARTS = ANSWER_CLASSES.filter(({ name }) => name !== 'output')
export const CACHE_WRITE_CLASSES = TOKEN_CLASSES.filter(({ name }) => name.startsWith('cacheWrite'))

/** An object with one value for each class, e.g. a schema of prices: `perClass('price', () => z.string())`. */
export function perClass<Key extends 'name' | 'price' | 'column', Value>(
  key: Key,
  make: (row: ClassRow) => Value,
): Record<ClassRow[Key], Value> {
  return Object.fromEntries(TOKEN_CLASSES.map((row) => [row[key], make(row)])) as Record<ClassRow[Key], Value>
}
