import type { Random } from '../../simulator/random.ts'

/** A call as a client will send it. Its model names it: no other call of the whole run asks for the same. */
export interface PlannedCall {
  token: string
  model: string
  expectedStatus: number
  /** More upstream calls than this it cannot cause. */
  mostUpstreamCalls: number
}

/** One round's calls and the routes they need. */
export interface RoundPlan {
  /** Text of switchyard.yaml. */
  config: string
  next(): PlannedCall
}

/** Routes of a round, each good for one call: a route's name is all that the row of an unanswered call tells. */
const ROUTES_PER_ROUND = 100

/** What stands before `sim-` in a model id is free, so every call can have a model of its own. */
const KINDS: readonly ((token: string) => Omit<PlannedCall, 'token'>)[] = [
  (token) => ({ model: `gpt-${token}-sim-echo`, expectedStatus: 200, mostUpstreamCalls: 1 }),
  (token) => ({ model: `claude-${token}-sim-echo`, expectedStatus: 200, mostUpstreamCalls: 1 }),
  (token) => ({ model: `gpt-${token}-sim-slow-25`, expectedStatus: 200, mostUpstreamCalls: 1 }),
  (token) => ({ model: `claude-${token}-sim-slow-90`, expectedStatus: 200, mostUpstreamCalls: 1 }),
  (token) => ({ model: `gpt-${token}-sim-400`, expectedStatus: 400, mostUpstreamCalls: 1 }),
  (token) => ({ model: `nobody-${token}`, expectedStatus: 404, mostUpstreamCalls: 0 }),
  (token) => ({ model: `route-${token}`, expectedStatus: 200, mostUpstreamCalls: 2 }),
  (token) => ({ model: `route-${token}`, expectedStatus: 200, mostUpstreamCalls: 2 }),
]

export function planRound(round: number, random: Random): RoundPlan {
  const tokenOf = (kind: string, number: number) => `r${String(round).padStart(4, '0')}-${kind}${number}`
  const routes = Array.from({ length: ROUTES_PER_ROUND }, (_, number) => routeText(tokenOf('f', number)))
  let planned = 0
  let routed = 0
  return {
    config: `workspaces:\n  default:\n    routes:\n${routes.join('')}`,
    next() {
      const wanted = Math.floor(random() * KINDS.length)
      const direct = wanted < 6 || routed >= ROUTES_PER_ROUND
      const token = direct ? tokenOf('d', planned++) : tokenOf('f', routed++)
      const kind = KINDS[direct ? wanted % 6 : wanted]
      if (kind === undefined) throw new RangeError('no such kind of call')
      return { token, ...kind(token) }
    },
  }
}

/** The first entry always fails and is asked once, so that a call makes exactly two upstream calls. */
function routeText(token: string): string {
  return `      route-${token}:
        chain:
          - { provider: openai, model: gpt-${token}-sim-503, retries: 0 }
          - { provider: anthropic, model: claude-${token}-sim-slow-15, retries: 0 }
`
}

/** Whose call an upstream model belongs to; null for a model that no plan made. */
export function tokenOfModel(model: string): string | null {
  return /^(?:gpt|claude|nobody|route)-(r\d+-[df]\d+)(?:-sim-|$)/.exec(model)?.[1] ?? null
}
