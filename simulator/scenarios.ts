import type { Behaviour } from './answer.ts'
import type { Cause } from './family.ts'
import type { Random } from './random.ts'
import type { Tweak } from './reply.ts'
import type { StreamScript, StreamStep } from './stream/script.ts'

/** What a scenario makes of a good request. */
export type Outcome =
  | { kind: 'reply'; tweak: Tweak; delayMs?: number; stream?: StreamScript | false }
  | { kind: 'failure'; cause: Cause; headers?: Record<string, string> }
  /** The normal answer, broken on the wire. */
  | { kind: 'broken'; behaviour: Behaviour }
  /** A 200 (or another status) whose body is not what it should be. */
  | { kind: 'body'; status?: number; headers?: Record<string, string>; body: (normal: string) => unknown }
  /** A 200 that carries the family's error body. */
  | { kind: 'error-200' }

export interface ScenarioContext {
  lastUserText: string
  /** Seeded, one sequence per model id. */
  random: Random
  /** True for the first call of this model id since the start or `reset()`. */
  firstCall: boolean
}

export interface Scenario {
  /** As documented; `<…>` is a placeholder for a value. */
  name: string
  does: string
  /** Null: the value does not fit, so the scenario is unknown. */
  act(values: string[], context: ScenarioContext): Outcome | null
}

export const FAILING_STATUSES = [400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504, 529]
const MEBIBYTE = 1024 * 1024
const HTML = '<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body><h1>It works!</h1></body></html>\n'

export const SCENARIOS: readonly Scenario[] = [
  row('sim-echo', 'answers the last user text', (_, { lastUserText }) => reply({ text: lastUserText })),
  row('sim-slow-<ms>', 'answers after that many milliseconds', ([ms]) => ({ ...reply({}), delayMs: Number(ms) })),
  row('sim-429', 'rate limited, no `retry-after`', () => failure(429)),
  row('sim-429-after-<seconds>', 'rate limited with `retry-after`', ([seconds]) =>
    failure(429, { 'retry-after': `${seconds}` }),
  ),
  row('sim-429-after-ms-<ms>', 'rate limited with `retry-after-ms` (and `retry-after` in whole seconds)', ([ms]) =>
    failure(429, { 'retry-after-ms': `${ms}`, 'retry-after': `${Math.ceil(Number(ms) / 1000)}` }),
  ),
  row('sim-429-quota', 'billing is exhausted: 429 at OpenAI, 400 at Anthropic', () => failure('quota')),
  row('sim-<status>', `that error, in the family's shape: ${FAILING_STATUSES.join(', ')}`, ([status]) =>
    failureByStatus(status),
  ),
  row('sim-<status>-noretry', 'the same with `x-should-retry: false`', ([status]) =>
    failureByStatus(status, { 'x-should-retry': 'false' }),
  ),
  row('sim-once-<status>', 'fails the first call of each model id, then answers', ([status], { firstCall }) =>
    firstCall ? failureByStatus(status) : reply({}),
  ),
  row('sim-flaky-<percent>', 'fails that share of calls with 500, seeded', ([percent], { random }) =>
    random() * 100 < Number(percent) ? failure(500) : reply({}),
  ),
  row('sim-context', '400: the prompt is longer than the context window', () => failure('context')),
  row('sim-filtered', '400: the request was blocked by policy', () => failure('filtered')),
  row('sim-hang', 'never answers', () => ({ kind: 'broken', behaviour: 'hang' })),
  row('sim-stall', 'sends headers and half of the body, then nothing', () => ({ kind: 'broken', behaviour: 'stall' })),
  row('sim-reset', 'resets the socket a moment after the request was read', () => ({
    kind: 'broken',
    behaviour: 'reset',
  })),
  // The server acts on this name while the body is still arriving; this row answers when it came in one piece.
  row('sim-reset-early', 'resets the socket as soon as the name is seen, without reading the rest', () => ({
    kind: 'broken',
    behaviour: 'reset',
  })),
  row('sim-cut', 'JSON cut off in the middle, with a matching content-length', () => ({
    kind: 'body',
    body: (normal) => normal.slice(0, Math.floor(normal.length / 2)),
  })),
  row('sim-cut-socket', 'the socket dies in the middle of the body', () => ({ kind: 'broken', behaviour: 'cut' })),
  row('sim-html', '200 with an HTML page', () => ({
    kind: 'body',
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: () => HTML,
  })),
  row('sim-empty', '200 with an empty body', () => ({ kind: 'body', body: () => '' })),
  row('sim-error-200', '200 with the body of an error', () => ({ kind: 'error-200' })),
  row('sim-redirect', '307 to `/redirected` on the same server; a client that follows it is recorded', () => ({
    kind: 'body',
    status: 307,
    headers: { location: '/redirected' },
    body: () => '',
  })),
  row('sim-refusal', 'the model declines (200)', () => reply({ refusal: 'I cannot help with that request.' })),
  row('sim-length', 'the answer ends at the token limit', () => reply({ cutShort: true })),
  row('sim-stop-<reason>', 'a normal answer with this finish reason (stop reason)', ([reason]) =>
    reply({ finish: `${reason}` }),
  ),
  row('sim-tools', 'calls the first declared tool', () => reply({ toolCalls: 1 })),
  row('sim-tools-<n>', 'calls that many tools at once, one if parallel calls are off', ([n]) =>
    reply({ toolCalls: Number(n) }),
  ),
  row('sim-cached-<n>', 'that many prompt tokens came from the cache', ([n]) => reply({ cachedTokens: Number(n) })),
  row('sim-cachewrite-<n>', 'that many prompt tokens were written to the cache', ([n]) =>
    reply({ cacheWriteTokens: Number(n) }),
  ),
  row('sim-reasoning-<n>', 'thinks for that many tokens first', ([n]) => reply({ thinkingTokens: Number(n) })),
  row(
    'sim-searches-<n>-<added>',
    'searches the web so often, if the request offers and allows it; each time so many tokens are added to the prompt',
    ([n, added]) => reply({ searches: { wanted: Number(n), added: Number(added) } }),
  ),
  row('sim-big-usage-<prompt>-<completion>', 'reports exactly these token counts', ([prompt, completion]) =>
    reply({ exactUsage: { prompt: Number(prompt), completion: Number(completion) }, thinkingTokens: 0 }),
  ),
  row('sim-huge-<mib>', 'an answer text of that many MiB', ([mib]) =>
    Number(mib) <= 256 ? reply({ text: 'x'.repeat(Number(mib) * MEBIBYTE) }) : null,
  ),
  row(
    'sim-thoughts',
    'thinks aloud first: `reasoning_content` at OpenAI, a thinking block with text at Anthropic',
    () => reply({ thinking: 'The points are set for track seven.' }),
  ),
  row(
    'sim-events-<n>-<ms>',
    'a text of so many events, so many milliseconds apart; 0 is as fast as it can',
    ([n, ms]) => streamed({ gap: Number(ms) }, { text: Array(Number(n)).fill('word').join(' ') }),
  ),
  row('sim-before-<fault>', 'a stream with that fault before its first content', ([fault]) => faulty('start', fault)),
  row('sim-after-<fault>', 'a stream with that fault after its first content', ([fault]) => faulty('first', fault)),
  row('sim-odd-<oddity>', 'a stream with that oddity of its family', ([oddity]) => streamed({ odd: [`${oddity}`] })),
  row('sim-whole', 'sends a whole answer where a stream was asked for', () => ({ ...reply({}), stream: false })),
  row('sim-pings-<ms>', 'a stream of nothing but pings, so many milliseconds apart', ([ms]) =>
    streamed({ gap: Number(ms), steps: [{ play: 'start' }, { ping: Number.POSITIVE_INFINITY }] }),
  ),
  row('sim-comments-<n>', 'a stream that begins with so many comments', ([n]) =>
    streamed({ steps: [{ comment: 'keep-alive', times: Number(n) }, { play: 'done' }] }),
  ),
  row('sim-pieces-<bytes>', 'a stream in writes of so many bytes, whatever they cut in two', ([bytes]) =>
    Number(bytes) > 0 ? streamed({ pieces: Number(bytes) }) : null,
  ),
  row('sim-glued', 'a stream in one write', () => streamed({ pieces: 'whole' })),
  row('sim-crlf', 'a stream with CRLF line ends', () => streamed({ newline: '\r\n' })),
  row('sim-no-usage', 'embeddings without `usage`', () => reply({ embeddings: { usage: 'none' } })),
  row('sim-total-only', 'embeddings whose `usage` has only `total_tokens`', () =>
    reply({ embeddings: { usage: 'total-only' } }),
  ),
  row('sim-unordered', 'embeddings in reverse order, each with its right `index`', () =>
    reply({ embeddings: { isReversed: true } }),
  ),
  row('sim-floats', 'embeddings as numbers, whatever was asked for', () => reply({ embeddings: { format: 'float' } })),
  row('sim-base64', 'embeddings in base64, whatever was asked for', () => reply({ embeddings: { format: 'base64' } })),
]

/** Places for a word; all others are for a number. */
const WORD = /<(reason|fault|oddity)>/

/** The scenario a model id asks for: undefined when it names none, null when it is unknown. */
export function scenarioOf(model: string): ((context: ScenarioContext) => Outcome | null) | null | undefined {
  const start = model.indexOf('sim-')
  if (start < 0) return undefined
  const name = model.slice(start)
  for (const [pattern, scenario] of PATTERNS) {
    const match = pattern.exec(name)
    if (match) return (context) => scenario.act(match.slice(1), context)
  }
  return null
}

/** The part before `sim-`, so that `claude-opus-5-5-sim-echo` obeys the rules of `claude-opus-5-5`. */
export function modelBeforeScenario(model: string): string {
  const start = model.indexOf('sim-')
  return start < 0 ? model : model.slice(0, start).replace(/-$/, '')
}

const PATTERNS: readonly (readonly [RegExp, Scenario])[] = SCENARIOS.map((scenario) => [
  new RegExp(`^${scenario.name.replace(WORD, '([a-z_-]+)').replaceAll(/<[a-z]+>/g, '([0-9]{1,9})')}$`),
  scenario,
])

function row(name: string, does: string, act: Scenario['act']): Scenario {
  return { name, does, act }
}

function reply(tweak: Tweak): Outcome {
  return { kind: 'reply', tweak }
}

function streamed(stream: StreamScript, tweak: Tweak = {}): Outcome {
  return { kind: 'reply', tweak, stream }
}

/** What can happen to a stream at any moment. */
const FAULTS: Record<string, StreamStep[]> = {
  error: [{ error: 529 }],
  end: ['end'],
  cut: ['cut'],
  reset: ['reset'],
  stall: ['stall', { play: 'done' }],
  trickle: [{ waitMs: 200 }, { play: 1 }, { waitMs: 200 }, { play: 1 }, { waitMs: 200 }, { play: 'done' }],
}

function faulty(moment: 'start' | 'first', fault = ''): Outcome | null {
  const steps = FAULTS[fault]
  return steps ? streamed({ steps: [{ play: moment }, ...steps] }) : null
}

function failure(cause: Cause, headers: Record<string, string> = {}): Outcome {
  return { kind: 'failure', cause, headers }
}

function failureByStatus(status: string | undefined, headers?: Record<string, string>): Outcome | null {
  return FAILING_STATUSES.includes(Number(status)) ? failure(Number(status), headers) : null
}
