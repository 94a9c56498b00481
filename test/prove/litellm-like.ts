import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from '../harness.ts'

/**
 * What it does wrong. `late`: a budget is checked against what calls that have ended cost. `forgets`: a caller who left
 * costs nothing. `opens`: a key that begins like a real one is one. `rewrites`: prompts do not arrive as they were sent.
 */
export type Fault = 'late' | 'forgets' | 'opens' | 'rewrites'

interface Made {
  budget: number
  spent: number
  held: number
}

export const MASTER_KEY = 'sk-master-of-a-test'

/** As much of LiteLLM's proxy as `prove --target` asks: models and keys by its API, budgets, spend. */
export async function startLitellmLike(fault: Fault | null = null) {
  const models = new Map<string, Json>()
  const keys = new Map<string, Made>()
  const seen: string[] = []

  const admin: Record<string, (body: Json, query: URLSearchParams) => Json> = {
    '/model/new': (body) => {
      models.set(body.model_name, body.litellm_params)
      return { model_id: body.model_info.id }
    },
    '/model/delete': ({ id }) => ({ deleted: models.delete(id) }),
    '/key/generate': ({ max_budget: budget = Number.POSITIVE_INFINITY }) => {
      const key = `sk-${crypto.randomUUID()}`
      keys.set(key, { budget, spent: 0, held: 0 })
      return { key, token: `hash-of-${key}` }
    },
    '/key/delete': ({ keys: list }) => ({ deleted: list.filter((key: string) => keys.delete(key)) }),
    '/key/list': () => ({ keys: [...keys.keys()], total_count: keys.size }),
    '/key/info': (_body, query) => ({ info: { spend: keys.get(query.get('key') ?? '')?.spent ?? 0 } }),
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? ''
    const { pathname, searchParams } = new URL(url.startsWith('/') ? `http://x${url}` : url)
    seen.push(pathname)
    const given = (request.headers.authorization ?? '').replace(/^Bearer /, '')
    const text = await bodyOf(request)
    const say = (status: number, body: Json) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const managed = admin[pathname]
    if (managed !== undefined) {
      const isAdmin = given === MASTER_KEY
      return isAdmin ? say(200, managed(text === '' ? {} : JSON.parse(text), searchParams)) : say(401, { error: 'no' })
    }
    const known = [...keys].find(([key]) =>
      fault === 'opens' ? given.length > 9 && key.startsWith(given) : key === given,
    )
    if (known === undefined) return say(401, { error: 'no' })
    const body = JSON.parse(text)
    const params = models.get(body.model)
    if (params === undefined) return say(400, { error: `no model ${body.model}` })
    await forward(known[1], body, params, { path: pathname, response, say })
  }

  async function forward(
    key: Made,
    body: Json,
    params: Json,
    { path, response, say }: { path: string; response: ServerResponse; say: (status: number, body: Json) => void },
  ): Promise<void> {
    const most =
      JSON.stringify(body).length * params.input_cost_per_token + (body.max_tokens ?? 0) * params.output_cost_per_token
    const held = fault === 'late' ? 0 : key.held + most
    if (key.spent + held > key.budget) return say(400, { error: { message: 'Budget has been exceeded!' } })
    key.held += most
    let hasLeft = false
    response.once('close', () => {
      hasLeft = !response.writableFinished
    })
    const [family, model] = params.model.split('/')
    // Chat completions at Anthropic are translated; this much of it is enough.
    const isMessages = family === 'anthropic'
    const wire = { ...body, model, ...(body.stream && !isMessages && { stream_options: { include_usage: true } }) }
    if (fault === 'rewrites') wire.messages = [{ role: 'user', content: `${performance.now()}` }, ...wire.messages]
    const upstream = await fetch(`${params.api_base}${isMessages ? '/v1/messages' : path.replace(/^\/v1/, '')}`, {
      method: 'POST',
      headers: {
        ...{ authorization: 'Bearer x', 'x-api-key': 'x', 'anthropic-version': '2023-06-01' },
        'content-type': 'application/json',
      },
      body: JSON.stringify(wire),
    })
    response.writeHead(upstream.status, { 'content-type': upstream.headers.get('content-type') ?? '' })
    let text = ''
    for await (const chunk of upstream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      response.write(chunk)
    }
    key.held -= most
    if (upstream.ok && !(hasLeft && fault === 'forgets')) key.spent += costOf(text, params)
    response.end()
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    /** What is left of what was made. */
    left: () => [...models.keys(), ...keys.keys()],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

/** By the counts of the last `usage` in it. */
function costOf(text: string, params: Json): number {
  const count = (name: string) => Number(new RegExp(`"${name}":\\s*(\\d+)`).exec(text)?.[1] ?? 0)
  const cached = count('cache_read_input_tokens') + count('cache_creation_input_tokens')
  const input = count('prompt_tokens') + count('input_tokens') + cached
  const output = count('completion_tokens') + count('output_tokens')
  return input * params.input_cost_per_token + output * params.output_cost_per_token
}
