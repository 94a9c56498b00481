import { createHash } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import { z } from 'zod'
import { GatewayError } from '../../domain/errors.ts'
import { RegistryEntry } from '../../domain/file-config.ts'
import { isObject, type ReadList, type Skipped } from '../../domain/pricing/lists/listed-model.ts'
import { readLitellm } from '../../domain/pricing/lists/litellm-list.ts'
import { problemText } from '../../domain/problem-text.ts'
import { factsOf, pricesOf } from '../../store/config-file/apply-config-registry.ts'
import { addPriceVersion, canonicalPrices, putModel } from '../../store/control/registry.ts'
import { listRegistry, ownerAfter } from '../../store/control/registry-items.ts'
import { parseFacts, readBuiltinRegistry } from '../../store/control/seed-registry.ts'
import type { Database } from '../../store/engine/schema.ts'
import type { registryOperations } from '../contract/registry.ts'
import { change, type ManagementDeps } from '../deps.ts'
import type { Context, OperationHandler } from '../router.ts'
import { readModelsDev } from './import-models-dev.ts'
import { type ImportPlan, modelKey, type Present, type Proposal, planImport } from './import-plan.ts'
import { mergeListed } from './merge-listed.ts'
import { entryView } from './registry-view.ts'

type Handler = OperationHandler<(typeof registryOperations)['registry.import']>
type Query = Parameters<Handler>[0]['query']

/** A list that has been read, before it is known what the registry holds. */
interface Reading {
  /** A date or a hash: which list it was. */
  stamp: string
  propose(present: Present, providers: ReadonlyMap<string, string>): { proposals: Proposal[]; skipped: Skipped[] }
}

export function importHandler(deps: ManagementDeps): Handler {
  return async ({ query, body }, context) => {
    const reading = read(query.format, body, context.now)
    const source = `import:${query.format}:${reading.stamp}`
    if (query.dry_run === 'true') {
      const { plan } = await prepare(deps.db, query, reading)
      return report(plan, query, source)
    }
    return change(deps, context, async (transaction) => {
      const { plan, present } = await prepare(transaction, query, reading)
      await apply(transaction, plan, present, source, context)
      const result = report(plan, query, source)
      const isSame = plan.added.length === 0 && plan.changed.length === 0
      const after = { source, added: result.added, changed: result.changed }
      const audit = { action: 'registry.import', workspace: null, resource: 'registry', before: null, after }
      return { result, audit: isSame ? null : audit }
    })
  }
}

async function prepare(db: Kysely<Database>, query: Query, reading: Reading) {
  const items = await listRegistry(db, {})
  const present: Present = new Map(items.map((item) => [modelKey(item.facts.provider, item.facts.model), item]))
  const { proposals, skipped } = reading.propose(present, await providerNames(db, query.providers))
  const plan = planImport(proposals, present)
  return { plan: { ...plan, skipped: [...skipped, ...plan.skipped] }, present }
}

/** From the list's word for a provider to ours; every provider has at least its own name. */
async function providerNames(db: Kysely<Database>, pairs: string | undefined): Promise<Map<string, string>> {
  const rows = await db.selectFrom('providers').select('name').execute()
  const names = new Map(rows.map(({ name }) => [name, name]))
  for (const pair of pairs?.split(',') ?? []) {
    const [theirs = '', ours = ''] = pair.split(':').map((name) => name.trim())
    if (!rows.some(({ name }) => name === ours)) {
      throw new GatewayError('invalid_request', `providers: there is no provider '${ours}'`)
    }
    names.set(theirs, ours)
  }
  return names
}

function read(format: Query['format'], body: unknown, now: number): Reading {
  const hash = createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 12)
  if (format === 'switchyard') return readOwn(body, hash)
  if (!isObject(body)) throw new GatewayError('invalid_request', `The body is not a list in the format ${format}.`)
  const list = format === 'litellm' ? readLitellm(body) : readModelsDev(body)
  const today = new Date(now).toISOString().slice(0, 10)
  return { stamp: hash, propose: (present, providers) => proposeListed(list, present, providers, today) }
}

function proposeListed(list: ReadList, present: Present, providers: ReadonlyMap<string, string>, today: string) {
  const skipped = [...list.skipped]
  const proposals: Proposal[] = []
  for (const listed of list.models) {
    const provider = providers.get(listed.provider)
    if (provider === undefined) {
      skipped.push({ name: listed.name, reason: `there is no provider '${listed.provider.slice(0, 64)}'` })
    } else if (listed.model.length === 0 || listed.model.length > 256) {
      skipped.push({ name: listed.name, reason: 'its id is empty or longer than 256 characters' })
    } else {
      const known = present.get(modelKey(provider, listed.model))
      const before = known === undefined ? null : { facts: known.facts, prices: known.version?.prices ?? null }
      proposals.push({ name: listed.name, ...mergeListed(listed, provider, before, today) })
    }
  }
  return { proposals, skipped }
}

/** Our own list is written by hand: a mistake in it is reported, not skipped. */
function readOwn(body: unknown, hash: string): Reading {
  const { stamp, models } = isObject(body) ? readFactsFile(body, hash) : readEntries(body, hash)
  return {
    stamp,
    propose(_present, providers) {
      const isKnown = ({ facts }: Proposal) => providers.has(facts.provider)
      const skipped = models.filter((proposal) => !isKnown(proposal))
      const reason = (proposal: Proposal) => `there is no provider '${proposal.facts.provider.slice(0, 64)}'`
      return {
        proposals: models.filter(isKnown),
        skipped: skipped.map((proposal) => ({ name: proposal.name, reason: reason(proposal) })),
      }
    },
  }
}

/** `registry:` of switchyard.yaml as JSON. */
function readEntries(body: unknown, hash: string): { stamp: string; models: Proposal[] } {
  const parsed = z.array(RegistryEntry).safeParse(body)
  if (!parsed.success) throw new GatewayError('invalid_request', problemText(parsed.error))
  const builtin = readBuiltinRegistry()
  const models = parsed.data.map((entry) => ({
    name: `${entry.provider}/${entry.model}`,
    facts: factsOf(entry, builtin),
    prices: pricesOf(entry, builtin),
  }))
  return { stamp: hash, models }
}

/** The format of the list that the gateway is shipped with. */
function readFactsFile(body: Record<string, unknown>, hash: string): { stamp: string; models: Proposal[] } {
  try {
    const { asOf, models } = parseFacts(body)
    const proposals = models.map(({ facts, prices }) => ({
      name: `${facts.provider}/${facts.model}`,
      facts,
      prices: canonicalPrices(prices),
    }))
    return { stamp: /^\d{4}-\d\d-\d\d$/.test(asOf) ? asOf : hash, models: proposals }
  } catch (error) {
    if (error instanceof z.ZodError) throw new GatewayError('invalid_request', problemText(error))
    if (error instanceof RangeError) throw new GatewayError('invalid_request', error.message)
    throw error
  }
}

/** All of it as one dated set of price versions. */
async function apply(
  transaction: Transaction<Database>,
  plan: ImportPlan,
  present: Present,
  source: string,
  context: Context,
): Promise<void> {
  for (const { facts, prices } of [...plan.added, ...plan.changed.map(({ proposal }) => proposal)]) {
    const { provider, model } = facts
    const before = present.get(modelKey(provider, model)) ?? null
    await putModel(transaction, facts, ownerAfter(facts, before), context.now)
    if (prices !== null) await addPriceVersion(transaction, { provider, model, prices, source }, context.now)
  }
}

const NAMES_SHOWN = 20

function report(plan: ImportPlan, query: Query, source: string) {
  const byReason = new Map<string, string[]>()
  for (const { name, reason } of plan.skipped) {
    const names = byReason.get(reason)
    if (names === undefined) byReason.set(reason, [name])
    else names.push(name)
  }
  return {
    dry_run: query.dry_run === 'true',
    format: query.format,
    source,
    added: plan.added.map(({ facts, prices }) => entryView(facts, prices === null ? null : canonicalPrices(prices))),
    changed: plan.changed.map(({ proposal: { facts }, changes }) => ({
      provider: facts.provider,
      model: facts.model,
      changes,
    })),
    unchanged: plan.unchanged,
    skipped: [...byReason].map(([reason, names]) => ({
      reason,
      count: names.length,
      names: names.slice(0, NAMES_SHOWN),
    })),
  }
}
