import { TOKEN_CLASSES } from '../../domain/pricing/classes.ts'
import type { AnyInput } from '../api-client.ts'
import { CliError } from '../cli-error.ts'
import { type Given, type OptionSpec, text, texts } from '../command.ts'

const SUFFIX = '_per_mtok'
const CLASSES = TOKEN_CLASSES.map(({ price }) => price.slice(0, -SUFFIX.length))
const FORM = 'NAME,input=USD,output=USD[,CLASS=USD]'

/** What a workspace charges its own customers; what they set together is the body's `resale`. */
export const RESALE_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  'resale-markup': {
    type: 'string',
    placeholder: 'PERCENT',
    help: 'Your price for your customers: percent on the cost, e.g. 20; null removes it',
  },
  'resale-price': {
    type: 'string',
    multiple: true,
    placeholder: FORM,
    help: 'Your prices per million tokens of a route or PROVIDER/MODEL, e.g. fast,input=1,output=4; NAME,null removes them',
  },
}

type Prices = Record<string, Record<string, string>>

interface Resale {
  markup_percent?: string | undefined
  prices?: Prices | undefined
}

/** For a new workspace. */
export const withNewResale = (given: Given, input: AnyInput) => withResale(given, input, async () => null)

/** The API replaces the list as a whole, and one option must not take away what others set before. */
export const withWorkspaceResale = (given: Given, input: AnyInput) =>
  withResale(given, input, async () => {
    const [name = ''] = given.positionals
    return (await given.client.call('workspaces.get', { params: { name } })).resale as Resale | null
  })

async function withResale(given: Given, input: AnyInput, present: () => Promise<Resale | null>): Promise<AnyInput> {
  const markup = text(given, 'resale-markup')
  const prices = texts(given, 'resale-price').map(priceOf)
  if (markup === undefined && prices.length === 0) return input
  const body = input.body as { resale?: Resale | null }
  const before = body.resale === undefined ? await present() : body.resale
  const resale = merged(before ?? {}, markup, prices)
  return { ...input, body: { ...body, resale: Object.keys(resale).length === 0 ? null : resale } }
}

function merged(
  before: Resale,
  markup: string | undefined,
  changes: readonly [string, Prices[string] | null][],
): Resale {
  const percent = markup ?? before.markup_percent
  const prices = new Map(Object.entries(before.prices ?? {}))
  for (const [name, price] of changes) {
    if (price === null) prices.delete(name)
    else prices.set(name, price)
  }
  return {
    ...(percent !== undefined && percent !== 'null' && { markup_percent: percent }),
    ...(prices.size > 0 && { prices: Object.fromEntries(prices) }),
  }
}

/** A name may have commas in it: prices begin with the first part that is one. */
function priceOf(written: string): [name: string, Prices[string] | null] {
  const [, name, list = ''] = /^(.+?),(null|\w+=[^,]*(?:,\w+=[^,]*)*)$/s.exec(written) ?? []
  if (name === undefined) throw new CliError(`--resale-price: expected ${FORM}; not '${written}'`, 2)
  if (list === 'null') return [name, null]
  const prices = list.split(',').map((pair): [string, string] => {
    const [own = '', usd = ''] = pair.split('=')
    if (CLASSES.includes(own) && /^\d+(\.\d+)?$/.test(usd)) return [`${own}${SUFFIX}`, usd]
    throw new CliError(`--resale-price: '${pair}' is no price; CLASS=USD, with one of ${CLASSES.join(', ')}`, 2)
  })
  return [name, Object.fromEntries(prices)]
}
