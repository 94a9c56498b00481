import { startGateway } from '../src/app/main.ts'
import type { Store } from '../src/app/open-store.ts'
import type { Gateway } from '../src/app/serve.ts'
import { asPicodollars, compilePrice, type Price, parsePrices } from '../src/domain/pricing/price.ts'
import type { ChainEntry } from '../src/domain/route.ts'
import type { CloseRecord } from '../src/request-log/record.ts'
import { loadSnapshot } from '../src/store/control/snapshot.ts'
import { type ControlApi, controlApi } from './control-api.ts'
import { budgetSteps, controlSteps, moment } from './control-past.ts'
import { DAY_MS, HISTORY_DAYS, history, type Setting } from './history.ts'

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
    for (const step of controlSteps(now, edgeUrl)) await api.take(step)
    const spent = await writeHistory(gateway, options)
    onDay(HISTORY_DAYS)
    for (const step of budgetSteps(spent)) await api.take(step)
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
  let batch: CloseRecord[] = []
  const write = async () => {
    await Promise.all(batch.map((record) => store.requestLog.close(record)))
    batch = []
  }
  for (const record of history(await settingOf(store, now))) {
    const name = names.get(record.keyId) ?? ''
    spent.set(name, (spent.get(name) ?? 0n) + BigInt(record.costPicodollars ?? 0))
    // Programs use the new value as soon as there is one.
    const value = values.get(record.keyId)?.findLast(({ created_at: from }) => from <= record.startedAt)
    if (value !== undefined) store.valueUses.note(value.id, record.startedAt)
    onDay(Math.max(0, HISTORY_DAYS - Math.ceil((now - record.startedAt) / DAY_MS)))
    batch.push(record)
    if (batch.length === BATCH) await write()
  }
  await write()
  return (key) => asPicodollars(spent.get(key) ?? 0n)
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
