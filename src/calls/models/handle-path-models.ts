import { GatewayError } from '../../domain/errors.ts'
import { type Operation, operationOfMode } from '../../domain/request/call-request.ts'
import { contentsError } from '../../endpoints/generate-content/errors.ts'
import { anyKey } from '../../endpoints/generate-content/key.ts'
import type { PathModel } from '../../endpoints/generate-content/model-list.ts'
import type { Call, Reply } from '../../http/call.ts'
import { errorReply, jsonReply } from '../../http/respond.ts'
import { traitsOf } from '../chain/assess.ts'
import type { Deps } from '../deps.ts'
import { ModelPathCall } from '../model-path/model-path-call.ts'
import { forKey, type KnownModel, modelsFor } from './handle-models.ts'

/** The list for clients that have the model in the path. */
export function handlePathModelList(call: Call, deps: Deps): Promise<Reply> {
  const asked = new ModelPathCall(call, null)
  return forKey(asked, anyKey, deps, (key) => {
    const models = modelsFor(key, deps)
    const { pageSize, pageToken } = asked.query()
    const start = pageToken === undefined ? 0 : models.findIndex(({ id }) => id === pageToken) + 1
    const size = Number(pageSize) >= 1 ? Math.floor(Number(pageSize)) : models.length
    const page = models.slice(start, start + size)
    const next = start + size < models.length ? { nextPageToken: page.at(-1)?.id } : {}
    return jsonReply(200, { models: page.map((model) => described(model, deps)), ...next })
  })
}

export function handlePathModel(call: Call, deps: Deps): Promise<Reply> {
  return forKey(new ModelPathCall(call, null), anyKey, deps, (key) => {
    const id = call.params['*'] ?? ''
    const model = modelsFor(key, deps).find((candidate) => candidate.id === id)
    if (model !== undefined) return jsonReply(200, described(model, deps))
    const missing = new GatewayError('model_not_found', `The model '${id}' is not in your model list.`)
    return errorReply(missing, {}, contentsError, call.id)
  })
}

/** How clients of this format call models; those of other operations are not theirs. */
const METHODS: Partial<Record<Operation, string[]>> = {
  chat: ['generateContent', 'streamGenerateContent', 'countTokens'],
  embeddings: ['embedContent', 'batchEmbedContents'],
}

/** By the first entry, as far as anything is known of it. */
function described({ id, entry }: KnownModel, deps: Deps): PathModel {
  const snapshot = deps.snapshot()
  const { provider, model } = entry
  const { contextWindow, maxOutputTokens } = traitsOf(entry, snapshot, deps)
  const family = deps.families.get(snapshot.providers.get(provider)?.family ?? '')
  const registered = operationOfMode(snapshot.registry.get(provider)?.get(model)?.mode)
  return {
    name: `models/${id}`,
    displayName: id,
    description: `${model} of ${provider}`,
    ...(contextWindow === null ? {} : { inputTokenLimit: contextWindow }),
    ...(maxOutputTokens === null ? {} : { outputTokenLimit: maxOutputTokens }),
    supportedGenerationMethods: METHODS[registered ?? family?.operationOf(model) ?? 'chat'] ?? [],
  }
}
