import type { Bench } from '../../prove/bench.ts'
import type { AskOptions, Key } from '../../prove/target.ts'
import type { Random } from '../../simulator/random.ts'

/** One kind of call in a mix of everything that a gateway meets on a working day. */
interface Kind {
  /** Of a hundred calls. */
  share: number
  request(each: Each): object
  path?: string
  /** Leaves after so many milliseconds. */
  leavesAfterMs?: number
}

interface Each {
  /** No two calls have the same. */
  name: string
  random: Random
}

const say = (model: string, text: string, more: object = {}) => ({
  model,
  max_tokens: 40,
  messages: [{ role: 'user', content: text }],
  ...more,
})

const KINDS: readonly Kind[] = [
  { share: 40, request: ({ name }) => say('plain', name) },
  { share: 20, request: ({ name }) => say('plain', name, { stream: true }) },
  { share: 10, path: '/v1/messages', request: ({ name }) => say('claude', name) },
  { share: 8, request: ({ name }) => say('dearer', name) },
  { share: 6, request: ({ name }) => say('plain', `${name} ${'long '.repeat(4_000)}`) },
  { share: 5, request: ({ name }) => say('events', name, { stream: true }), leavesAfterMs: 40 },
  { share: 4, request: ({ name }) => say('slow', name), leavesAfterMs: 60 },
  { share: 4, request: ({ name }) => say('refused', name) },
  { share: 3, request: ({ name }) => say(`nothing/${name}`, name) },
]

const BY_SHARE = KINDS.flatMap((kind) => Array.from({ length: kind.share }, () => kind))

/** Each call names a session, a user and a tag that no other has: what is remembered of them must be bounded. */
export async function oneCall(bench: Bench, key: Key, each: Each): Promise<{ status: number; ms: number | null }> {
  const { path, leavesAfterMs, request } = kindOf(each.random)
  const { name } = each
  const headers = { 'x-gateway-session': name, 'x-gateway-agent': name }
  const signal = leavesAfterMs === undefined ? {} : { signal: AbortSignal.timeout(leavesAfterMs) }
  const options: AskOptions = { headers, ...(path === undefined ? {} : { path }), ...signal }
  const began = performance.now()
  const metadata = path === '/v1/messages' ? { user_id: name } : { t: name }
  const { status } = await bench.ask(key.value, { user: name, ...request(each), metadata }, options)
  // A call that was left says nothing about how long one takes.
  return { status, ms: status === 200 && leavesAfterMs === undefined ? performance.now() - began : null }
}

function kindOf(random: Random): Kind {
  return BY_SHARE[Math.floor(random() * BY_SHARE.length)] as Kind
}
