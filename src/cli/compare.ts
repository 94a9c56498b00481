import { readFileSync } from 'node:fs'
import { ask, type Side } from '../compare/ask.ts'
import { isComparable, storedCall, syntheticCall } from '../compare/bodies.ts'
import { type Shape, shapesOf, shares } from '../compare/shapes.ts'
import { type Pair, type Verdict, verdictOn } from '../compare/verdict.ts'
import { picodollarsOfUsd } from '../domain/pricing/price.ts'
import { CliError } from './cli-error.ts'
import { type Command, type Given, text, usageError } from './command.ts'
import { parseSince } from './duration.ts'

const MOST_CALLS = 500
const MOST_ROWS = 2_000
const DIFFERENT = 3

export const compare: Command = {
  name: 'compare',
  summary: "Send today's kinds of requests to this gateway and to another; exit code 3 if the answers differ",
  positionals: [],
  options: {
    with: { type: 'string', placeholder: 'URL', help: 'The other gateway, for example http://litellm:4000' },
    'with-key-file': { type: 'string', placeholder: 'FILE', help: 'File with a key of the other gateway' },
    'key-file': { type: 'string', placeholder: 'FILE', help: 'File with a gateway key; else the variable GATEWAY_KEY' },
    workspace: { type: 'string', short: 'w', placeholder: 'NAME', help: 'Whose requests (default: default)' },
    since: { type: 'string', placeholder: 'DURATION', help: 'From when on, e.g. 7d (default: 24h)' },
    calls: { type: 'string', placeholder: 'COUNT', help: 'Calls to each gateway (default: 20)' },
    budget: { type: 'string', placeholder: 'USD', help: 'Stop before both together cost more (default: 1)' },
    synthetic: { type: 'boolean', help: 'Send no stored prompts, even if the workspace stores them' },
  },
  examples: [
    'switchyard compare --with http://litellm:4000 --with-key-file old.key --key-file new.key',
    'switchyard compare --with http://litellm:4000 --with-key-file old.key --calls 100 --budget 5',
  ],
  isRemote: true,
  run,
}

interface Plan {
  here: Side
  there: Side
  workspace: string
  calls: number
  /** Picodollars. */
  budget: bigint
}

async function run(given: Given): Promise<number> {
  const { output } = given
  const plan = planOf(given)
  const shapes = (await readShapes(given, plan.workspace)).filter(isComparable)
  if (shapes.length === 0)
    throw new CliError('compare: no served requests in this time; use --since 7d, or make some', 1)
  const verdicts = await callBoth(shapes, plan, given)
  output.progress(null)
  if (output.isJson) output.json({ data: verdicts.map(jsonOf) })
  else print(verdicts, given)
  return verdicts.some(({ differs }) => differs.length > 0) ? DIFFERENT : 0
}

function planOf(given: Given): Plan {
  const other = text(given, 'with')
  if (other === undefined) throw usageError(compare, '--with URL is missing')
  const budget = text(given, 'budget') ?? '1'
  if (!/^\d{1,6}(\.\d{1,12})?$/.test(budget)) throw usageError(compare, `--budget is an amount in USD, not '${budget}'`)
  const calls = Number(text(given, 'calls') ?? '20')
  if (!Number.isInteger(calls) || calls < 1 || calls > MOST_CALLS) {
    throw usageError(compare, `--calls is from 1 to ${MOST_CALLS}`)
  }
  return {
    here: { url: given.client.url, key: keyIn(given, 'key-file', 'GATEWAY_KEY') },
    there: { url: other.replace(/\/+(v1\/*)?$/, ''), key: keyIn(given, 'with-key-file', null) },
    workspace: text(given, 'workspace') ?? 'default',
    calls,
    budget: picodollarsOfUsd(budget),
  }
}

/** By file or variable: arguments can be seen by others on the machine. */
function keyIn(given: Given, option: string, variable: string | null): string {
  const file = text(given, option)
  const key =
    file === undefined ? (variable === null ? undefined : given.environment[variable]) : readFileSync(file, 'utf8')
  if (key === undefined || key.trim() === '') {
    throw usageError(compare, `--${option} FILE is missing${variable === null ? '' : `, and ${variable} is not set`}`)
  }
  return key.trim()
}

async function readShapes(given: Given, workspace: string): Promise<Shape[]> {
  const from = parseSince(text(given, 'since') ?? '24h', 'since', Date.now())
  const query = { workspace, from, status: 'ok', cache: undefined, limit: 500 }
  const rows = []
  for (let cursor: string | undefined; rows.length < MOST_ROWS; ) {
    given.output.progress(`reading the log: ${rows.length} requests`)
    const page = await given.client.call('requests.list', {
      query: cursor === undefined ? query : { ...query, cursor },
    })
    rows.push(...page.data)
    if (page.next_cursor === null) break
    cursor = page.next_cursor
  }
  return shapesOf(rows)
}

async function callBoth(shapes: readonly Shape[], plan: Plan, given: Given): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  let left = plan.budget
  let done = 0
  for (const [index, count] of shares(shapes, plan.calls).entries()) {
    const shape = shapes[index] as Shape
    const pairs: Pair[] = []
    for (let call = 0; call < count; call++) {
      const cost = 2n * picodollarsOfUsd(shape.costUsd ?? '0')
      if (cost > left) {
        given.output.note('note: the budget is used up; --budget allows more')
        return pairs.length === 0 ? verdicts : [...verdicts, verdictOn(shape, pairs)]
      }
      left -= cost
      given.output.progress(`${++done} of ${plan.calls}: ${shape.model}`)
      pairs.push(await askBoth(await madeCall(shape, call, given), plan, call, given))
    }
    verdicts.push(verdictOn(shape, pairs))
  }
  return verdicts
}

/** Turn and turn about, so that neither always finds what the other has put into a provider's cache. */
async function askBoth(made: { path: string; body: unknown }, plan: Plan, turn: number, given: Given): Promise<Pair> {
  const first = turn % 2 === 0 ? await ask(plan.here, made) : null
  const there = await ask(plan.there, made)
  const here = first ?? (await ask(plan.here, made))
  if (here.costUsd !== null || here.requestId === null) return { here, there }
  // A stream's cost is known when it has ended: the log has it.
  const row = await given.client.call('requests.get', { params: { id: here.requestId } })
  return { here: { ...here, costUsd: row.cost_usd }, there }
}

/** With the stored prompt where the workspace keeps it whole, else with words that mean nothing. */
async function madeCall(shape: Shape, turn: number, given: Given) {
  const id = shape.ids[turn % shape.ids.length]
  if (given.values['synthetic'] === true || id === undefined) return syntheticCall(shape)
  try {
    const { request } = await given.client.call('requests.content', { params: { id } })
    if (request?.is_json === true && !request.truncated) return storedCall(shape, JSON.parse(request.text))
  } catch (error) {
    if (!(error instanceof CliError)) throw error
  }
  return syntheticCall(shape)
}

const COLUMNS = [
  { title: 'model' },
  { title: 'gateway' },
  { title: 'calls', isNumber: true },
  { title: 'status' },
  { title: 'answered by' },
  { title: 'prompt', isNumber: true },
  { title: 'output', isNumber: true },
  { title: 'cost_usd', isNumber: true },
  { title: 'median ms', isNumber: true },
  { title: 'differs' },
]

function print(verdicts: readonly Verdict[], { output }: Given): void {
  const rows = verdicts.flatMap(({ shape, calls, here, there, differs }) => {
    const label = `${shape.model} (${shape.endpoint}${shape.isStreamed ? ', stream' : ''})`
    const side = ({ status, model, promptTokens, outputTokens, costUsd, ms }: Verdict['here']) => [
      calls,
      status,
      model,
      promptTokens,
      outputTokens,
      costUsd,
      ms,
    ]
    return [
      [label, 'this', ...side(here), differs.join(', ')],
      [label, 'other', ...side(there), differs.join(', ')],
    ]
  })
  output.table(COLUMNS, rows)
  const different = verdicts.filter(({ differs }) => differs.length > 0).length
  output.line(different === 0 ? 'Both answer alike.' : `${different} of ${verdicts.length} kinds of requests differ.`)
}

function jsonOf({ shape, calls, here, there, differs }: Verdict) {
  const side = (figures: Verdict['here']) => ({
    status: figures.status,
    model: figures.model,
    prompt_tokens: figures.promptTokens,
    output_tokens: figures.outputTokens,
    cost_usd: figures.costUsd,
    median_ms: figures.ms,
  })
  const { endpoint, model, isStreamed } = shape
  return { endpoint, model, streamed: isStreamed, calls, here: side(here), there: side(there), differs }
}
