import { type Operation, operationOfMode } from '../../domain/request/call-request.ts'
import type { ChainEntry } from '../../domain/route.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { named, type Worded, worded } from '../../domain/wording/worded.ts'
import type { Endpoint } from '../../endpoints/endpoint.ts'
import { ENDPOINTS } from '../../endpoints/endpoints.ts'
import type { Family, Translator } from '../../providers/family.ts'

/** Of a call, at every entry of its chain. */
interface Context {
  endpoint: Endpoint
  chain: readonly ChainEntry[]
  snapshot: Snapshot
  isInterchangeable: boolean
  isDirect: boolean
}

const BOTH: ReadonlySet<Operation | null> = new Set(['chat', 'images'])

/** Why a model cannot serve this endpoint, if that is known. */
export function mismatch(
  entry: ChainEntry,
  family: Family,
  translator: Translator | undefined,
  { snapshot, endpoint, chain, isInterchangeable, isDirect }: Context,
): Worded | null {
  const { provider, model } = entry
  if (translator === undefined) return worded`The provider '${named(provider)}' does not offer ${named(endpoint.name)}.`
  // By the contract's prefixes a chat with an embedding model goes to its provider, which refuses it in its own words.
  if (isDirect && endpoint.operation === 'chat') return null
  const mode = snapshot.registry.get(provider)?.get(model)?.mode
  const registered = operationOfMode(mode)
  const operation = registered ?? family.operationOf(model)
  // Most models that complete texts are listed for chat alone.
  const isChatModel = operation === 'chat' && endpoint.operation === 'completions'
  const isBoth = BOTH.has(operation) && BOTH.has(endpoint.operation) && family.drawsInChat?.(model) === true
  if (operation !== null && operation !== endpoint.operation && !isChatModel && !isBoth) {
    const path = ENDPOINTS.find((each) => each.operation === operation)?.path
    const source = registered === null ? '' : worded`, by its mode in the registry ('${named(mode ?? '')}')`
    return worded`${named(provider)}/${named(model)} is for ${named(operation)}${source}: send the request to POST ${named(path ?? '')}.`
  }
  const first = chain[0]?.model
  if (endpoint.fallsBackTo === 'any-model' || isInterchangeable || model === first) return null
  return worded`The ${named(endpoint.operation)} of ${named(model)} are not comparable with those of ${named(first ?? '')}.`
}
