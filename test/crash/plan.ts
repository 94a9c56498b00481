import type { Random } from '../../simulator/random.ts'
import { FORMATS, type Format } from './formats.ts'
import { priceText } from './prices.ts'

/**
 * `tight` has a hard budget that its calls reach. `whole` has one too, and only makes calls whose answers come whole or not
 * at all: what it has spent is its bill to the digit, unless what is unconfirmed were forgotten.
 */
export type KeyName = 'free' | 'tight' | 'whole'

/** A call as a client will send it. Its model names it: no other call of the whole run asks for the same. */
export interface PlannedCall {
  token: string
  model: string
  format: Format
  key: KeyName
  /** How its stream ends unless the gateway is killed; null: it is not streamed. */
  ended: 'finished' | 'failed_mid_stream' | 'caller_left' | null
  /** The models it can reach have a price. */
  isPriced: boolean
  /** Two entries are asked at once. */
  isHedged: boolean
  expectedStatuses: readonly number[]
  /** More upstream calls than this it cannot cause. */
  mostUpstreamCalls: number
}

/** One round's calls and the routes they need. */
export interface RoundPlan {
  /** Text of switchyard.yaml. */
  config: string
  next(): PlannedCall
}

export const KEY_VALUES: Record<KeyName, string> = {
  free: 'gw_live_crash000000000000000000000000000',
  tight: 'gw_live_tight000000000000000000000000000',
  whole: 'gw_live_whole000000000000000000000000000',
}
/** What the hard budget grows by from round to round: little more than one call holds, and two run at once. */
const TIGHT_CENTS_PER_ROUND = 0.08
/** Routes of a round, each for one call: a route's name is all that the row of an unanswered call has. */
const ROUTES_PER_ROUND = 200

type Kind = Omit<PlannedCall, 'token' | 'format' | 'key' | 'isPriced' | 'isHedged'>

/** The part before `sim-` in a model id is free, so every call can have its own model. They have no price. */
const DIRECT: readonly ((token: string) => Kind)[] = [
  (token) => answered(`gpt-${token}-sim-echo`, null),
  (token) => answered(`gpt-${token}-sim-slow-25`, null),
  (token) => answered(`claude-${token}-sim-slow-90`, null),
  (token) => ({ ...answered(`gpt-${token}-sim-400`, null), expectedStatuses: [400] }),
  (token) => ({ ...answered(`nobody-${token}`, null), expectedStatuses: [404], mostUpstreamCalls: 0 }),
  (token) => ({ ...answered(`claude-${token}-sim-400`, 'finished'), expectedStatuses: [400] }),
  (token) => answered(`claude-${token}-sim-echo`, 'finished'),
  (token) => answered(`gpt-${token}-sim-events-20-10`, 'finished'),
  (token) => answered(`claude-${token}-sim-after-error`, 'failed_mid_stream'),
  (token) => answered(`gpt-${token}-sim-after-cut`, 'failed_mid_stream'),
]

function answered(model: string, ended: Kind['ended']): Kind {
  return { model, ended, expectedStatuses: [200], mostUpstreamCalls: 1 }
}

/**
 * What serves a routed call. All have a price: an interrupted call without a known bound costs nothing. Streams last up
 * to a second, some whole answers take as long, and one hedge lasts two, to be killed in the middle.
 */
const ROUTED: readonly { served: string; falls?: boolean; late?: string; ended: PlannedCall['ended'] }[] = [
  { served: 'openai, model: gpt-crash-sim-events-60-15', ended: 'finished' },
  {
    served: 'anthropic, model: claude-crash-sim-slow-2000',
    late: 'openai, model: gpt-crash-sim-slow-2500',
    ended: null,
  },
  { served: 'anthropic, model: claude-crash-sim-slow-15', falls: true, ended: null },
  { served: 'anthropic, model: claude-crash-sim-events-30-10', ended: 'finished' },
  {
    served: 'openai, model: gpt-crash-sim-events-25-10',
    late: 'anthropic, model: claude-crash-sim-slow-70',
    ended: 'finished',
  },
  { served: 'openai, model: gpt-crash-sim-slow-30', ended: null },
  { served: 'anthropic, model: claude-crash-sim-slow-700', ended: null },
  { served: 'anthropic, model: claude-crash-sim-events-15-10', falls: true, ended: 'finished' },
  { served: 'openai, model: gpt-crash-sim-slow-60', late: 'anthropic, model: claude-crash-sim-slow-80', ended: null },
  { served: 'openai, model: gpt-crash-sim-events-3-0', ended: 'finished' },
  { served: 'anthropic, model: claude-crash-sim-events-40-20', ended: 'caller_left' },
  { served: 'native, model: gpt-crash-sim-events-25-20', ended: 'finished' },
  { served: 'openai, model: gpt-crash-sim-slow-400', ended: null },
]
/** The late one is asked first; both run for most of the call, and either may answer first. */
const HEDGE_AFTER_MS = 5
/** Its server speaks Responses itself; elsewhere they are translated. */
const NATIVE =
  'providers: { native: { family: openai, base_url: "${OPENAI_BASE_URL}", api_key: sk-crash, speaks: [responses] } }'
const FAILS = 'openai, model: gpt-crash-sim-503'
/** No common divisor with the number of kinds: the tight key makes calls of every kind, in every format. */
const TIGHT_EVERY = 3
const FORMATS_IN_TURN: readonly Format[] = [...FORMATS, 'chat', 'responses']

export function planRound(round: number, random: Random): RoundPlan {
  const tokenOf = (kind: string, number: number) => `r${String(round).padStart(4, '0')}-${kind}${number}`
  const routes = Array.from({ length: ROUTES_PER_ROUND }, (_, number) => routeText(number, tokenOf('f', number)))
  const budget = `{ usd: "${((round * TIGHT_CENTS_PER_ROUND) / 100).toFixed(6)}", per: total }`
  let planned = 0
  let routed = 0

  function nextDirect(): PlannedCall {
    const token = tokenOf('d', planned++)
    const format = pick(FORMATS, Math.floor(random() * FORMATS.length))
    const kind = pick(DIRECT, Math.floor(random() * DIRECT.length))(token)
    return { token, format, key: 'free', isPriced: false, isHedged: false, ...kind }
  }

  function nextRouted(): PlannedCall {
    const number = routed++
    const token = tokenOf('f', number)
    const { ended, falls = false, late } = pick(ROUTED, number)
    const isWhole = ended === null && late === undefined
    const key = number % TIGHT_EVERY === 0 ? 'tight' : isWhole ? 'whole' : 'free'
    const expectedStatuses = key === 'tight' ? [200, 402] : [200]
    const format = pick(FORMATS_IN_TURN, number)
    const common = { token, format, model: `route-${token}`, key, ended, isPriced: true, expectedStatuses } as const
    const isHedged = late !== undefined
    return { ...common, isHedged, mostUpstreamCalls: falls || isHedged ? 2 : 1 }
  }

  return {
    config: `${NATIVE}
workspaces:
  default:
    keys:
      tight: { value: ${KEY_VALUES.tight}, limits: { budget: ${budget} } }
      whole: { value: ${KEY_VALUES.whole}, limits: { budget: { usd: "10", per: total } } }
    routes:
${routes.join('')}registry:
${[...new Set([FAILS, ...ROUTED.flatMap(({ served, late = served }) => [served, late])])].map(priceText).join('')}`,
    next: () => (random() < 0.5 && routed < ROUTES_PER_ROUND ? nextRouted() : nextDirect()),
  }
}

function pick<T>(from: readonly T[], number: number): T {
  const picked = from[number % from.length]
  if (picked === undefined) throw new RangeError('no such kind of call')
  return picked
}

/** Every entry is asked once at most, so that a call makes no more upstream calls than it has entries. */
function routeText(number: number, token: string): string {
  const { served, falls = false, late } = pick(ROUTED, number)
  const hedged = late === undefined ? [] : [`${late}, hedge_after_ms: ${HEDGE_AFTER_MS}`]
  const chain = [...(falls ? [FAILS] : hedged), served]
  return `      route-${token}: { chain: [${chain.map((entry) => `{ provider: ${entry}, retries: 0 }`).join(', ')}] }\n`
}

/** Whose call an upstream model belongs to; null for a model that several calls share. */
export function tokenOfModel(model: string): string | null {
  return /^(?:gpt|claude|nobody|route)-(r\d+-[df]\d+)(?:-sim-|$)/.exec(model)?.[1] ?? null
}
