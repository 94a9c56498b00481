import { hashKey, keyPrefix } from '../../domain/key.ts'
import type { Limits } from '../../domain/limits.ts'
import { usdText } from '../litellm/amounts.ts'
import type { MovedKey } from '../litellm/database/keys.ts'
import type { Remark } from '../litellm/database/limits.ts'
import { freeName, slug } from '../litellm/database/names.ts'
import { isEmpty, numberIn, type Row, textIn } from '../litellm/database/rows.ts'
import type { Tally } from '../litellm/database/tally.ts'
import type { MovedWorkspace } from '../litellm/database/teams.ts'
import type { OneApiTables } from './read-database.ts'

const ENABLED = 1
const DEFAULT_PER_USD = 500_000n
const PICODOLLARS = 10n ** 12n
const MOST_MODELS = 200

export interface MovedTokens {
  workspaces: MovedWorkspace[]
  keys: MovedKey[]
}

/** A user becomes a workspace, because a user's quota binds all of the tokens; a token becomes a key with its value. */
export function mapTokens(
  tables: OneApiTables,
  tally: Tally,
  { taken, now }: { taken: Set<string>; now: number },
): MovedTokens {
  const perUsd = quotaPerUsd(tables.options)
  const users = new Map(tables.users.map((user) => [user['id'], user]))
  const places = new Map<unknown, string>()
  const names = new Set<string>()
  const moved: MovedTokens = { workspaces: [], keys: [] }
  const placeOf = (id: unknown): string => {
    const known = places.get(id)
    if (known !== undefined) return known
    const user = users.get(id) ?? {}
    const label = textIn(user, 'username') ?? `user-${String(id)}`
    const name = freeName(slug(label) ?? `user-${String(id)}`, String(id), taken)
    places.set(id, name)
    moved.workspaces.push({
      name,
      description: `one-api user ${label} (${String(id)})`,
      limits: budgetOf(numberIn(user, 'quota'), perUsd),
      opening: null,
    })
    return name
  }
  for (const token of tables.tokens) {
    const label = textIn(token, 'name') ?? String(token['id'])
    const user = users.get(token['user_id'])
    const isUserOpen = user === undefined || (user['status'] === ENABLED && (numberIn(user, 'quota') ?? 0) > 0)
    const { key, remarks } = mapToken(token, { perUsd, now, placeOf, names, isUserOpen })
    if (key !== null) moved.keys.push(key)
    for (const remark of remarks) tally.add('tokens', label, remark)
  }
  return moved
}

interface TokenContext {
  perUsd: bigint
  now: number
  placeOf(user: unknown): string
  names: Set<string>
  /** False: the user is switched off, or has no quota left. */
  isUserOpen: boolean
}

function mapToken(
  token: Row,
  { perUsd, now, placeOf, names, isUserOpen }: TokenContext,
): { key: MovedKey | null; remarks: Remark[] } {
  const expires = numberIn(token, 'expired_time') ?? -1
  if (expires !== -1 && expires * 1000 <= now)
    return { key: null, remarks: [remark('expired_time', 'expired: not moved')] }
  const stored = textIn(token, 'key') ?? ''
  const value = stored.startsWith('sk-') ? stored : `sk-${stored}`
  const hash = hashKey(value)
  const user = placeOf(token['user_id'])
  const remarks = [remark('key', 'keys keep their values, as callers send them with "sk-"')]
  const models = modelsOf(token)
  const isUnlimited = token['unlimited_quota'] === 1
  const limits = isUnlimited ? null : budgetOf(numberIn(token, 'remain_quota'), perUsd)
  if (limits !== null) {
    const message = 'what is left of the quota is a hard budget in USD; costs are those of this gateway'
    remarks.push({ path: 'remain_quota', status: 'approximate', direction: 'tighter', message })
  }
  for (const column of ['allow_ips', 'subnet']) {
    if (!isEmpty(token[column])) remarks.push(looser(column, 'addresses of callers are not checked here'))
  }
  const isTooMany = models !== null && models.length > MOST_MODELS
  const isSpent = !isUnlimited && limits === null
  const isPaused = token['status'] !== ENABLED || isSpent || isTooMany || !isUserOpen
  if (isPaused) remarks.push({ ...remark('status', 'refused every call there: paused here'), status: 'approximate' })
  const key: MovedKey = {
    workspace: user,
    name: freeName(slug(textIn(token, 'name')) ?? `token-${token['id']}`, hash.slice(0, 4), names, `${user}/`),
    hash,
    prefix: keyPrefix(value),
    ...(expires !== -1 && { expires_at: new Date(expires * 1000).toISOString() }),
    ...(models !== null && !isTooMany && { allowed_models: models }),
    ...(limits !== null && { limits }),
    ...(isPaused && { paused: true }),
  }
  return { key, remarks }
}

function remark(path: string, message: string): Remark {
  return { path, status: 'exact', direction: 'same', message }
}

function looser(path: string, message: string): Remark {
  return { path, status: 'unsupported', direction: 'looser', message }
}

/** `models` of one-api; new-api has a switch of its own for the list. */
function modelsOf(token: Row): string[] | null {
  const isLimited = token['model_limits_enabled']
  const text =
    isLimited === undefined ? textIn(token, 'models') : isLimited === 1 ? textIn(token, 'model_limits') : null
  const models = (text ?? '').split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]))
  return models.length === 0 ? null : models
}

/** Null: nothing is left. */
function budgetOf(quota: number | null, perUsd: bigint): Limits | null {
  if (quota === null || quota <= 0) return null
  const usd = usdText((BigInt(Math.floor(quota)) * PICODOLLARS) / perUsd)
  return /[1-9]/.test(usd) ? { budget: { usd, per: 'total', mode: 'hard', when_tight: 'fit' } } : null
}

function quotaPerUsd(options: readonly Row[]): bigint {
  const set = options.find(({ key }) => key === 'QuotaPerUnit')?.['value']
  const value = Math.floor(Number(set))
  return value > 0 ? BigInt(value) : DEFAULT_PER_USD
}
