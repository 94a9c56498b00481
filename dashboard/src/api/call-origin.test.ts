import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callOriginFrom } from './call-origin.ts'

const CASES: [calls: string, title: string, origin: string, ports: string][] = [
  ['http://127.0.0.1:8080', 'all on one port', 'http://127.0.0.1:8080', ''],
  ['http://127.0.0.1:5173', 'a page that was not filled in', 'http://127.0.0.1:5173', '__PORTS__'],
  ['http://10.0.0.5:8080', 'a port of its own', 'http://10.0.0.5:9090', '9090 8080'],
  ['http://[::1]:8080', 'an address with colons', 'http://[::1]:9090', '9090 8080'],
  ['GATEWAY_ADDRESS', 'behind a load balancer', 'https://admin.example', '9090 8080'],
]

for (const [calls, title, origin, ports] of CASES) {
  test(`calls go to ${calls}: ${title}`, () =>
    assert.equal(callOriginFrom({ origin, port: new URL(origin).port }, ports), calls))
}
