import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { environmentProxies } from './environment-proxies.ts'

const HTTPS = 'http://secure.proxy:3128'
const HTTP = 'http://plain.proxy:3128'

function chosen(url: string, environment: Record<string, string>): string | null {
  return environmentProxies(environment)(new URL(url))
}

describe('the proxy of the environment', () => {
  for (const [what, url, environment, proxy] of [
    ['none is set', 'https://api.example/v1', {}, null],
    ['the one for TLS', 'https://api.example/v1', { HTTPS_PROXY: HTTPS, HTTP_PROXY: HTTP }, HTTPS],
    ['the one for plain HTTP', 'http://api.example/v1', { HTTPS_PROXY: HTTPS, HTTP_PROXY: HTTP }, HTTP],
    ['only for TLS', 'http://api.example/v1', { HTTPS_PROXY: HTTPS }, null],
    ['lower case', 'https://api.example/v1', { https_proxy: HTTPS }, HTTPS],
    ['lower case wins', 'https://api.example/v1', { https_proxy: HTTPS, HTTPS_PROXY: HTTP }, HTTPS],
    ['empty is unset', 'https://api.example/v1', { https_proxy: '', HTTPS_PROXY: HTTPS }, HTTPS],
    ['without a scheme', 'https://api.example/v1', { HTTPS_PROXY: 'u:p@proxy:3128' }, 'http://u:p@proxy:3128'],
    ['not for this machine', 'http://localhost:11434/v1', { HTTP_PROXY: HTTP }, null],
    ['nor by its address', 'http://127.0.0.9:11434/v1', { HTTP_PROXY: HTTP }, null],
    ['nor by that of IPv6', 'http://[::1]:11434/v1', { HTTP_PROXY: HTTP }, null],
    ['but for one that only looks like it', 'http://localhost.example/v1', { HTTP_PROXY: HTTP }, HTTP],
  ] as const) {
    test(`${what}: ${url}`, () => assert.equal(chosen(url, environment), proxy))
  }
})

describe('NO_PROXY', () => {
  for (const [list, url, isExcepted] of [
    ['*', 'https://api.example/', true],
    ['api.example', 'https://api.example/', true],
    ['API.Example', 'https://api.example/', true],
    ['example', 'https://api.example/', true],
    ['.example', 'https://api.example/', true],
    ['*.example', 'https://api.example/', true],
    ['.api.example', 'https://api.example/', true],
    ['pi.example', 'https://api.example/', false],
    ['api.example', 'https://api.example.org/', false],
    ['other, api.example', 'https://api.example/', true],
    ['other api.example', 'https://api.example/', true],
    ['api.example', 'https://api.example./', true],
    ['api.example:443', 'https://api.example/', true],
    ['api.example:8443', 'https://api.example/', false],
    ['api.example:8443', 'https://api.example:8443/', true],
    ['10.1.2.3', 'https://10.1.2.3/', true],
    ['10.1.2.3:443', 'https://10.1.2.3/', true],
    ['10.1.2.3:80', 'https://10.1.2.3/', false],
    ['2.3', 'https://10.1.2.3/', false],
    ['10.0.0.0/8', 'https://10.1.2.3/', true],
    ['10.0.0.0/8', 'https://11.1.2.3/', false],
    ['10.0.0.0/8', 'https://api.example/', false],
    ['10.0.0.0/99', 'https://10.0.0.0/', false],
    ['fd00::/8', 'https://[fd00::7]/', true],
    ['fd00::7', 'https://[fd00:0:0::7]/', true],
    ['[fd00::7]', 'https://[fd00::7]/', true],
    ['[fd00::7]:8443', 'https://[fd00::7]/', false],
    ['', 'https://api.example/', false],
    [' , ,', 'https://api.example/', false],
  ] as const) {
    test(`'${list}' ${isExcepted ? 'excepts' : 'does not except'} ${url}`, () => {
      assert.equal(chosen(url, { HTTPS_PROXY: HTTPS, NO_PROXY: list }), isExcepted ? null : HTTPS)
      assert.equal(chosen(url, { HTTPS_PROXY: HTTPS, no_proxy: list, NO_PROXY: '' }), isExcepted ? null : HTTPS)
    })
  }
})
