import { hash as digest } from 'node:crypto'
import type { z } from 'zod'
import type { LitellmKeyFacts } from '../../../domain/litellm/facts.ts'
import type { AdoptedKey } from '../../../management/contract/keys.ts'
import { intersection } from './allowed-models.ts'
import { type Books, budgetOf, holderOf, modelsOf } from './books.ts'
import { type MappedLimits, mapLimits, type Remark, tighterOf } from './limits.ts'
import { freeName, slug } from './names.ts'
import { isEmpty, jsonIn, listIn, numberIn, type Row, textIn } from './rows.ts'
import { DASHBOARD_TEAM, isLimited, isTeamClosed, type MovedTeams } from './teams.ts'

export type MovedKey = z.input<typeof AdoptedKey>

export interface KeyContext {
  books: Books
  teams: MovedTeams
  /** The hash of the master key: its row is no caller's. */
  master: string | null
  /** A key that would be looser is paused. */
  strict: boolean
  /** Names in use, by `workspace/name`. */
  taken: Set<string>
}

export interface MappedKey {
  /** What the report calls it. */
  label: string
  /** Null: it is not moved; the remarks say why. */
  key: MovedKey | null
  remarks: Remark[]
}

/** A column without a counterpart, where it says something. Looser: it restricted the key. */
const UNSUPPORTED: Readonly<Record<string, Remark['direction']>> = {
  aliases: 'same',
  config: 'same',
  router_settings: 'same',
  budget_fallbacks: 'same',
  permissions: 'same',
  auto_rotate: 'same',
  allowed_cache_controls: 'looser',
  policies: 'looser',
  object_permission_id: 'looser',
}
const UNSUPPORTED_METADATA: Readonly<Record<string, Remark['direction']>> = {
  guardrails: 'looser',
  model_rpm_limit: 'looser',
  model_tpm_limit: 'looser',
  logging: 'same',
  callback_vars: 'same',
}
/** What a key of ours does anyway. */
const CALL_ROUTES = new Set(['llm_api_routes', '*'])
const MOST_MODELS = 200
const NOTE_BYTES = 8_192

export function mapKey(row: Row, context: KeyContext): MappedKey {
  const { hash, isPlain } = hashOf(row)
  const label = textIn(row, 'key_alias') ?? textIn(row, 'key_name') ?? hash.slice(0, 8)
  const remarks: Remark[] = []
  const why = skipped(row, hash, context)
  if (why !== null) return { label, key: null, remarks: [why] }
  if (isPlain) remarks.push(approximate('token', 'stored in clear by a very old version; it is stored as a hash here'))
  const holder = placeOf(row, context, remarks)
  const limits = limitsOf(row, holder, context, remarks)
  const models = allowedOf(row, context, remarks)
  addUnsupported(row, remarks)
  const isLooser = remarks.some(({ direction }) => direction === 'looser')
  const isPaused = row['blocked'] === true || limits.isClosed || models.isNone || (context.strict && isLooser)
  const isTeamPaused = isGroupClosed(row, context.books, remarks)
  const name = slug(textIn(row, 'key_alias')) ?? `key-${hash.slice(0, 8)}`
  const expires = numberIn(row, 'expires')
  const prefix = textIn(row, 'key_name')
  const earlier = earlierValues(hash, context.books)
  const key: MovedKey = {
    workspace: holder.workspace,
    name: freeName(name, hash.slice(0, 4), context.taken, `${holder.workspace}/`),
    hash,
    ...(prefix !== null && /^[\x21-\x7e]{1,12}$/.test(prefix) && { prefix }),
    ...(expires !== null && { expires_at: new Date(expires).toISOString() }),
    ...(models.allowed !== null && { allowed_models: [...models.allowed] }),
    ...(Object.keys(limits.limits).length > 0 && { limits: limits.limits }),
    ...((isPaused || isTeamPaused) && { paused: true }),
    ...(limits.opening !== null && { opening_spend: { usd: limits.opening, note: 'as LiteLLM had it' } }),
    ...(earlier.length > 0 && { earlier_values: earlier }),
    note: noteOf(row, remarks),
  }
  if (isPaused || isTeamPaused) remarks.push(approximate('blocked', 'refused every call there: paused here (403)'))
  remarks.push({ path: 'token', status: 'exact', direction: 'same', message: 'keys keep their values' })
  return { label, key, remarks }
}

function approximate(path: string, message: string, direction: Remark['direction'] = 'same'): Remark {
  return { path, status: 'approximate', direction, message }
}

function hashOf(row: Row): { hash: string; isPlain: boolean } {
  const token = String(row['token'])
  const isHash = /^[0-9a-f]{64}$/.test(token)
  return { hash: isHash ? token : digest('sha256', token, 'hex'), isPlain: !isHash }
}

function skipped(row: Row, hash: string, { books, master }: KeyContext): Remark | null {
  const not = (path: string, message: string, status: Remark['status'] = 'exact'): Remark => ({
    path,
    status,
    direction: 'same',
    message,
  })
  if (textIn(row, 'team_id') === DASHBOARD_TEAM) return not('team_id', "sessions of LiteLLM's dashboard are not moved")
  if (hash === master) return not('token', 'the master key becomes the key "litellm-master"')
  const expires = numberIn(row, 'expires')
  if (expires !== null && expires <= books.now) return not('expires', 'expired keys are not moved')
  const type = textIn(row, 'key_type')
  if (type === 'management' || type === 'read_only') {
    return not('key_type', `a key of the type '${type}' makes no calls: create an admin key here`, 'manual')
  }
  return null
}

interface Holder {
  workspace: string
  user: Row | undefined
}

function placeOf(row: Row, { books, teams }: KeyContext, remarks: Remark[]): Holder {
  const team = textIn(row, 'team_id')
  const userId = textIn(row, 'user_id') ?? ''
  const user = books.users.get(userId)
  if (team === null) return { workspace: teams.ofUser.get(userId) ?? 'default', user }
  const workspace = teams.ofTeam.get(team)
  if (workspace === undefined) remarks.push(approximate('team_id', `there is no team '${team}': moved to "default"`))
  return { workspace: workspace ?? 'default', user: undefined }
}

/** The limits of the key, with those of its holder where they bind this key alone. */
function limitsOf(
  row: Row,
  { workspace, user }: Holder,
  { books, teams }: KeyContext,
  remarks: Remark[],
): MappedLimits {
  const own = mapLimits(row, budgetOf(row, books), books.now)
  remarks.push(...own.remarks)
  if (own.limits.budget?.mode === 'hard') {
    remarks.push(approximate('max_budget', 'never exceeded here: the last call is cut to what is left', 'tighter'))
  }
  const team = textIn(row, 'team_id')
  const userId = textIn(row, 'user_id')
  const member = team === null || userId === null ? undefined : books.memberships.get(holderOf(userId, team))
  const ofMember =
    member === undefined ? null : mapLimits({ spend: member['spend'] }, budgetOf(member, books), books.now)
  const isOwnWorkspace = userId !== null && teams.ofUser.get(userId) === workspace
  const ofUser = user === undefined || isOwnWorkspace ? null : mapLimits(user, null, books.now)
  const isAlone = (books.keysOf.get(holderOf(userId, team)) ?? 0) <= 1
  const bounds = { 'LiteLLM_TeamMembership.budget_id': ofMember, 'LiteLLM_UserTable.max_budget': ofUser }
  let limits = own
  for (const [path, bound] of Object.entries(bounds)) {
    if (bound === null || !isLimited(bound)) continue
    const merged = isAlone ? tighterOf(limits, bound) : null
    if (merged !== null) limits = { ...limits, ...merged, isClosed: limits.isClosed || bound.isClosed }
    else {
      const message = 'a budget for several keys of one member, or of another period, is not enforced'
      remarks.push({ path, status: 'unsupported', direction: 'looser', message })
    }
  }
  return limits
}

/** Whether its team or project refuses every call. */
function isGroupClosed(row: Row, books: Books, remarks: Remark[]): boolean {
  const project = books.projects.get(textIn(row, 'project_id') ?? '')
  if (project !== undefined && isLimited(mapLimits({}, budgetOf(project, books), books.now))) {
    const message = 'the budget of the project is not enforced: there is no such level'
    remarks.push({ path: 'project_id', status: 'unsupported', direction: 'looser', message })
  }
  return project?.['blocked'] === true || isTeamClosed(books.teams.get(textIn(row, 'team_id') ?? ''), books.now)
}

function allowedOf(row: Row, { books }: KeyContext, remarks: Remark[]) {
  const team = books.teams.get(textIn(row, 'team_id') ?? '')
  const ofTeam = modelsOf(team, books)
  const organizationId = textIn(row, 'organization_id') ?? textIn(team ?? {}, 'organization_id') ?? ''
  const allowed = intersection([
    modelsOf(row, books, ofTeam),
    ofTeam,
    modelsOf(books.organizations.get(organizationId), books),
    modelsOf(books.projects.get(textIn(row, 'project_id') ?? ''), books),
    team === undefined ? modelsOf(books.users.get(textIn(row, 'user_id') ?? ''), books) : null,
  ])
  if (allowed === null || (allowed.length > 0 && allowed.length <= MOST_MODELS)) return { allowed, isNone: false }
  const message =
    allowed.length === 0
      ? 'no model is allowed: the key is paused'
      : `more than ${MOST_MODELS} models are named: the key is paused; name patterns such as gpt-4*`
  remarks.push({
    path: 'models',
    status: allowed.length === 0 ? 'approximate' : 'manual',
    direction: 'tighter',
    message,
  })
  return { allowed: null, isNone: true }
}

function addUnsupported(row: Row, remarks: Remark[]): void {
  const add = (path: string, direction: Remark['direction']) =>
    remarks.push({ path, status: 'unsupported', direction, message: `${path} has no counterpart` })
  for (const [column, direction] of Object.entries(UNSUPPORTED)) if (!isEmpty(row[column])) add(column, direction)
  const metadata = jsonIn(row, 'metadata')
  for (const [name, direction] of Object.entries(UNSUPPORTED_METADATA)) {
    if (!isEmpty(metadata[name])) add(`metadata.${name}`, direction)
  }
  const routes = listIn(row, 'allowed_routes')
  if (routes.some((route) => !CALL_ROUTES.has(route))) add('allowed_routes', 'looser')
}

function earlierValues(hash: string, { replaced }: Books) {
  return (replaced.get(hash) ?? [])
    .filter((row) => /^[0-9a-f]{64}$/.test(String(row['token'])))
    .map((row) => ({ hash: String(row['token']), ends_at: new Date(Number(row['revoke_at'])).toISOString() }))
}

/** Names in a list of models that are none. */
const OWN_NAMES = /^(all-.*-models|no-default-models)$/

function given<Name extends string, Value>(name: Name, value: Value | null): Partial<Record<Name, Value>> {
  return value === null ? {} : ({ [name]: value } as Record<Name, Value>)
}

/** What tools want to find again. Settings of logging hold secrets. */
function noteOf(row: Row, remarks: Remark[]): Record<string, unknown> | null {
  const { logging: _, callback_vars: __, tags, ...metadata } = jsonIn(row, 'metadata')
  const models = listIn(row, 'models')
  const note: LitellmKeyFacts = {
    ...given('key_alias', textIn(row, 'key_alias')),
    ...given('user_id', textIn(row, 'user_id')),
    ...given('budget_duration', textIn(row, 'budget_duration')),
    ...given('tags', Array.isArray(tags) ? tags : null),
    ...given('models', models.some((name) => OWN_NAMES.test(name)) ? models : null),
    ...given('metadata', Object.keys(metadata).length > 0 ? metadata : null),
  }
  if (Object.keys(note).length === 0) return null
  if (Buffer.byteLength(JSON.stringify(note)) <= NOTE_BYTES) return { ...note }
  remarks.push(approximate('metadata', `more than ${NOTE_BYTES} bytes: not kept`))
  return null
}
