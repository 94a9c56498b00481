import assert from 'node:assert/strict'
import { test } from 'node:test'
import { safeReturn } from './return-to.ts'

for (const path of ['/dashboard', '/dashboard/default/keys?new=1#top', '/dashboard/a%2Fb/routes']) {
  test(`${path} is a page`, () => assert.equal(safeReturn(path), path))
}

const ELSEWHERE = [
  undefined,
  '',
  '/',
  '/keys',
  '/dashboards',
  'https://evil.example/dashboard',
  '//evil.example/dashboard',
  '/\\evil.example/dashboard',
  '/\t/evil.example/dashboard',
  'javascript:alert(1)',
  '/dashboard/../keys',
  '/dashboard/..//evil.example',
  'http://gateway.invalid@evil.example/dashboard',
]
for (const path of ELSEWHERE) {
  test(`${JSON.stringify(path)} leads to the first page`, () => assert.equal(safeReturn(path), '/dashboard'))
}
