import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type SeenStream, seeStream } from './see-stream.ts'

const frame = (value: object, event?: string) =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(value)}\n\n`
const named = (value: { type: string } & Record<string, unknown>) => frame(value, value.type)
const x_gateway = { cost_usd: '0.000120' }
const NOTHING: SeenStream = { content: false, ended: null, code: null, costUsd: null }
const FINISHED: SeenStream = { content: true, ended: 'finished', code: null, costUsd: '0.000120' }
const failed = (code: string): SeenStream => ({ ...NOTHING, content: true, ended: 'failed_mid_stream', code })

const chat = frame({ choices: [{ delta: { content: 'a' } }] })
const message = named({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'a' } })
const response = `: keep-alive\n${named({ type: 'response.output_text.delta', delta: 'a' })}`
const failedResponse = (message: string) =>
  named({ type: 'response.failed', response: { error: { code: 'server_error', message } } })

const TABLE: [what: string, text: string, seen: SeenStream][] = [
  ['chat to its end', `${chat}${frame({ choices: [], x_gateway })}data: [DONE]\n\n`, FINISHED],
  ['chat to an error', chat + frame({ error: { code: 'upstream_error' } }), failed('upstream_error')],
  ['messages to their end', message + named({ type: 'message_stop', x_gateway }), FINISHED],
  [
    'messages to an error',
    message + named({ type: 'error', error: { type: 'api_error', code: 'upstream_error' } }),
    failed('upstream_error'),
  ],
  ['responses to their end', response + named({ type: 'response.completed', x_gateway }), FINISHED],
  ['responses that are cut', response + named({ type: 'response.incomplete', x_gateway }), FINISHED],
  ['responses to a failure', response + failedResponse('It failed.'), failed('upstream_error')],
  ['responses not booked', response + failedResponse('It could not be booked.'), failed('limits_unavailable')],
  ['a stream that has only begun', named({ type: 'message_start' }) + named({ type: 'response.created' }), NOTHING],
  ['a stream that dies in a frame', `${chat}data: [DONE]\n`, { ...NOTHING, content: true }],
]

describe('a client sees', () => {
  for (const [what, text, seen] of TABLE) {
    test(what, async () => assert.deepEqual(await seeStream(pieces(text)), seen))
  }
})

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  for (const piece of text.match(/.{1,7}/gs) ?? []) yield Buffer.from(piece)
}
