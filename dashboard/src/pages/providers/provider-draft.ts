import type { Body } from '../../api/client.ts'
import type { Provider } from './provider-health.ts'
import { credentialNames, type ProviderKinds, settingFields } from './provider-kinds.ts'
import { type SettingDraft, settingDrafts, settingsOf } from './settings-draft.ts'

/** What is being typed. Secrets are never read back: those that are stored are kept, replaced or removed. */
export interface ProviderDraft {
  name: string
  family: string
  baseUrl: string
  key: KeyDraft
  headers: HeaderDraft[]
  preset: string | null
  settings: SettingDraft[]
  credentials: Record<string, CredentialDraft>
  proxy: ProxyDraft
  ca: string
  /** Null: what the family does. */
  onCallerLeft: Provider['on_caller_left'] | null
  onEstimate: Provider['on_estimate']
  speaks: Provider['speaks']
  /** A path a line. */
  passthrough: string
}

export type KeyDraft = { kind: 'keep' } | { kind: 'remove' } | { kind: 'set'; value: string }

/** By the names that the family gives them. */
export type CredentialDraft = 'stored' | { typed: string }

export interface ProxyDraft {
  kind: 'environment' | 'none' | 'own'
  url: string
}

export interface HeaderDraft {
  /** Tells rows apart while names are being typed. */
  row: number
  name: string
  /** Null: the value that is stored stays. */
  value: string | null
}

/** Placeholder for a stored secret; the gateway knows it. */
const STORED = '***'

export function draftOf(provider: Provider | null, { families }: ProviderKinds): ProviderDraft {
  if (provider === null) {
    return {
      name: '',
      family: families.length === 1 ? (families[0]?.name ?? '') : '',
      baseUrl: '',
      key: { kind: 'set', value: '' },
      headers: [],
      preset: null,
      settings: [],
      credentials: {},
      proxy: { kind: 'environment', url: '' },
      ca: '',
      onCallerLeft: null,
      onEstimate: 'estimate',
      speaks: null,
      passthrough: '',
    }
  }
  const { name, family, base_url, has_api_key, headers, preset, settings, ca, on_caller_left, on_estimate, speaks } =
    provider
  return {
    name,
    family,
    baseUrl: base_url ?? '',
    key: has_api_key ? { kind: 'keep' } : { kind: 'set', value: '' },
    headers: Object.keys(headers).map((header, row) => ({ row, name: header, value: null })),
    preset,
    settings: settingDrafts(settings),
    credentials: Object.fromEntries(Object.keys(provider.credentials).map((each) => [each, 'stored'])),
    proxy: proxyDraft(provider.proxy),
    ca: ca ?? '',
    onCallerLeft: on_caller_left,
    onEstimate: on_estimate,
    speaks,
    passthrough: provider.passthrough.join('\n'),
  }
}

function proxyDraft(proxy: string | null): ProxyDraft {
  if (proxy === null) return { kind: 'environment', url: '' }
  return proxy === '' ? { kind: 'none', url: '' } : { kind: 'own', url: proxy }
}

export function bodyOf(draft: ProviderDraft, kinds: ProviderKinds): Body<'providers.put'> {
  const { family, baseUrl, key, headers, onCallerLeft, onEstimate, speaks } = draft
  const named = headers.filter(({ name, value }) => name.trim() !== '' || (value ?? '') !== '')
  return {
    family,
    base_url: baseUrl.trim() === '' ? null : baseUrl.trim(),
    ...keyPart(key),
    headers: Object.fromEntries(named.map(({ name, value }) => [name.trim(), value ?? STORED])),
    preset: draft.preset,
    settings: settingsOf(draft.settings, settingFields(kinds, family)),
    credentials: credentialsOf(draft, kinds),
    proxy: proxyOf(draft.proxy),
    ca: draft.ca.trim() === '' ? null : draft.ca,
    ...(onCallerLeft === null ? {} : { on_caller_left: onCallerLeft }),
    on_estimate: onEstimate,
    speaks,
    passthrough: pathsOf(draft.passthrough),
  }
}

function pathsOf(text: string): string[] | null {
  const paths = text.split(/\s+/).filter((path) => path !== '')
  return paths.length === 0 ? null : paths
}

/** What will be done, whether it was chosen or not. */
export function callerLeftOf({ onCallerLeft, family }: ProviderDraft, { families }: ProviderKinds) {
  return onCallerLeft ?? families.find(({ name }) => name === family)?.on_caller_left ?? 'abort'
}

/** Those of another family are left out. */
function credentialsOf({ credentials, family }: ProviderDraft, kinds: ProviderKinds): Record<string, string> | null {
  const entries = credentialNames(kinds, family).flatMap((name) => {
    const draft = credentials[name] ?? { typed: '' }
    const value = draft === 'stored' ? STORED : draft.typed.trim()
    return value === '' ? [] : [[name, value] as const]
  })
  return entries.length === 0 ? null : Object.fromEntries(entries)
}

function proxyOf({ kind, url }: ProxyDraft): string | null {
  if (kind === 'environment') return null
  return kind === 'none' ? '' : url.trim()
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
export function leavesHome(stored: Provider | null, draft: ProviderDraft): boolean {
  const { key, headers, credentials } = draft
  const keeps =
    key.kind === 'keep' || headers.some(({ value }) => value === null) || Object.values(credentials).includes('stored')
  if (stored === null || !keeps) return false
  const isElsewhere = originOf(stored.base_url ?? '') !== originOf(draft.baseUrl.trim())
  return isElsewhere || proxyOf(draft.proxy) !== stored.proxy
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null
}
