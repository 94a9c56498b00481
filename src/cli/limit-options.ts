import type { AnyInput } from './api-client.ts'
import { CliError } from './cli-error.ts'
import { type Given, type OptionSpec, text } from './command.ts'

/** Limits as options; what they set together is the body's `limits`. */
export const LIMIT_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  rpm: { type: 'string', placeholder: 'N', help: 'Requests a minute; null: no such limit' },
  tpm: { type: 'string', placeholder: 'N', help: 'Tokens a minute; null: no such limit' },
  'max-parallel': { type: 'string', placeholder: 'N', help: 'Calls at the same time; null: no such limit' },
  budget: {
    type: 'string',
    placeholder: 'USD/PERIOD[:soft]',
    help: 'E.g. 50/month; periods are day, week, month, total; soft only warns; null: no budget',
  },
}

type SomeLimits = Record<string, unknown>

/** What the options say; null takes a limit away. */
function givenLimits(given: Given): SomeLimits {
  const limits: SomeLimits = {}
  for (const option of ['rpm', 'tpm', 'max-parallel']) {
    const value = text(given, option)
    if (value !== undefined) limits[option.replace('-', '_')] = value === 'null' ? null : countOf(value, option)
  }
  const budget = text(given, 'budget')
  if (budget !== undefined) limits['budget'] = budget === 'null' ? null : budgetOf(budget)
  return limits
}

function countOf(value: string, option: string): number {
  if (/^[1-9]\d{0,15}$/.test(value)) return Number(value)
  throw new CliError(`--${option}: a whole number from 1 up, or null for no such limit; not '${value}'`, 2)
}

function budgetOf(value: string): { usd: string; per: string; mode: string } {
  const found = /^(\d{1,9}(?:\.\d{1,12})?)\/(day|week|month|total)(?::(hard|soft))?$/.exec(value)
  if (found === null) {
    const form = 'USD and a period of day, week, month, total, for example 50/month or 2.50/day:soft'
    throw new CliError(`--budget: ${form}; not '${value}'`, 2)
  }
  const [, usd = '', per = '', mode = 'hard'] = found
  return { usd, per, mode }
}

/**
 * The body with the limits of the options over those of its file, or else over those that there are: the API replaces
 * limits as a whole, and `--rpm` must not take a budget away.
 */
export async function withLimits(
  given: Given,
  input: AnyInput,
  present: () => Promise<object | null>,
): Promise<AnyInput> {
  const changes = givenLimits(given)
  if (Object.keys(changes).length === 0) return input
  const body = input.body as { limits?: object | null }
  const before = body.limits === undefined ? await present() : body.limits
  const limits = Object.entries({ ...before, ...changes }).filter(([, value]) => value !== null)
  return { ...input, body: { ...body, limits: limits.length === 0 ? null : Object.fromEntries(limits) } }
}

/** Of something that is made now. */
export const withNewLimits = (given: Given, input: AnyInput) => withLimits(given, input, async () => null)

export const withKeyLimits = (given: Given, input: AnyInput) =>
  withLimits(given, input, async () => {
    const [id = ''] = given.positionals
    return (await given.client.call('keys.get', { params: { id } })).limits
  })

export const withWorkspaceLimits = (given: Given, input: AnyInput) =>
  withLimits(given, input, async () => {
    const [name = ''] = given.positionals
    return (await given.client.call('workspaces.get', { params: { name } })).limits
  })
