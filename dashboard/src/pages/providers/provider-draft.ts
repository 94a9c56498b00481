import type { Body } from '../../api/client.ts'
import type { Provider } from './provider-health.ts'

/** What is being typed. Secrets are never read back: those that are stored are kept, replaced or removed. */
export interface ProviderDraft {
  name: string
  family: string
  baseUrl: string
  key: KeyDraft
  headers: HeaderDraft[]
  onCallerLeft: Provider['on_caller_left']
  onEstimate: Provider['on_estimate']
  speaks: Provider['speaks']
}

export type KeyDraft = { kind: 'keep' } | { kind: 'remove' } | { kind: 'set'; value: string }

export interface HeaderDraft {
  /** Tells rows apart while names are being typed. */
  row: number
  name: string
  /** Null: the value that is stored stays. */
  value: string | null
}

/** Stands for a stored value of a header; the gateway knows it. */
const STORED = '***'

export function draftOf(provider: Provider | null, families: readonly string[]): ProviderDraft {
  if (provider === null) {
    return {
      name: '',
      family: families.length === 1 ? (families[0] ?? '') : '',
      baseUrl: '',
      key: { kind: 'set', value: '' },
      headers: [],
      onCallerLeft: 'abort',
      onEstimate: 'estimate',
      speaks: null,
    }
  }
  const { name, family, base_url, has_api_key, headers, on_caller_left, on_estimate, speaks } = provider
  return {
    name,
    family,
    baseUrl: base_url ?? '',
    key: has_api_key ? { kind: 'keep' } : { kind: 'set', value: '' },
    headers: Object.keys(headers).map((header, row) => ({ row, name: header, value: null })),
    onCallerLeft: on_caller_left,
    onEstimate: on_estimate,
    speaks,
  }
}

export function bodyOf(draft: ProviderDraft): Body<'providers.put'> {
  const { family, baseUrl, key, headers, onCallerLeft, onEstimate, speaks } = draft
  const named = headers.filter(({ name, value }) => name.trim() !== '' || (value ?? '') !== '')
  return {
    family,
    base_url: baseUrl.trim() === '' ? null : baseUrl.trim(),
    ...keyPart(key),
    headers: Object.fromEntries(named.map(({ name, value }) => [name.trim(), value ?? STORED])),
    on_caller_left: onCallerLeft,
    on_estimate: onEstimate,
    speaks,
  }
}

function keyPart(key: KeyDraft): { api_key?: string | null } {
  if (key.kind === 'keep') return {}
  const value = key.kind === 'set' ? key.value.trim() : ''
  return { api_key: value === '' ? null : value }
}

/**
 * Whether stored secrets would travel to a server they were not given for. The gateway refuses that; better to ask for
 * them while typing than after pressing save.
 */
export function leavesHome(stored: Provider | null, { baseUrl, key, headers }: ProviderDraft): boolean {
  const keeps = key.kind === 'keep' || headers.some(({ value }) => value === null)
  return stored !== null && keeps && originOf(stored.base_url ?? '') !== originOf(baseUrl.trim())
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null
}
