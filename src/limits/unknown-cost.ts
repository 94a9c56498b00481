import { GatewayError } from '../domain/errors.ts'
import { named, worded } from '../domain/wording/worded.ts'
import type { ChainHold } from './chain-hold.ts'
import type { Scope } from './ledger.ts'

/** Under a hard budget a call of unbounded cost is refused. Says what is unknown and how to set it. */
export function unknownCost(scope: Scope, { terms }: ChainHold, scopeName: string): GatewayError {
  const first = terms.find((each) => each.terms.prices === null || each.terms.outputTokens === null)
  if (first === undefined) throw new Error('the cost of every entry is known')
  const { provider, model } = first.entry
  const place = `${provider}/${model}`
  const { code, unknown, what, options, wayOut = '' } = problemOf(first.terms)
  const set = `switchyard registry put ${place} ${options}, PUT /registry/${place}, or under "registry" in switchyard.yaml.`
  return new GatewayError(
    code,
    worded`${named(what)} ${named(place)} is unknown, and the hard budget of ${named(scopeName)} needs it. ${named(wayOut)}Set it: ${named(set)}`,
    { details: { scope: scope.kind, scope_id: scope.id, provider, model, unknown } },
  )
}

interface Problem {
  code: 'price_unknown' | 'length_unknown'
  unknown: string
  what: string
  options: string
  wayOut?: string
}

function problemOf({ promptTokens, prices }: ChainHold['terms'][number]['terms']): Problem {
  if (promptTokens === null) {
    return {
      code: 'length_unknown',
      unknown: 'context_window',
      what: 'This request contains a file, an address or a part of an unknown type, which may fill the context window; the context window of',
      options: '--context-window …',
    }
  }
  if (prices === null) {
    return {
      code: 'price_unknown',
      unknown: 'price',
      what: 'The price of',
      options: '--input-per-mtok … --output-per-mtok …',
    }
  }
  return {
    code: 'length_unknown',
    unknown: 'max_output_tokens',
    what: 'The maximum output length of',
    options: '--max-output-tokens …',
    wayOut: 'Send max_tokens, or set max_output_tokens on the route entry, the key or the workspace. ',
  }
}
