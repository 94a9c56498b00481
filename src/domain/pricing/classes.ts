/**
 * The tokens that have a price of their own. Classes do not overlap, so their sum is what the provider counted. Usage,
 * prices, cost, log columns, imports and the dashboard read this table: a new class is a row here and a migration that
 * adds its column. `side` says whether the class counts as prompt or as answer.
 */
export const TOKEN_CLASSES = [
  { name: 'input', side: 'prompt', label: 'input', price: 'input_per_mtok', column: 'input_tokens' },
  {
    name: 'cachedInput',
    side: 'prompt',
    label: 'cached input',
    price: 'cached_input_per_mtok',
    column: 'cached_tokens',
  },
  {
    name: 'cacheWrite5m',
    side: 'prompt',
    label: 'cache write (5 minutes)',
    price: 'cache_write_5m_per_mtok',
    column: 'cache_write_5m_tokens',
  },
  {
    name: 'cacheWrite30m',
    side: 'prompt',
    label: 'cache write (30 minutes)',
    price: 'cache_write_30m_per_mtok',
    column: 'cache_write_30m_tokens',
  },
  {
    name: 'cacheWrite1h',
    side: 'prompt',
    label: 'cache write (1 hour)',
    price: 'cache_write_1h_per_mtok',
    column: 'cache_write_1h_tokens',
  },
  { name: 'output', side: 'answer', label: 'output', price: 'output_per_mtok', column: 'completion_tokens' },
] as const

export type TokenClass = (typeof TOKEN_CLASSES)[number]['name']
export type ClassPriceField = (typeof TOKEN_CLASSES)[number]['price']
export type ClassColumn = (typeof TOKEN_CLASSES)[number]['column']
