/** What an alert is about, for a link to it. */
export interface AlertTarget {
  key: string | null
  route: string | null
  provider: string | null
  model: string | null
}

const NONE: AlertTarget = { key: null, route: null, provider: null, model: null }

/** Read from the identity of an alert, as `conditions.ts` writes it. Names have no spaces; a model id may. */
export function targetOf(identity: string): AlertTarget {
  const [rule, first = '', second = '', ...rest] = identity.replace(/^own:\S+ /, '').split(' ')
  switch (rule) {
    case 'loop':
      return { ...NONE, key: first }
    case 'budget':
      return first === 'key' ? { ...NONE, key: second } : NONE
    case 'error_rate':
    case 'prompt_cache':
      return { ...NONE, route: second === '' ? null : second }
    case 'circuit_open':
    case 'latency':
    case 'unpriced':
    case 'stated_cost':
      return { ...NONE, provider: first, model: [second, ...rest].join(' ') }
    case 'reconciliation_drift':
      return { ...NONE, provider: first, model: rest.length === 0 ? null : rest.join(' ') }
    case 'provider_account':
      return { ...NONE, provider: first }
    default:
      return NONE
  }
}
