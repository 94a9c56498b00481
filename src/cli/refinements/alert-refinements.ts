import type { AnyInput } from '../api-client.ts'
import { type Given, type Refinement, text } from '../command.ts'

/** `--url` is the gateway's own address in every command. */
const sendTo: Pick<Refinement, 'omit' | 'options' | 'refine'> = {
  omit: ['url'],
  options: { 'send-to': { type: 'string', placeholder: 'URL', help: 'Address of the webhook' } },
  refine(given: Given, input: AnyInput) {
    const { url, ...body } = input.body as Record<string, unknown>
    const address = text(given, 'send-to') ?? (text(given, 'url') === undefined ? url : undefined)
    return { ...input, body: { ...body, ...(address === undefined ? {} : { url: address }) } }
  },
}

const withThresholds: Pick<Refinement, 'options' | 'refine'> = {
  options: {
    thresholds: { type: 'string', placeholder: 'PERCENT,…', help: 'Percent of a budget, e.g. 60,80,100' },
  },
  refine(given: Given, input: AnyInput) {
    const levels = text(given, 'thresholds')
    if (levels === undefined) return input
    return { ...input, body: { ...(input.body as object), thresholds: levels.split(',').map(Number) } }
  },
}

export const alertRefinements: Readonly<Record<string, Refinement>> = {
  'alert-rules.list': {
    examples: ['switchyard alert-rules list'],
    columns: [
      ...['name', 'enabled', 'thresholds', 'percent', 'factor', 'calls', 'seconds', 'usd'],
      ...['rule', 'workspace', 'key', 'route', 'provider'],
    ],
  },
  'alert-rules.create': {
    ...withThresholds,
    examples: [
      'switchyard alert-rules create ci-spend --rule budget --thresholds 60,90 --workspace default --key ci',
      'switchyard alert-rules create fast-fails --rule error_rate --percent 2 --workspace default --route fast',
    ],
  },
  'alert-rules.update': {
    ...withThresholds,
    examples: ['switchyard alert-rules update budget --thresholds 60,80,100'],
  },
  'alert-rules.delete': { examples: ['switchyard alert-rules delete ci-spend'] },
  'alert-deliveries.list': {
    examples: ['switchyard alert-deliveries list --state failed'],
    columns: ['id', 'channel', 'state', 'attempts', 'created_at', 'finished_at', 'last_error'],
  },
  'alert-channels.list': {
    examples: ['switchyard alert-channels list'],
    columns: ['id', 'name', 'kind', 'enabled', 'min_severity', 'url', 'pending', 'failed', 'last_error'],
  },
  'alert-channels.create': {
    ...sendTo,
    examples: ['switchyard alert-channels create ops --kind webhook --send-to https://ops.example.com/alerts'],
  },
  'alert-channels.update': {
    ...sendTo,
    examples: ['switchyard alert-channels update CHANNEL_ID --min-severity warning'],
  },
}
