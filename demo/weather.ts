import type { Random } from '../simulator/random.ts'
import { type Failure, failure } from '../src/domain/failure.ts'
import type { ChainEntry } from '../src/domain/route.ts'
import { worded } from '../src/domain/wording/worded.ts'
import { moment } from './control-past.ts'
import { lognormal, weighted } from './draw.ts'

/** A failed upstream call and its duration. */
export interface Trouble {
  failure: Failure
  durationMs: number
}

/** What goes wrong at the providers, and when. */
export type Weather = (entry: ChainEntry, at: number, random: Random) => Trouble | null

interface Spell {
  from: number
  to: number
  /** What it affects: a provider, or one of its models. */
  provider: string
  model?: string
  /** The share of calls that it affects. */
  share: number
  kind: Kind
}

type Kind = keyof typeof KINDS

const said = (code: string, param: string | null = null) => ({ said: { codes: [code], param } })

/** Each with the provider's status; the wait is the one that the provider requests. */
const KINDS = {
  overloaded: () => ({ ...failure('provider_overloaded', '', 529, said('overloaded_error')), durationMs: 250 }),
  unavailable: () => ({ ...failure('provider_overloaded', '', 503, said('service_unavailable')), durationMs: 180 }),
  limited: (random: Random) => ({
    ...failure('rate_limited', '', 429, said('rate_limit_exceeded')),
    retryAfterMs: 1_000 * Math.ceil(random() * 20),
    durationMs: 120,
  }),
  broken: () => ({ ...failure('upstream_error', '', 500, said('server_error')), durationMs: 900 }),
  slow: (_random: Random, entry: ChainEntry) => ({
    ...failure('upstream_timeout', worded`The provider did not answer in time.`, null),
    durationMs: Math.min(entry.timeoutMs, 60_000),
  }),
  invalid: () => ({
    ...failure('invalid_request', '', 400, said('invalid_value', 'messages[1].content')),
    durationMs: 90,
  }),
  filtered: () => ({ ...failure('content_filtered', '', 400, said('content_filter')), durationMs: 320 }),
  tooLong: () => ({
    ...failure('context_length_exceeded', '', 400, said('context_length_exceeded', 'messages')),
    durationMs: 110,
  }),
}

/** On a normal day, per ten thousand calls. */
const FAIR: readonly (readonly [Kind | null, number])[] = [
  ['overloaded', 90],
  ['limited', 330],
  ['broken', 50],
  ['slow', 40],
  ['invalid', 30],
  ['filtered', 8],
  ['tooLong', 6],
  [null, 9_446],
]

/** Five days ago one provider had an outage of two hours; on other days single models had a bad hour. */
export function weatherOf(now: number): Weather {
  const spell = (daysAgo: number, hour: number, hours: number, rest: Omit<Spell, 'from' | 'to'>): Spell => {
    const from = moment(now, daysAgo, hour)
    return { from, to: from + hours * 3_600_000, ...rest }
  }
  const spells = [
    spell(5, 13.2, 2, { provider: 'anthropic', share: 0.94, kind: 'overloaded' }),
    spell(17, 15, 1.5, { provider: 'openai', model: 'gpt-5.4-mini', share: 0.6, kind: 'limited' }),
    spell(11, 10, 1, { provider: 'openai', model: 'gpt-5.4-mini', share: 0.3, kind: 'slow' }),
    spell(2, 14, 1, { provider: 'openai', model: 'gpt-5.4-mini', share: 0.5, kind: 'limited' }),
    spell(23, 2, 2, { provider: 'openai', model: 'gpt-6-luna', share: 0.4, kind: 'unavailable' }),
  ]
  return (entry, at, random) => {
    const kind = entry.model === 'gpt-sim-503' ? 'unavailable' : kindAt(spells, entry, at, random)
    if (kind === null) return null
    const { durationMs, ...failed } = KINDS[kind](random, entry)
    const took = kind === 'slow' ? durationMs : lognormal(random, durationMs, 0.4)
    return { failure: failed, durationMs: Math.round(took) }
  }
}

/** How many times as long as usual an answer takes. */
export type Slowness = (entry: ChainEntry, at: number) => number

/** Three days ago one model was slow for a morning. */
export function slownessOf(now: number): Slowness {
  const [from, to] = [moment(now, 3, 8.5), moment(now, 3, 12.5)]
  return ({ model }, at) => (model === 'gpt-5.4-mini' && at >= from && at < to ? 2.6 : 1)
}

function kindAt(spells: readonly Spell[], entry: ChainEntry, at: number, random: Random): Kind | null {
  for (const { from, to, provider, model, share, kind } of spells) {
    if (at < from || at >= to || provider !== entry.provider) continue
    if ((model ?? entry.model) === entry.model && random() < share) return kind
  }
  // A self-hosted server has no quota and no policy.
  return entry.provider === 'local' && random() < 0.8 ? null : weighted(random, FAIR)
}
