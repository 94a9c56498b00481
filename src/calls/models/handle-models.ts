import { GatewayError } from '../../domain/errors.ts'
import type { LiveKey } from '../../domain/key.ts'
import { mayUse } from '../../domain/key.ts'
import type { ChainEntry } from '../../domain/route.ts'
import { isStreaming, onOff } from '../../domain/snapshot.ts'
import { bearerOrApiKey } from '../../endpoints/bearer-or-api-key.ts'
import type { Endpoint } from '../../endpoints/endpoint.ts'
import type { Call, Reply } from '../../http/call.ts'
import { errorReply, jsonReply } from '../../http/respond.ts'
import { addRateHeaders } from '../../limits/headers.ts'
import { payerOf } from '../../limits/payer.ts'
import { authenticate } from '../authenticate.ts'
import type { Deps } from '../deps.ts'

/** An entry of the model list (docs/contract.md). */
interface ListedModel {
  id: string
  object: 'model'
  created: number
  owned_by: string
}

/** A model that a key may use, and where calls of it go first. */
export interface KnownModel {
  id: string
  created: number
  owner: string
  entry: Pick<ChainEntry, 'provider' | 'model'>
}

export function handleModelList(call: Call, deps: Deps): Promise<Reply> {
  return forKey(call, bearerOrApiKey, deps, (key) =>
    jsonReply(200, listFor(call, modelsFor(key, deps).map(listed), deps)),
  )
}

export function handleModel(call: Call, deps: Deps): Promise<Reply> {
  return forKey(call, bearerOrApiKey, deps, (key) => {
    const id = call.params['*'] ?? ''
    const found = modelsFor(key, deps).find((candidate) => candidate.id === id)
    const model = found === undefined ? undefined : listed(found)
    if (model !== undefined) return jsonReply(200, isSecondDialect(call, deps) ? inBothDialects(model) : model)
    return errorReply(new GatewayError('model_not_found', `The model '${id}' is not in your model list.`))
  })
}

function listed({ id, created, owner }: KnownModel): ListedModel {
  return { id, object: 'model', created, owned_by: owner }
}

/**
 * Readers of the Messages format name its version in a header and find their own fields beside the contract's. For all
 * others the list is exactly the contract's.
 */
function isSecondDialect(call: Call, { families }: Pick<Deps, 'families'>): boolean {
  return [...families.values()].some(
    ({ versionHeader }) => versionHeader !== undefined && call.header(versionHeader) !== undefined,
  )
}

function listFor(call: Call, models: ListedModel[], deps: Deps): object {
  if (!isSecondDialect(call, deps)) return { object: 'list', data: models }
  const [first, last] = [models[0]?.id ?? null, models.at(-1)?.id ?? null]
  return { object: 'list', data: models.map(inBothDialects), has_more: false, first_id: first, last_id: last }
}

function inBothDialects(model: ListedModel): object {
  const created_at = new Date(model.created * 1000).toISOString()
  return { ...model, type: 'model', display_name: model.id, created_at }
}

/** Reading the list is free; it carries the key's rate limits, and whether its calls may stream: the body is the contract's. */
export async function forKey(
  call: Call,
  keyOf: Endpoint['keyOf'],
  deps: Deps,
  answer: (key: LiveKey) => Reply,
): Promise<Reply> {
  const snapshot = deps.snapshot()
  const key = await authenticate(call, { keyOf }, snapshot, deps)
  const reply = answer(key)
  const streaming = onOff(isStreaming(snapshot.workspaces.get(key.workspace), deps.streams.settings.isOnByDefault))
  const headers: Record<string, string> = { ...reply.headers, 'x-gateway-streaming': streaming }
  addRateHeaders(headers, payerOf(key, snapshot), deps.ledger)
  return { ...reply, headers }
}

const NO_ENTRY = { provider: '', model: '' }

/**
 * Aliases by name, then direct ids by provider and id. An alias hides a direct id of the same name. Models that the key
 * may not use are left out, and direct ids where the workspace serves routes only.
 */
export function modelsFor(key: LiveKey, deps: Deps): KnownModel[] {
  const { routes = new Map(), hasDirectModels = true } = deps.snapshot().workspaces.get(key.workspace) ?? {}
  const aliases: KnownModel[] = [...routes.values()]
    .sort((a, b) => (a.alias < b.alias ? -1 : 1))
    .map(({ alias, createdAt, chain: [{ provider, model } = NO_ENTRY] }) => ({
      id: alias,
      created: Math.floor(createdAt / 1000),
      owner: `route:${provider}`,
      entry: { provider, model },
    }))
  const direct: KnownModel[] = (hasDirectModels ? deps.catalog.models() : [])
    .filter((model) => !routes.has(model.directId))
    .map(({ directId, created, provider, id: model }) => ({
      id: directId,
      created,
      owner: provider,
      entry: { provider, model },
    }))
  return [...aliases, ...direct].filter((model) => mayUse(key, model.id))
}
