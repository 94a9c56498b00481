import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from './answer.ts'
import type { RecordedCall } from './call-log.ts'
import { decide } from './decide.ts'
import { readBody, resetConnection, sendAnswer } from './exchange.ts'
import type { Cause, CauseContext, Family, Operation } from './family.ts'
import { answerInspection } from './inspection.ts'
import { isObject, type JsonObject } from './json.ts'
import { sendMedia } from './media.ts'
import type { Stage } from './stage.ts'
import { StreamPlayer } from './stream/play.ts'
import type { StreamPlan } from './stream/script.ts'

/** A reset is to look like work that was broken off, not like a kept connection that was closing when it was used. */
const RESET_AFTER_MS = 100

/** Only there to parse request targets; no answer depends on it. */
const ORIGIN = 'http://simulator'

/** The server of one family. `requiredKey` null: any key will do. */
export function createFamilyServer(family: Family, stage: Stage, requiredKey: string | null): Server {
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '/', ORIGIN) ?? new URL(ORIGIN)
    const inspection = answerInspection(url, stage.log, stage.streams.counts)
    if (inspection) sendAnswer(response, inspection)
    else
      new Exchange({ family, stage, requiredKey, request, response, url }).run().catch((error: unknown) => {
        // A fault of the simulator must not pass for a scripted reset.
        process.stderr.write(`simulator: ${error instanceof Error ? error.stack : error}\n`)
        response.destroy()
      })
  })
  // The client's pool must be the one to close an idle connection; otherwise tests see unscripted resets.
  server.keepAliveTimeout = 120_000
  server.requestTimeout = 0
  return server
}

interface ExchangeParts {
  family: Family
  stage: Stage
  requiredKey: string | null
  request: IncomingMessage
  response: ServerResponse
  url: URL
}

/** One request and its answer. */
class Exchange {
  readonly #parts: ExchangeParts
  readonly #call: RecordedCall
  readonly #clientLeft = new AbortController()
  /** The simulator broke the connection itself, so that its end is no hang-up of the client. */
  #broken = false

  constructor(parts: ExchangeParts) {
    const { family, request, response, url, stage } = parts
    this.#parts = parts
    this.#call = stage.log.open(family.name, request.method ?? 'GET', url, request.headers)
    response.on('close', () => this.#close())
  }

  async run(): Promise<void> {
    const { family, stage, request } = this.#parts
    const read = await readBody(request, family.bodyLimitBytes, (model) => {
      this.#call.model = model
      this.#break()
    })
    if (read.kind === 'client-left') return
    if (read.kind === 'complete' && (await this.#media(read.bytes))) return
    const answer = read.kind === 'too-large' ? this.#tooLarge() : this.#decide(read.text)
    const delayMs = this.#latencyMs(answer) + (answer.delayMs ?? 0)
    if (this.#operation()) await stage.gate()
    if (delayMs > 0) await sleep(delayMs, undefined, { signal: this.#clientLeft.signal }).catch(() => undefined)
    if (!this.#clientLeft.signal.aborted) await this.#send(answer)
  }

  /** False: this path has neither forms nor sounds. */
  async #media(bytes: Buffer): Promise<boolean> {
    const { family, stage, request, response, requiredKey, url } = this.#parts
    const operation = family.media?.find(({ path }) => path === url.pathname)
    if (operation === undefined || request.method !== 'POST') return false
    const fields = await operation.read(bytes, request.headers['content-type'] ?? '')
    stage.log.describe(this.#call, '', fields)
    const key = family.keyOf(request.headers)
    if (!key || (requiredKey !== null && key !== requiredKey)) await this.#send(this.#fail(401))
    else if (fields === null) await this.#send(this.#fail('bad-json'))
    else {
      await stage.gate()
      const answer = operation.answer(fields)
      this.#call.status = answer.status
      if (answer.ending === 'cut') this.#broken = true
      await sendMedia(response, answer, (bytes) => {
        this.#call.soundBytes = (this.#call.soundBytes ?? 0) + bytes
      })
    }
    return true
  }

  #latencyMs({ stream }: Answer): number {
    const { stage } = this.#parts
    const model = this.#operation() ? this.#call.model : null
    const pace = stream === undefined || model === null ? undefined : stage.pace?.(model)
    return pace?.firstMs ?? stage.latencyMs(model)
  }

  #decide(rawBody: string): Answer {
    const { family, stage, requiredKey, request, url } = this.#parts
    let body: unknown = null
    try {
      body = JSON.parse(rawBody)
    } catch {
      // Malformed JSON is answered below, after the checks that need no body.
    }
    stage.log.describe(this.#call, rawBody, body)
    const named = this.#routed()?.fields['model']
    if (typeof named === 'string') this.#call.model = named
    const key = family.keyOf(request.headers)
    if (!key || (requiredKey !== null && key !== requiredKey)) return this.#fail(401)
    const badHeaders = family.checkHeaders(request.headers)
    if (badHeaders) return badHeaders
    const operation = this.#operation()
    if (operation) {
      if (request.method !== 'POST') return this.#fail(405)
      if (!request.headers['content-type']?.startsWith('application/json')) return this.#fail('bad-media-type')
      if (!isObject(body)) return this.#fail('bad-json')
      return this.#ask(operation, { ...body, ...this.#routed()?.fields })
    }
    return this.#decideModels(url)
  }

  #ask(operation: Operation, body: JsonObject): Answer {
    const { family, stage, request } = this.#parts
    try {
      return decide({ family, operation, stage, body, headers: request.headers, context: this.#context() })
    } catch (error) {
      // The vendors refuse absurdly deep JSON; here it exhausts the stack of the rules.
      if (error instanceof RangeError) return this.#fail('bad-json')
      throw error
    }
  }

  #decideModels(url: URL): Answer {
    const { family, stage, request } = this.#parts
    const listed = family.control?.(url) ?? null
    if (listed !== null) return stage.modelsDown.has(family.name) ? this.#fail(503) : listed
    if (url.pathname !== '/v1/models' && !url.pathname.startsWith('/v1/models/')) return this.#fail('unknown-path')
    if (request.method !== 'GET') return this.#fail(405)
    if (stage.modelsDown.has(family.name)) return this.#fail(503)
    if (url.pathname === '/v1/models') return family.listModels(url.searchParams)
    return family.getModel(url.pathname.slice('/v1/models/'.length))
  }

  #tooLarge(): Answer {
    const answer = this.#fail(413)
    return { ...answer, headers: { ...answer.headers, connection: 'close' } }
  }

  #fail(cause: Cause): Answer {
    return this.#parts.family.failure(cause, this.#context())
  }

  #context(): CauseContext {
    const { family, request, url } = this.#parts
    return {
      model: this.#call.model ?? '',
      method: request.method ?? 'GET',
      path: url.pathname,
      key: family.keyOf(request.headers) ?? '',
    }
  }

  /** Undefined for a path that asks no model. */
  #operation(): Operation | undefined {
    const { family, url } = this.#parts
    const asked = family.route === undefined ? url.pathname : this.#routed()?.path
    return family.operations.find(({ path }) => path === asked)
  }

  #routed() {
    return this.#parts.family.route?.(this.#parts.url) ?? null
  }

  async #send(answer: Answer): Promise<void> {
    const { family, response } = this.#parts
    if (answer.behaviour === 'reset') {
      setTimeout(() => this.#break(), RESET_AFTER_MS)
      return
    }
    if (answer.behaviour !== 'hang') this.#call.status = answer.status
    const complete = family.complete(answer, family.newRequestId(), Date.now() - this.#call.receivedAt)
    if (answer.stream && answer.behaviour !== 'hang') return this.#play(complete, answer.stream)
    if (answer.behaviour === 'cut') this.#broken = true
    sendAnswer(response, complete)
  }

  async #play({ status, headers = {} }: Answer, plan: StreamPlan): Promise<void> {
    const { response, stage } = this.#parts
    const state = { is: 'writing' as const, events: 0, bytes: 0 }
    this.#call.stream = state
    stage.streams.counts.open += 1
    response.writeHead(status, headers).flushHeaders()
    const { gap = stage.pace?.(this.#call.model ?? '').gapMs } = plan.script
    const paced = gap === undefined ? plan : { ...plan, script: { ...plan.script, gap } }
    const ending = await new StreamPlayer(response, paced, state, stage.streams, this.#clientLeft.signal).play()
    if (ending === 'gone') return
    if (ending === 'end') {
      response.end()
      return
    }
    // What was written before is to arrive.
    await new Promise((resolve) => response.socket?.write('', resolve))
    if (ending === 'reset') this.#break()
    else {
      this.#broken = true
      response.socket?.destroy()
    }
  }

  #break(): void {
    this.#broken = true
    resetConnection(this.#parts.response)
  }

  #close(): void {
    const isFinished = this.#parts.response.writableFinished
    this.#call.finishedAt = Date.now()
    this.#call.outcome = isFinished || this.#broken ? 'answered' : 'aborted'
    this.#clientLeft.abort()
    if (this.#call.stream === null) return
    const { counts } = this.#parts.stage.streams
    counts.open -= 1
    counts[isFinished ? 'finished' : this.#broken ? 'broken' : 'aborted'] += 1
    this.#call.stream.is = 'over'
  }
}
