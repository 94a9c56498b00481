import type { Body, Item } from '../../api/client.ts'

export type Route = Item<'routes.list'>

/** What the gateway does where an entry leaves it out; a test holds both to the gateway's own. */
export const DEFAULT_TIMEOUT_MS = 600_000
export const DEFAULT_RETRIES = 2
export const MOST_ENTRIES = 10

/** A route while it is edited. Entries have ids of their own, so that they stay themselves when they move. */
export interface Draft {
  alias: string
  description: string
  interchangeable: boolean
  chain: readonly DraftEntry[]
}

export interface DraftEntry {
  id: number
  provider: string
  model: string
  timeoutMs: number | null
  idleTimeoutMs: number | null
  retries: number | null
  maxOutputTokens: number | null
}

const UNSET = { timeoutMs: null, idleTimeoutMs: null, retries: null, maxOutputTokens: null }

export function draftOf(route: Pick<Route, 'alias' | 'description' | 'interchangeable' | 'chain'>): Draft {
  return {
    alias: route.alias,
    description: route.description ?? '',
    interchangeable: route.interchangeable,
    chain: route.chain.map(({ provider, model, timeout_ms, idle_timeout_ms, retries, max_output_tokens }, index) => ({
      id: index + 1,
      provider,
      model,
      timeoutMs: timeout_ms ?? null,
      idleTimeoutMs: idle_timeout_ms ?? null,
      retries: retries ?? null,
      maxOutputTokens: max_output_tokens ?? null,
    })),
  }
}

export function emptyDraft(alias = '', first: { provider?: string; model?: string } = {}): Draft {
  const entry = { provider: first.provider ?? '', model: first.model ?? '', ...UNSET }
  return { alias, description: '', interchangeable: false, chain: [{ id: 1, ...entry }] }
}

/** What is put. Fields that were left empty are left out: the gateway's defaults may change. */
export function bodyOf({ description, interchangeable, chain }: Draft): Body<'routes.put'> {
  return {
    ...(description.trim() === '' ? {} : { description: description.trim() }),
    ...(interchangeable ? { interchangeable } : {}),
    chain: chain.map(({ provider, model, timeoutMs, idleTimeoutMs, retries, maxOutputTokens }) => ({
      provider,
      model: model.trim(),
      ...(timeoutMs === null ? {} : { timeout_ms: timeoutMs }),
      ...(idleTimeoutMs === null ? {} : { idle_timeout_ms: idleTimeoutMs }),
      ...(retries === null ? {} : { retries }),
      ...(maxOutputTokens === null ? {} : { max_output_tokens: maxOutputTokens }),
    })),
  }
}

export function withEntry(draft: Draft, id: number, change: Partial<DraftEntry>): Draft {
  return { ...draft, chain: draft.chain.map((entry) => (entry.id === id ? { ...entry, ...change } : entry)) }
}

export function withoutEntry(draft: Draft, id: number): Draft {
  return { ...draft, chain: draft.chain.filter((entry) => entry.id !== id) }
}

export function withNewEntry(draft: Draft): Draft {
  const id = Math.max(0, ...draft.chain.map((entry) => entry.id)) + 1
  return { ...draft, chain: [...draft.chain, { id, provider: '', model: '', ...UNSET }] }
}

/** Puts an entry at another place; places that do not exist change nothing. */
export function withMoved(draft: Draft, id: number, to: number): Draft {
  const from = draft.chain.findIndex((entry) => entry.id === id)
  const moved = draft.chain[from]
  if (moved === undefined || to < 0 || to >= draft.chain.length) return draft
  const chain = draft.chain.filter((entry) => entry.id !== id)
  chain.splice(to, 0, moved)
  return { ...draft, chain }
}

export function nameOf({ provider, model }: Pick<DraftEntry, 'provider' | 'model'>): string {
  return `${provider === '' ? '…' : provider}/${model.trim() === '' ? '…' : model.trim()}`
}
