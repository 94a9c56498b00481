import { CACHE_WRITE_CLASSES } from '../../domain/pricing/classes.ts'
import { promptTokens } from '../../domain/pricing/usage.ts'
import { type Turn, whyMissed } from '../../domain/prompt-cache/missed.ts'
import type { PromptSegments } from '../../domain/prompt-cache/segments.ts'
import type { CloseRecord } from '../../request-log/record.ts'
import { callerOf } from '../attribution/caller-of.ts'
import type { Deps } from '../deps.ts'
import type { Admitted, Aspect, Given, Received, Resolved } from '../stages.ts'

/** Calls that belong to a session, and whose format says what becomes the prompt. Others pay nothing for this. */
export function watchesCache({ attribution, endpoint }: Pick<Received, 'attribution' | 'endpoint'>): boolean {
  return attribution.session !== null && endpoint.promptSource !== undefined
}

/** Says why a call read little of what its agent's call before had left in the provider's prompt cache. */
export class CacheWatch implements Aspect {
  readonly #deps: Pick<Deps, 'promptTurns' | 'now'>
  #call: Resolved | null = null
  #segments: () => PromptSegments | null = () => null

  constructor(deps: Pick<Deps, 'promptTurns' | 'now'>) {
    this.#deps = deps
  }

  enter(call: Resolved): Promise<Given | null> {
    this.#call = call
    this.#segments = call.body.segmentsLater(`${this.#deps.promptTurns.salt} ${call.key.workspace}`)
    return NOT_GIVEN
  }

  addToRow(record: CloseRecord): void {
    const call = this.#call
    const now = call === null ? null : this.#turnOf(record, call)
    if (call === null || now === null) return
    const { promptTurns } = this.#deps
    const [caller, name] = [callerOf(call.key), nameOf(record)]
    const before = promptTurns.stateOf(caller, name)
    promptTurns.keep(caller, name, now, now.at)
    if (before !== null) record.cacheMiss = whyMissed(before, now, cachesOnlyMarked(call, now))
  }

  /** Null: what came from a cache was not counted, or the model has none. */
  #turnOf({ usage, usageSource, provider, model }: CloseRecord, { snapshot }: Resolved): Turn | null {
    if (usage === null || usageSource !== 'provider' || provider === null || model === null) return null
    const price = snapshot.registry.get(provider)?.get(model)?.price.base
    if (price == null || price.cachedInput >= price.input) return null
    const segments = this.#segments()
    if (segments === null) return null
    const written = CACHE_WRITE_CLASSES.reduce((sum, { name }) => sum + usage[name], 0)
    const tokens = { prompt: promptTokens(usage), cached: usage.cachedInput, written }
    return { at: this.#deps.now(), provider, model, segments, tokens }
  }
}

const NOT_GIVEN: Promise<null> = Promise.resolve(null)

/** Agents of a session have prompts of their own, and so have its titles and summaries. */
function nameOf({ session, agent, kind, endpoint, requestedModel }: CloseRecord): string {
  return JSON.stringify([session, agent, kind, endpoint, requestedModel])
}

function cachesOnlyMarked(call: Resolved & Partial<Pick<Admitted, 'fitnesses'>>, { provider, model }: Turn): boolean {
  return (call.fitnesses ?? []).some(
    (each) =>
      each.kind === 'usable' &&
      each.candidate.entry.provider === provider &&
      each.candidate.entry.model === model &&
      each.candidate.translator.markPrompt !== undefined,
  )
}
