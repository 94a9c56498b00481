import type { Kysely } from 'kysely'
import { GatewayError } from '../../domain/errors.ts'
import { factsOf, pricesOf } from '../../store/config-file/apply-config-registry.ts'
import { findProvider } from '../../store/control/providers.ts'
import { addPriceVersion, putModel } from '../../store/control/registry.ts'
import {
  findItem,
  listPriceVersions,
  listRegistry,
  ownerAfter,
  type RegistryItem,
} from '../../store/control/registry-items.ts'
import { readBuiltinRegistry } from '../../store/control/seed-registry.ts'
import { rowVendor } from '../../store/control/vendor.ts'
import type { Database } from '../../store/engine/schema.ts'
import { timestamp } from '../contract/fields.ts'
import type { registryOperations } from '../contract/registry.ts'
import { change, type ManagementDeps } from '../deps.ts'
import { decodeCursor, page } from '../requests/cursor.ts'
import type { HandlersOf } from '../router.ts'
import { importHandler } from './registry-import.ts'
import { modelView, pricesView } from './registry-view.ts'

export function registryHandlers(deps: ManagementDeps): HandlersOf<typeof registryOperations> {
  return {
    async 'registry.list'({ query: { limit, cursor, provider, capability, priced } }) {
      const position = decodeCursor(cursor, 2)
      const after = position === null ? null : { provider: String(position[0]), model: String(position[1]) }
      const filter = { provider, capability, priced: priced === undefined ? undefined : priced === 'true' }
      const items = await listRegistry(deps.db, { ...filter, after, limit: limit + 1 })
      return page(items, limit, modelView, ({ facts }) => [facts.provider, facts.model])
    },
    'registry.get': async ({ params }) => modelView(await existingModel(deps.db, params.provider, params.model)),
    'registry.put': ({ params: { provider, model }, body }, context) =>
      change(deps, context, async (transaction) => {
        const present = await findItem(transaction, provider, model)
        const before = present === null ? null : modelView(present)
        context.checkMatch(before)
        if (present?.managedBy === 'config') {
          throw new GatewayError(
            'managed_by_config',
            `${provider}/${model} is set in switchyard.yaml; change it there.`,
          )
        }
        if ((await findProvider(transaction, provider)) === null) {
          throw new GatewayError('not_found', `There is no provider '${provider}'. Create it first (PUT /providers/…).`)
        }
        const entry = { provider, model, ...body }
        const builtin = readBuiltinRegistry()
        const facts = factsOf(entry, builtin)
        await putModel(transaction, facts, ownerAfter(facts, present), context.now)
        const prices = pricesOf(entry, builtin)
        if (prices !== null) {
          const source = `api:${context.actor.name}`
          await addPriceVersion(transaction, { provider, model, prices, source }, context.now)
        }
        if (present === null) context.created()
        const result = modelView(await existingModel(transaction, provider, model))
        const isSame = JSON.stringify(before) === JSON.stringify(result)
        const resource = `registry/${provider}/${model}`
        const audit = { action: 'registry.put', workspace: null, resource, before, after: result }
        return { result, audit: isSame ? null : audit }
      }),
    async 'registry.history'({ params: { provider, model }, query: { limit, cursor } }) {
      const position = decodeCursor(cursor, 1)
      const before = position === null ? null : Number(position[0])
      const versions = await listPriceVersions(deps.db, { provider, model, before, limit: limit + 1 })
      // Prices outlive the row: requests that were priced with them do, too.
      if (versions.length === 0 && before === null) await existingModel(deps.db, provider, model)
      const show = ({ id, createdAt, source, prices }: (typeof versions)[number]) => ({
        id,
        created_at: timestamp(createdAt),
        source,
        ...pricesView(prices),
      })
      return page(versions, limit, show, ({ id }) => [id])
    },
    'registry.import': importHandler(deps),
  }
}

async function existingModel(db: Kysely<Database>, provider: string, model: string): Promise<RegistryItem> {
  const item = await findItem(db, provider, model)
  if (item !== null) return item
  const row = await findProvider(db, provider)
  const vendor = row === null ? null : rowVendor(row)
  const isPricedAs = vendor !== null && (await findItem(db, vendor, model)) !== null
  const hint = isPricedAs ? ` It is priced as ${vendor}/${model}.` : ''
  throw new GatewayError('not_found', `The registry has no model '${model}' of provider '${provider}'.${hint}`)
}
