import type { Reply } from '../../api/client.ts'
import { exactUsd } from '../../format/money.ts'
import { milliseconds } from '../../format/number.ts'

export type Trial = Reply<'providers.try'>

/** What a route to it may begin with, best first. */
export function modelsOf({ suggested, call }: Trial): readonly string[] {
  return suggested.length > 0 || call === null ? suggested : [call.model]
}

/** The outcome with what the test call took and cost, for where it is read once. */
export function trialText({ message, call }: Trial): string {
  if (call === null) return message
  const cost = call.cost_usd === null ? 'price unknown' : exactUsd(call.cost_usd)
  return `${message} ${milliseconds(call.latency_ms)}, ${cost}.`
}
