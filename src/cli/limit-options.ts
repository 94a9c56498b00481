import { UNCONFIRMED_POLICIES, type UnconfirmedPolicy } from '../domain/pricing/unconfirmed.ts'
import type { AnyInput } from './api-client.ts'
import { CliError } from './cli-error.ts'
import { type Given, type OptionSpec, text, texts } from './command.ts'

/** Limits as options; what they set together is the body's `limits`. */
export const LIMIT_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  rpm: { type: 'string', placeholder: 'N', help: 'Requests per minute; null removes the limit' },
  tpm: { type: 'string', placeholder: 'N', help: 'Tokens per minute; null removes the limit' },
  'max-parallel': { type: 'string', placeholder: 'N', help: 'Concurrent requests; null removes the limit' },
  'max-output-tokens': {
    type: 'string',
    placeholder: 'N',
    help: 'Output limit if the caller sends none; null removes it',
  },
  budget: {
    type: 'string',
    placeholder: 'USD/PERIOD[:soft|:fit[=N]|:step_down[=ROUTE]]',
    help: 'E.g. 50/month. Periods: day, week, month, total. soft only warns; fit shortens answers to what is left, to N tokens at least; step_down goes to cheaper entries; null removes it',
  },
  each: {
    type: 'string',
    multiple: true,
    placeholder: 'VALUE=BUDGET',
    help: 'A budget for each session, agent, user, project, key or tag:NAME, e.g. session=2/total; further=5/day is one more of all; null removes them',
  },
}

/** Those of a workspace. */
export const WORKSPACE_LIMIT_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  ...LIMIT_OPTIONS,
  unconfirmed: {
    type: 'string',
    placeholder: 'POLICY',
    help: `Unconfirmed spend that counts in budgets: ${UNCONFIRMED_POLICIES.join(', ')}; null is bound`,
  },
}

type SomeLimits = Record<string, unknown>

/** What the options say; null takes a limit away. */
function givenLimits(given: Given): SomeLimits {
  const limits: SomeLimits = {}
  for (const option of ['rpm', 'tpm', 'max-parallel', 'max-output-tokens']) {
    const value = text(given, option)
    if (value !== undefined) limits[option.replaceAll('-', '_')] = value === 'null' ? null : countOf(value, option)
  }
  const budget = text(given, 'budget')
  if (budget !== undefined) limits['budget'] = budget === 'null' ? null : budgetOf(budget)
  const each = texts(given, 'each')
  if (each.length > 0) limits['budgets'] = each.includes('null') ? null : each.map(eachOf)
  const policy = text(given, 'unconfirmed')
  if (policy !== undefined) limits['unconfirmed'] = policy === 'null' ? null : policyOf(policy)
  return limits
}

function policyOf(value: string): UnconfirmedPolicy {
  const policy = UNCONFIRMED_POLICIES.find((each) => each === value)
  if (policy !== undefined) return policy
  throw new CliError(`--unconfirmed: one of ${UNCONFIRMED_POLICIES.join(', ')}, null; not '${value}'`, 2)
}

function countOf(value: string, option: string): number {
  if (/^[1-9]\d{0,15}$/.test(value)) return Number(value)
  throw new CliError(`--${option}: a whole number from 1 up, or null to remove the limit; not '${value}'`, 2)
}

function budgetOf(value: string): SomeLimits {
  const found =
    /^(\d{1,9}(?:\.\d{1,12})?)\/(day|week|month|total)(?::(hard|soft|fit(?:=([1-9]\d{0,8}))?|step_down(?:=(.{1,200}))?))?$/.exec(
      value,
    )
  if (found === null) {
    const form = 'USD and a period of day, week, month, total, for example 50/month, 2.50/day:soft or 5/month:fit=1000'
    throw new CliError(`--budget: ${form}; not '${value}'`, 2)
  }
  const [, usd = '', per = '', mode = 'hard', floor, route] = found
  if (mode.startsWith('step_down')) {
    return { usd, per, mode: 'hard', when_tight: 'step_down', ...(route !== undefined && { step_down_to: route }) }
  }
  if (!mode.startsWith('fit')) return { usd, per, mode }
  return { usd, per, mode: 'hard', when_tight: 'fit', ...(floor !== undefined && { fit_at_least: Number(floor) }) }
}

function eachOf(value: string): SomeLimits {
  const [, each = '', budget = ''] = /^([^=]+)=(.+)$/.exec(value) ?? []
  if (budget === '') throw new CliError(`--each: VALUE=BUDGET, for example session=2/total; not '${value}'`, 2)
  return { ...(each !== 'further' && { each }), ...budgetOf(budget) }
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

/** For a new key or workspace. */
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
