import { startGateway } from '../src/app/main.ts'
import type { Store } from '../src/app/open-store.ts'
import type { Gateway } from '../src/app/serve.ts'
import { whyOf } from '../src/calls/why.ts'
import { asPicodollars, compilePrice, type Price, parsePrices } from '../src/domain/pricing/price.ts'
import type { ChainEntry } from '../src/domain/route.ts'
import type { CloseRecord } from '../src/request-log/record.ts'
import { BUILTIN } from '../src/store/control/seed-registry.ts'
import { loadSnapshot } from '../src/store/control/snapshot.ts'
import { type ControlApi, controlApi } from './control-api.ts'
import { budgetOf, budgetSteps, controlSteps, EVALS_SHARE, moment } from './control-past.ts'
import { DAY_MS, HISTORY_DAYS, history, type PastCall, type Setting } from './history.ts'
import { overBudget } from './refusals.ts'
import { importDemoReport } from './report.ts'

export interface PastOptions {
  /** Of the gateway; its listen address is not used. */
  environment: Readonly<Record<string, string | undefined>>
  /** Unix milliseconds at which the past ends. */
  now: number
  /** The address of the provider that was added by hand. */
  edgeUrl: string
  onDay(day: number): void
}

/**
 * Runs the month before `now` with its own clock: the same gateway, management API and request log, so that the past
 * leaves what real use would have left. Returns the values of the keys.
 */
export async function liveThroughPast(options: PastOptions): Promise<ControlApi['keyValue']> {
  const { environment, now, edgeUrl, onDay } = options
  onDay(0)
  let clock = moment(now, 33, 8)
  const unseen = { ...environment, HOST: '127.0.0.1', PORT: '0' }
  const gateway = await startGateway(unseen, { now: () => clock })
  try {
    const api = controlApi(gateway.url, (daysAgo, hour) => {
      clock = moment(now, daysAgo, hour)
    })
    // The list that this version ships is younger than the past.
    const source = BUILTIN + new Date(moment(now, 34, 0)).toISOString().slice(0, 10)
    const { db } = gateway.store
    await db.updateTable('price_versions').set({ source }).where('source', 'like', `${BUILTIN}%`).execute()
    for (const step of controlSteps(now, edgeUrl)) await api.take(step)
    const spent = await writeHistory(gateway, options)
    onDay(HISTORY_DAYS)
    for (const step of budgetSteps(spent)) await api.take(step)
    await gateway.store.requestLog.caughtUp()
    await importDemoReport({ url: gateway.url, reads: gateway.store.reads }, now)
    return api.keyValue
  } finally {
    await gateway.stop()
  }
}

/** Through the request log, like real calls; in batches, so that they share commits. */
const BATCH = 500

/** Returns what each key has spent, by name. */
async function writeHistory({ store }: Gateway, options: PastOptions): Promise<(key: string) => bigint> {
  const { now, onDay } = options
  const names = new Map((await store.db.selectFrom('keys').select(['id', 'name']).execute()).map((k) => [k.id, k.name]))
  const values = Map.groupBy(
    await store.db.selectFrom('key_values').selectAll().orderBy('id').execute(),
    ({ key_id: keyId }) => keyId,
  )
  const spent = new Map<string, bigint>()
  const refused: { call: PastCall; spent: bigint }[] = []
  let batch: CloseRecord[] = []
  const write = async () => {
    await Promise.all(batch.map((record) => store.requestLog.close(record)))
    batch = []
  }
  for (const record of history(await settingOf(store, now))) {
    const name = names.get(record.keyId) ?? ''
    if (record.refusedHold !== undefined) {
      refused.push({ call: record, spent: spent.get(name) ?? 0n })
      continue
    }
    spent.set(name, (spent.get(name) ?? 0n) + BigInt(record.costPicodollars ?? 0))
    // Programs use the new value as soon as there is one.
    const value = values.get(record.keyId)?.findLast(({ created_at: from }) => from <= record.startedAt)
    if (value !== undefined) store.valueUses.note(value.id, record.startedAt)
    onDay(Math.max(0, HISTORY_DAYS - Math.ceil((now - record.startedAt) / DAY_MS)))
    batch.push(record)
    if (batch.length === BATCH) await write()
  }
  for (const { call, spent: before } of refused) {
    const name = names.get(call.keyId) ?? ''
    batch.push(withFigures(call, name, budgetOf(spent.get(name) ?? 0n, EVALS_SHARE), before))
  }
  await write()
  return (key) => asPicodollars(spent.get(key) ?? 0n)
}

function withFigures(call: PastCall, name: string, limitUsd: string, spent: bigint): CloseRecord {
  const { refusedHold, ...record } = call
  if (refusedHold === undefined) return record
  return { ...record, ...whyOf(overBudget({ id: call.keyId, name }, limitUsd, spent, refusedHold)) }
}

async function settingOf({ db, secrets }: Store, now: number): Promise<Setting> {
  const keys = await db.selectFrom('keys').selectAll().where('kind', '=', 'live').execute()
  const prices = await priceVersions(db)
  return {
    now,
    snapshot: await loadSnapshot(db, secrets),
    keyAt(application, at, random) {
      const usable = keys.filter(
        ({ name, workspace, created_at: from, expires_at: expiry, revoked_at: revocation }) =>
          name === application.key &&
          workspace === application.workspace &&
          from <= at &&
          at < Math.min(expiry ?? Number.POSITIVE_INFINITY, revocation ?? Number.POSITIVE_INFINITY),
      )
      return usable[Math.floor(random() * usable.length)]?.id ?? null
    },
    priceAt: ({ provider, model }: ChainEntry, at) =>
      prices.get(`${provider} ${model}`)?.findLast((version) => version.from <= at) ?? null,
  }
}

type Versions = Map<string, { version: number; from: number; price: Price }[]>

/** Of every model, oldest first. */
async function priceVersions(db: Store['db']): Promise<Versions> {
  const versions: Versions = new Map()
  for (const row of await db.selectFrom('price_versions').selectAll().orderBy('id').execute()) {
    const name = `${row.provider} ${row.model}`
    const price = compilePrice(parsePrices(row.prices))
    versions.set(name, [...(versions.get(name) ?? []), { version: row.id, from: row.created_at, price }])
  }
  return versions
}
