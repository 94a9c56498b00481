import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ApiError, callStreamed, type Input, type Reply } from '../../api/client.ts'
import { useAll, useOperation } from '../../api/hooks.ts'
import { NOTHING_STREAMED, type StreamedBody, splitEvents, withEvent } from './streamed-answer.ts'

/** A sound is no JSON: it has an address within the page, which ends with it. */
type Answered = Reply<'chat.try'> & { sound?: { address: string; name: string } }

export interface Attempt {
  data: Answered | undefined
  error: ApiError | null
  isPending: boolean
  /** Ended by the reader before the answer did. */
  isStopped: boolean
}

const IDLE: Attempt = { data: undefined, error: null, isPending: false, isStopped: false }

/** A call billed to a key. A streamed answer is shown as it arrives; leaving the page ends the call. */
export function useTry(): Attempt & { send(input: Input<'chat.try'>): void; stop(): void } {
  const client = useQueryClient()
  const [attempt, setAttempt] = useState(IDLE)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const address = attempt.data?.sound?.address
  useEffect(() => () => (address === undefined ? undefined : URL.revokeObjectURL(address)), [address])

  async function run(input: Input<'chat.try'>, { signal }: AbortController): Promise<void> {
    const response = await callStreamed('chat.try', input, signal)
    const type = typeOf(response)
    if (type.startsWith('audio/')) {
      const sound = { address: URL.createObjectURL(await response.blob()), name: `speech.${extensionOf(type)}` }
      setAttempt({ ...IDLE, data: { status: response.status, headers: gatewayHeaders(response), body: null, sound } })
      return
    }
    if (!type.startsWith('text/event-stream')) {
      const data = (await response.json()) as Answered
      setAttempt({ ...IDLE, data })
      return
    }
    for await (const data of streamedAnswers(response)) setAttempt({ ...IDLE, data, isPending: true })
    setAttempt((shown) => ({ ...shown, isPending: false }))
  }

  return {
    ...attempt,
    send(input) {
      running.current?.abort()
      const controller = new AbortController()
      running.current = controller
      setAttempt({ ...IDLE, isPending: true })
      run(input, controller)
        .catch((error: unknown) => {
          if (!controller.signal.aborted)
            setAttempt((shown) => ({ ...shown, error: asApiError(error), isPending: false }))
        })
        .finally(() => client.invalidateQueries())
    },
    stop() {
      running.current?.abort()
      setAttempt((shown) => (shown.isPending ? { ...shown, isPending: false, isStopped: true } : shown))
    },
  }
}

/** Whether calls of this workspace may stream; undefined while that is not known. */
export function useIsStreaming(name: string): boolean | undefined {
  const workspaces = useAll('workspaces.list', {})
  const status = useOperation('status.get', {})
  const workspace = workspaces.data?.find((each) => each.name === name)
  if (workspace === undefined) return undefined
  // Answers that are checked as a whole cannot stream.
  return workspace.guardrail?.after === true ? false : (workspace.streaming ?? status.data?.streaming)
}

function typeOf(response: Response): string {
  return response.headers.get('content-type') ?? ''
}

function extensionOf(type: string): string {
  const name = type.slice('audio/'.length).split(';')[0] ?? ''
  return name === 'mpeg' ? 'mp3' : name
}

function gatewayHeaders(response: Response): Record<string, string> {
  const headers: Record<string, string> = {}
  response.headers.forEach((value, name) => {
    if (name.startsWith('x-gateway-')) headers[name] = value
  })
  return headers
}

/** The answer after each piece that arrived. */
async function* streamedAnswers(response: Response): AsyncGenerator<Answered> {
  const headers = gatewayHeaders(response)
  const text = response.body?.pipeThrough(new TextDecoderStream())
  if (text === undefined) return
  let rest = ''
  let body: StreamedBody = NOTHING_STREAMED
  const reader = text.getReader()
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const split = splitEvents(rest + piece.value)
    rest = split.rest
    body = split.events.reduce(withEvent, body)
    yield { status: response.status, headers: { ...headers, ...costHeader(body) }, body }
  }
}

/** The cost is a trailer, which browsers do not show: the last event says the same. */
function costHeader({ x_gateway: gateway }: StreamedBody): Record<string, string> {
  return gateway === undefined ? {} : { 'x-gateway-cost-usd': String(gateway['cost_usd']) }
}

function asApiError(error: unknown): ApiError {
  return error instanceof ApiError
    ? error
    : new ApiError(0, 'unreachable', 'The answer was cut: the connection to the gateway broke.')
}
