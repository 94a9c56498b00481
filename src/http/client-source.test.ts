import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { clientSource, trustedProxies } from './client-source.ts'

type Row = [what: string, address: string | undefined, forwarded: string | undefined, source: string]

function check(trusted: string, rows: Row[]): void {
  const source = clientSource(trustedProxies(trusted) ?? assert.fail(`${trusted} is refused`))
  for (const [what, address, forwarded, expected] of rows) {
    test(what, () => assert.equal(source(address, forwarded), expected))
  }
}

describe('without trusted proxies the caller is who connected', () => {
  check('', [
    ['IPv4', '203.0.113.9', undefined, '203.0.113.9'],
    ['IPv4 written as IPv6', '::ffff:203.0.113.9', undefined, '203.0.113.9'],
    ['IPv6 is one source for its whole /64', '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
    ['also written short', '2001:db8:1:2::6', undefined, '2001:db8:1:2::/64'],
    ['another /64 is another source', '2001:db8:1:3::6', undefined, '2001:db8:1:3::/64'],
    ['localhost', '::1', undefined, '0:0:0:0::/64'],
    ['with a zone', 'fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
    ['a connection that has ended', undefined, undefined, 'unknown'],
    ['what a header says is not believed', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ])
})

describe('behind trusted proxies the caller is the last address that is none of them', () => {
  check('10.0.0.0/8, 203.0.113.7, 2001:db8::/32', [
    ['one proxy', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['two proxies', '203.0.113.7', '198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['what the caller made up stands further left', '10.1.2.3', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
    ['IPv6', '2001:db8::7', '2a00:1:2:3::4', '2a00:1:2:3::/64'],
    ['the proxy, written as IPv6', '::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['with a port, as some proxies write it', '10.1.2.3', '198.51.100.1:4711', '198.51.100.1'],
    ['somebody else is not believed', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['nothing said', '10.1.2.3', undefined, '10.1.2.3'],
    ['nothing but proxies', '10.1.2.3', '10.4.4.4', '10.4.4.4'],
    ['no address', '10.1.2.3', '198.51.100.1, unknown', '10.1.2.3'],
  ])
})

test('what is no address or network is refused', () => {
  for (const list of ['proxy.internal', '10.0.0.0/33', '10.0.0/8', '::/129', '10.0.0.1,', '10.0.0.1/x', '10.0.0.1/'])
    assert.equal(trustedProxies(list), null, list)
})
