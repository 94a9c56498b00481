import type { Kysely, Transaction } from 'kysely'
import type { z } from 'zod'
import { newId } from '../domain/new-id.ts'
import { type Audited, writeAudits } from '../store/control/audit.ts'
import { changeControlData } from '../store/control/control-transaction.ts'
import { firstValue } from '../store/control/key-values.ts'
import { newKeyRow, updateKey } from '../store/control/keys.ts'
import { stepDownProblem } from '../store/control/routes.ts'
import { listWorkspaces } from '../store/control/workspaces.ts'
import type { Database, KeyRow, KeyValueRow } from '../store/engine/schema.ts'
import type { AdoptedKey, keyOperations } from './contract/keys.ts'
import type { InputOf } from './contract/operation.ts'
import type { ManagementDeps } from './deps.ts'
import { keyAuditEntry } from './find-key.ts'
import { changeLitellmMaster, formerLitellmMasters } from './litellm-master.ts'
import { openingIn } from './opening-spend.ts'
import type { Context } from './router.ts'

type Adopted = z.output<typeof AdoptedKey>
type Adoption = z.output<(typeof keyOperations)['keys.adopt-many']['reply']>
type Body = InputOf<(typeof keyOperations)['keys.adopt-many']>['body']

/**
 * One transaction for all of them, in a handful of statements. A key is known by the hash of its value: one that is
 * here already may have been changed since, so it keeps its settings, and doing it twice changes nothing.
 */
export function adoptMany(deps: ManagementDeps, { dry_run, more, keys }: Body, context: Context): Promise<Adoption> {
  const { db, live } = deps
  if (dry_run) return db.transaction().execute(async (reading) => (await planned(reading, keys, context)).adoption)
  const adopt = async (transaction: Transaction<Database>) => {
    const plan = await planned(transaction, keys, context)
    await write(transaction, plan, context)
    return plan.adoption
  }
  // Reading all keys again after each of fifty lists would cost more than creating them.
  return more ? changeControlData(db, adopt) : live.change(adopt)
}

interface Plan {
  adoption: Adoption
  rows: KeyRow[]
  values: KeyValueRow[]
  changed: { before: KeyRow; after: KeyRow }[]
  /** Keys that become LiteLLM's master key. */
  masters: string[]
}

async function write(
  db: Kysely<Database>,
  { rows, values, changed, masters }: Plan,
  { actor, now }: Context,
): Promise<void> {
  if (rows.length > 0) await db.insertInto('keys').values(rows).execute()
  if (values.length > 0) await db.insertInto('key_values').values(values).execute()
  for (const { after } of changed) {
    await updateKey(db, after.id, { opening: after.opening === null ? null : JSON.parse(after.opening) })
  }
  const entries: Audited[] = [
    ...rows.map((row) => keyAuditEntry('keys.adopt', null, row)),
    ...changed.map(({ before, after }) => keyAuditEntry('keys.adopt', before, after)),
  ]
  for (const id of masters) {
    const { audit } = await changeLitellmMaster(db, { id, enabled: true })
    if (audit !== null) entries.push(audit)
  }
  await writeAudits(
    db,
    entries.map((entry) => ({ ...entry, actor })),
    now,
  )
}

async function planned(db: Kysely<Database>, keys: readonly Adopted[], { now }: Context): Promise<Plan> {
  const here = await keysHere(db, keys)
  const workspaces = new Set((await listWorkspaces(db)).map(({ name }) => name))
  const names = await namesHere(db, keys, now)
  const isMasterAsked = keys.some(({ litellm_master }) => litellm_master)
  const formerMasters = isMasterAsked ? await formerLitellmMasters(db) : new Set<string>()
  const plan: Plan = {
    adoption: { created: 0, changed: 0, unchanged: 0, renamed: [], refused: [] },
    rows: [],
    values: [],
    changed: [],
    masters: [],
  }
  const seen = new Set<string>()
  for (const key of keys) {
    const problem =
      problemWith(key, { here, workspaces, seen, now }) ?? (await stepDownProblem(db, key.workspace, key.limits))
    seen.add(key.hash)
    for (const { hash } of key.earlier_values) seen.add(hash)
    if (problem !== null) plan.adoption.refused.push({ hash: key.hash, reason: problem })
    else {
      const found = here.get(key.hash)
      if (found === undefined) addNew(plan, key, { here, names, now })
      else addToPresent(plan, key, found, { here, formerMasters, now })
    }
  }
  return plan
}

interface Known {
  /** The keys of the values asked for, by the hash of the value. */
  here: ReadonlyMap<string, KeyRow>
  now: number
}

function problemWith(
  key: Adopted,
  { here, workspaces, seen, now }: Known & { workspaces: ReadonlySet<string>; seen: ReadonlySet<string> },
): string | null {
  const found = here.get(key.hash)
  if (seen.has(key.hash)) return 'The hash is in the list twice.'
  if (!workspaces.has(key.workspace)) return `There is no workspace '${key.workspace}'.`
  if (found !== undefined && found.kind !== 'live') return 'An admin key has this value.'
  if (found !== undefined && found.workspace !== key.workspace)
    return `The key is in the workspace '${found.workspace}'.`
  if (found !== undefined && found.revoked_at !== null) return 'The key was revoked here.'
  if (typeof key.expires_at === 'string' && Date.parse(key.expires_at) <= now) return 'expires_at is in the past.'
  return null
}

function addNew(plan: Plan, key: Adopted, known: Known & { names: Set<string> }): void {
  const { now, names } = known
  const name = names.has(placeOf(key.workspace, key.name))
    ? `${key.name.slice(0, 59)}-${key.hash.slice(0, 4)}`
    : key.name
  if (name !== key.name) plan.adoption.renamed.push({ hash: key.hash, name })
  names.add(placeOf(key.workspace, name))
  const input = {
    kind: 'live' as const,
    workspace: key.workspace,
    name,
    expiresAt: typeof key.expires_at === 'string' ? Date.parse(key.expires_at) : null,
    allowedModels: key.allowed_models ?? null,
    limits: key.limits ?? null,
    note: key.note ?? null,
    pausedAt: key.paused ? now : null,
    opening: key.opening_spend === undefined ? null : openingIn(key.opening_spend, now),
  }
  const row = newKeyRow(input, key.prefix ?? key.hash.slice(0, 8), now)
  plan.rows.push(row)
  plan.values.push(...earlierValues(key, row, known), firstValue(row, key.hash))
  if (key.litellm_master) plan.masters.push(row.id)
  plan.adoption.created++
}

/** What another gateway goes on counting may have grown since; everything else is the operator's now. */
function addToPresent(
  plan: Plan,
  key: Adopted,
  before: KeyRow,
  known: Known & { formerMasters: ReadonlySet<string> },
): void {
  const values = earlierValues(key, before, known)
  const opening = key.opening_spend === undefined ? null : openingIn(key.opening_spend, known.now)
  const isNew = opening !== null && opening.usd !== usdOf(before.opening)
  plan.values.push(...values)
  const isChanged = isNew || values.length > 0
  if (isChanged) {
    plan.changed.push({ before, after: isNew ? { ...before, opening: JSON.stringify(opening) } : before })
  }
  const becomesMaster = key.litellm_master && !known.formerMasters.has(before.id)
  if (becomesMaster) plan.masters.push(before.id)
  plan.adoption[isChanged || becomesMaster ? 'changed' : 'unchanged']++
}

function usdOf(opening: string | null): string | null {
  return opening === null ? null : (JSON.parse(opening) as { usd: string }).usd
}

function earlierValues({ earlier_values: values }: Adopted, key: KeyRow, { here, now }: Known): KeyValueRow[] {
  return values
    .filter(({ hash, ends_at }) => !here.has(hash) && Date.parse(ends_at) > now)
    .map(({ hash, prefix = hash.slice(0, 8), ends_at }) => ({
      ...firstValue(key, hash),
      // Older than the value that replaced it: lists show the newest first.
      id: newId(key.created_at - 1),
      prefix,
      created_at: key.created_at - 1,
      ends_at: Date.parse(ends_at),
    }))
}

async function keysHere(db: Kysely<Database>, keys: readonly Adopted[]): Promise<Map<string, KeyRow>> {
  const hashes = keys.flatMap(({ hash, earlier_values }) => [hash, ...earlier_values.map((value) => value.hash)])
  const found = await db
    .selectFrom('key_values')
    .innerJoin('keys', 'keys.id', 'key_values.key_id')
    .selectAll('keys')
    .select('key_values.hash as value_hash')
    .where('key_values.hash', 'in', hashes)
    .execute()
  return new Map(found.map(({ value_hash, ...key }) => [value_hash, key]))
}

function placeOf(workspace: string, name: string): string {
  return `${workspace}/${name}`
}

/** The names in use in the workspaces concerned. */
async function namesHere(db: Kysely<Database>, keys: readonly Adopted[], now: number): Promise<Set<string>> {
  const workspaces = [...new Set(keys.map(({ workspace }) => workspace))]
  const names = [...new Set(keys.map(({ name }) => name))]
  const rows = await db
    .selectFrom('keys')
    .select(['workspace', 'name'])
    .where('kind', '=', 'live')
    .where('workspace', 'in', workspaces)
    .where('name', 'in', names)
    .where((where) => where.or([where('revoked_at', 'is', null), where('revoked_at', '>', now)]))
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .execute()
  return new Set(rows.map(({ workspace, name }) => placeOf(String(workspace), name)))
}
