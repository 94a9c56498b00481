import { costOf } from '../../domain/pricing/price.ts'
import { type KnownModel, type Provider, type ProviderTrial, UNKNOWN_TRAITS } from '../../domain/provider.ts'
import type { Answer } from '../../domain/request/answer.ts'
import { NO_BOUNDS } from '../../domain/request/output-limit.ts'
import { chatCompletions } from '../../endpoints/chat-completions/chat-completions.ts'
import { type AuthorizeDeps, authorize } from '../../providers/authorize.ts'
import type { Family } from '../../providers/family.ts'
import { readReply } from '../../providers/read-reply.ts'
import { translatorFor } from '../../providers/translator-for.ts'
import { stoppageWords } from '../../upstream/stoppage-words.ts'
import { bodyOf } from '../../upstream/whole-response.ts'
import { testProvider } from './test-provider.ts'

/** Longer than the test of the list: a large local model is loaded first. */
const TIMEOUT_MS = 30_000
const PROMPT = 'Reply with OK.'

/** Which model to call, and what the registry knows of the vendor's. */
export interface TrialPlan {
  /** Null: the cheapest one that the provider lists and whose price is known. */
  model: string | null
  known: ReadonlyMap<string, KnownModel>
}

/** Reads the model list, then makes one short call. */
export async function tryProvider(
  provider: Provider,
  family: Family,
  { model, known }: TrialPlan,
  deps: AuthorizeDeps,
): Promise<ProviderTrial> {
  const { listed, ...test } = await testProvider(provider, family, deps)
  const suggested = suggestedModels(listed, known)
  const chosen = model ?? suggested[0] ?? listed.find((id) => (family.operationOf(id) ?? 'chat') === 'chat')
  // Not every server lists its models; a named model is called anyway.
  if (chosen === undefined || (!test.ok && model === null)) return { ...test, listed, call: null, suggested }
  const began = performance.now()
  const answer = await ask(provider, family, chosen, known.get(chosen), deps)
  const latencyMs = Math.round(performance.now() - began)
  if (typeof answer === 'string') {
    return { ...test, listed, ok: false, call: null, suggested, message: `${chosen} did not answer. ${answer}` }
  }
  const price = known.get(chosen)?.price
  const cost = price === undefined || answer.usage === null ? null : costOf(answer.usage, price)
  const list = test.ok ? `${test.models} models are listed` : 'its model list cannot be read'
  const message = `${chosen} answered; ${list}.`
  return { ...test, listed, ok: true, message, call: { model: chosen, latencyMs, cost }, suggested }
}

function suggestedModels(listed: readonly string[], known: TrialPlan['known']): string[] {
  const priced = listed.flatMap((id) => {
    const output = known.get(id)?.price.base?.output
    return output === undefined ? [] : [{ id, output }]
  })
  return priced.sort((a, b) => Number(a.output - b.output)).map(({ id }) => id)
}

/** The answer, or why there is none. */
async function ask(
  provider: Provider,
  family: Family,
  model: string,
  known: KnownModel | undefined,
  deps: AuthorizeDeps,
): Promise<Answer | string> {
  const translator = translatorFor(family, chatCompletions, provider, model)
  if (translator === undefined) return 'This provider has no chat models.'
  const request = chatCompletions.read({ model, messages: [{ role: 'user', content: PROMPT }] }, false)
  const { baseUrl, speaks, preset, settings } = provider
  const wire = translator.toWire(request, {
    model,
    baseUrl,
    traits: known?.traits ?? UNKNOWN_TRAITS,
    bounds: NO_BOUNDS,
    ...(speaks === undefined ? {} : { speaks }),
    ...(preset === undefined ? {} : { preset }),
    ...(settings === undefined ? {} : { settings }),
  })
  if (wire.kind !== 'wire') return wire.message.kept
  const body = Buffer.from(JSON.stringify(wire.body))
  const target = translator.target(provider, model)
  const place = await authorize({ ...target, method: 'POST', body }, provider, family, deps)
  const raw =
    'kind' in place
      ? place
      : await deps.upstream.exchange(place, { method: 'POST', body, timeoutMs: TIMEOUT_MS, presence: null })
  if (raw.kind === 'caller-left') return 'The call was cancelled.'
  if (raw.kind !== 'reply') return stoppageWords(raw, target.url, TIMEOUT_MS)
  const header = (name: string) => raw.headers.get(name)
  const read = readReply(raw.status, bodyOf(raw), { provider, family, translator, request, model, header })
  if (read.kind === 'answer') return read.answer
  return read.kind === 'failure' ? `It says: ${read.failure.message}` : 'It sent an answer that cannot be read.'
}
