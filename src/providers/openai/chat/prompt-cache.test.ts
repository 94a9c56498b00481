import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { UNKNOWN_TRAITS } from '../../../domain/provider.ts'
import type { JsonObject } from '../../../domain/request/call-request.ts'
import type { ChatRequest } from '../../../domain/request/chat.ts'
import { NO_BOUNDS } from '../../../domain/request/output-limit.ts'
import type { Target } from '../../family.ts'
import { openaiFamily } from '../openai-family.ts'
import { VENDORS } from '../presets/vendors.ts'

const [OWN, ELSEWHERE] = ['https://api.openai.com/v1', 'https://llm.example/v1']
const HINTS = { prompt_cache_key: 'caller', prompt_cache_retention: '24h' }

function sent(fields: JsonObject, to: Partial<Target>) {
  const request = { model: 'alias', messages: [{ role: 'user', content: 'hi' }], ...fields } as ChatRequest
  const { preset, baseUrl = null } = to
  const accent = { baseUrl, ...(preset !== undefined && { preset }) }
  const { chat } = openaiFamily.translatorsFor?.('m', accent) ?? {}
  const target: Target = { model: 'm', traits: UNKNOWN_TRAITS, baseUrl, bounds: NO_BOUNDS, ...to }
  const translation = chat?.toWire(request, target)
  if (translation?.kind !== 'wire') throw new Error(JSON.stringify(translation))
  const { model: _, messages: __, ...rest } = translation.body
  return [rest, translation.ignored]
}

describe('what steers a prompt cache goes to servers that are known to take it', () => {
  const bridged = { isBridged: true, cacheKey: 'session' }
  const table: [what: string, fields: JsonObject, to: Partial<Target>, sent: JsonObject, ignored?: string[]][] = [
    ['the session, of a request in another format', {}, { ...bridged, baseUrl: OWN }, { prompt_cache_key: 'session' }],
    ['the public address', {}, bridged, { prompt_cache_key: 'session' }],
    ['the key of the caller wins', HINTS, { ...bridged, baseUrl: OWN }, HINTS],
    ['unknown servers get none', {}, { ...bridged, baseUrl: ELSEWHERE }, {}],
    ['nor that of the caller', HINTS, { ...bridged, baseUrl: ELSEWHERE }, {}, Object.keys(HINTS)],
    ['without a session there is none', {}, { isBridged: true, baseUrl: OWN }, {}],
    ['requests in this format pass as they are', {}, { cacheKey: 'session', baseUrl: OWN }, {}],
    ['also to unknown servers', HINTS, { baseUrl: ELSEWHERE }, HINTS],
    [
      'the same models elsewhere',
      {},
      { ...bridged, preset: 'azure', baseUrl: ELSEWHERE },
      { prompt_cache_key: 'session' },
    ],
  ]
  for (const [what, fields, to, body, ignored = []] of table) {
    test(what, () => assert.deepEqual(sent(fields, to), [body, ignored]))
  }

  for (const [preset, { hasNoChat }] of VENDORS) {
    if (preset === 'azure' || hasNoChat === true) continue
    test(`${preset} gets none of ours`, () => {
      const [body] = sent({}, { ...bridged, preset, baseUrl: ELSEWHERE })
      assert.equal((body as JsonObject)['prompt_cache_key'], undefined)
    })
  }
})
