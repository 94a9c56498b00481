import { GatewayError } from '../../domain/errors.ts'
import type { LiveKey } from '../../domain/key.ts'
import { mayUse } from '../../domain/key.ts'
import { isStreaming, onOff } from '../../domain/snapshot.ts'
import { bearerOrApiKey } from '../../endpoints/bearer-or-api-key.ts'
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

export function handleModelList(call: Call, deps: Deps): Promise<Reply> {
  return limited(call, deps, (key) => jsonReply(200, listFor(call, modelsFor(key, deps), deps)))
}

export function handleModel(call: Call, deps: Deps): Promise<Reply> {
  return limited(call, deps, (key) => {
    const id = call.params['*'] ?? ''
    const model = modelsFor(key, deps).find((candidate) => candidate.id === id)
    if (model !== undefined) return jsonReply(200, isSecondDialect(call, deps) ? inBothDialects(model) : model)
    return errorReply(new GatewayError('model_not_found', `The model '${id}' is not in your model list.`))
  })
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
async function limited(call: Call, deps: Deps, answer: (key: LiveKey) => Reply): Promise<Reply> {
  const snapshot = deps.snapshot()
  const key = await authenticate(call, { keyOf: bearerOrApiKey }, snapshot, deps)
  const reply = answer(key)
  const streaming = onOff(isStreaming(snapshot.workspaces.get(key.workspace), deps.streams.settings.isOnByDefault))
  const headers: Record<string, string> = { ...reply.headers, 'x-gateway-streaming': streaming }
  addRateHeaders(headers, payerOf(key, snapshot), deps.ledger)
  return { ...reply, headers }
}

/**
 * Aliases by name, then direct ids by provider and id. An alias hides a direct id of the same name. Models that the key
 * may not use are left out, and direct ids where the workspace serves routes only.
 */
function modelsFor(key: LiveKey, deps: Deps): ListedModel[] {
  const { routes = new Map(), hasDirectModels = true } = deps.snapshot().workspaces.get(key.workspace) ?? {}
  const aliases: ListedModel[] = [...routes.values()]
    .sort((a, b) => (a.alias < b.alias ? -1 : 1))
    .map((route) => ({
      id: route.alias,
      object: 'model',
      created: Math.floor(route.createdAt / 1000),
      owned_by: `route:${route.chain[0]?.provider ?? ''}`,
    }))
  const direct: ListedModel[] = (hasDirectModels ? deps.catalog.models() : [])
    .filter((model) => !routes.has(model.directId))
    .map((model) => ({ id: model.directId, object: 'model', created: model.created, owned_by: model.provider }))
  return [...aliases, ...direct].filter((model) => mayUse(key, model.id))
}
