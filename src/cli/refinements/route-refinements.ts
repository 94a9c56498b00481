import type { z } from 'zod'
import { adjustmentsText } from '../../domain/request/adjustment.ts'
import type { Contract } from '../../management/contract/contract.ts'
import type { Explanation } from '../../management/contract/explain.ts'
import type { AnyInput } from '../api-client.ts'
import { CACHE_FORM, cacheOf } from '../cache-argument.ts'
import { ENTRY_FORM, GROUP_FORM, placeOf } from '../chain-argument.ts'
import { type Given, type OptionSpec, type Refinement, text, texts } from '../command.ts'
import { printRows } from '../print-reply.ts'

const MESSAGE: OptionSpec = { type: 'string', short: 'm', placeholder: 'TEXT', help: 'The message to send' }

/** Without a file, the shortest request there is. */
function chatBody(given: Given, input: AnyInput): AnyInput {
  const content = text(given, 'message')
  const model = given.positionals[0] ?? text(given, 'model')
  const messages = [{ role: 'user', content: content ?? 'Hello' }]
  const isPlain = text(given, 'file') === undefined || content !== undefined
  const body = { ...(input.body as object), ...(isPlain && { messages }), ...(model !== undefined && { model }) }
  return { ...input, body }
}

function printExplanation(reply: z.output<typeof Explanation>, { output }: Given): void {
  if (reply.note !== null) output.note(reply.note)
  const rows = reply.entries.map((entry) => ({
    entry: `${entry.provider}/${entry.model}`,
    used: entry.would_be_used ? 'yes' : 'no',
    circuit: entry.circuit,
    hold_usd: entry.hold_usd,
    ignored: entry.ignored,
    adjusted: adjustmentsText(entry.adjustments),
    why: entry.refused ?? entry.skipped_because ?? entry.chosen_because,
  }))
  printRows(rows, output)
  output.line(`Most it could cost: ${reply.hold_usd === null ? 'unknown' : `${reply.hold_usd} USD`}`)
  if (reply.advice !== null) output.note(reply.advice)
  if (reply.error !== null) output.line(`A call would get ${reply.error.code}: ${reply.error.message}`)
}

type Tried = z.output<Contract['chat.try']['reply']>

/** The answer's words if it has any, else all of it; what the gateway says about it is not part of the result. */
function printTried({ status, headers, body }: Tried, { output }: Given): void {
  const { choices, error } = body as { choices?: { message?: { content?: unknown } }[]; error?: { message: string } }
  const content = choices?.[0]?.message?.content
  for (const [name, value] of Object.entries(headers)) output.note(`${name}: ${value}`)
  output.line(typeof content === 'string' ? content : (error?.message ?? JSON.stringify(body)))
  if (status !== 200) output.note(`The call got ${status}.`)
}

const MODEL_ARGUMENT: Refinement['positionals'] = [{ name: 'MODEL', optional: true }]

const CHAT_OPTIONS: Refinement['options'] = {
  model: { type: 'string', placeholder: 'MODEL', help: 'An alias or a direct model id' },
  message: MESSAGE,
}

export const routeRefinements: Readonly<Record<string, Refinement>> = {
  'routes.list': {
    examples: ['switchyard routes list', 'switchyard routes list --workspace research'],
    columns: ['alias', 'chain', 'description', 'updated_at', 'managed_by'],
  },
  'routes.put': {
    examples: [
      'switchyard routes put fast -e local/llama3,timeout_ms=20000,retries=1 -e cloud/large,max_output_tokens=4000',
      'switchyard routes put fast -e "weighted: eu/large,weight=3 | us/large" -e local/llama3',
      'switchyard routes put faq -e cloud/large --cache 1h,scope=workspace',
      'switchyard routes put fast -f route.json',
    ],
    options: {
      entry: {
        type: 'string',
        short: 'e',
        multiple: true,
        placeholder: 'ENTRY',
        help: `${ENTRY_FORM}, in the order of the chain; a group: "${GROUP_FORM}"`,
      },
      cache: {
        type: 'string',
        placeholder: CACHE_FORM,
        help: 'Answer identical requests from the cache for this long, e.g. 1h',
      },
    },
    refine(given, input) {
      const chain = texts(given, 'entry').map(placeOf)
      const cache = text(given, 'cache')
      const own = { ...(chain.length > 0 && { chain }), ...(cache !== undefined && { cache: cacheOf(cache) }) }
      return { ...input, body: { ...(input.body as object), ...own } }
    },
  },
  'routes.get': { examples: ['switchyard routes get fast'] },
  'routes.delete': { examples: ['switchyard routes delete fast'] },
  'routes.explain': {
    examples: ['switchyard routes explain fast -m "Say hello"', 'switchyard routes explain fast -f chat.json --json'],
    options: { message: MESSAGE },
    refine: chatBody,
    print: printExplanation,
  },
  'explain.request': {
    name: 'explain',
    positionals: MODEL_ARGUMENT,
    examples: ['switchyard explain fast -m "Say hello"', 'switchyard explain -f chat.json --key nightly'],
    options: CHAT_OPTIONS,
    refine: chatBody,
    print: printExplanation,
  },
  'chat.try': {
    name: 'try',
    positionals: MODEL_ARGUMENT,
    examples: ['switchyard try fast --key nightly -m "Say hello"', 'switchyard try --key nightly -f chat.json'],
    options: CHAT_OPTIONS,
    refine: chatBody,
    print: printTried,
    exitCode: (reply: Tried) => (reply.status === 200 ? 0 : 1),
  },
}
