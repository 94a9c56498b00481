import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { nearPath } from './near-path.ts'

const routes = ['/v1/chat/completions', '/v1/models', '/v1/models/*', '/requests', '/keys/:id'].map((path) => ({
  path,
}))

describe('the path that was meant', () => {
  for (const [asked, expected] of [
    ['/chat/completions', '/v1/chat/completions'],
    ['/v1/chat/completions/', '/v1/chat/completions'],
    ['/v1//chat/completions', '/v1/chat/completions'],
    ['/v1/v1/chat/completions', '/v1/chat/completions'],
    ['/v1/chat/completions/chat/completions', '/v1/chat/completions'],
    ['/models', '/v1/models'],
    ['/v1/requests', '/requests'],
    ['/v1/embeddings', null],
    ['/v1', null],
    ['/', null],
    ['//', null],
  ] as const) {
    test(`for ${asked} it is ${expected}`, () => assert.equal(nearPath(asked, routes), expected))
  }
})
