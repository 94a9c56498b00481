import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { baseUrlProblem, refusedHost } from './base-url.ts'

describe('a base URL that may be used', () => {
  for (const url of [
    'https://api.example.com/v1',
    'http://127.0.0.1:11434/v1',
    'http://localhost:8000',
    'http://[::1]:8000/v1',
    'http://10.0.0.7/v1',
    'http://172.16.9.9/v1',
    'http://192.168.1.20:1234/v1/',
    'http://[fd12:3456::1]/v1',
    'http://[::ffff:0:10.0.0.7]/v1',
    'http://[::ffff:10.0.0.7]/v1',
    'http://[64:ff9b::10.0.0.7]/v1',
    'http://[64:ff9b:1::10.0.0.7]/v1',
    'http://[64:ff9b:2::a9fe:a9fe]/v1',
    'http://[2001:db8::a9fe:a9fe]/v1',
    'http://[2002:a00:7::1]/v1',
    'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/v1',
    'http://100.64.0.1',
    'http://169.253.255.255',
    'http://169.255.0.1',
    'http://fe80.example.com',
    'http://169.254.example.com',
    'http://0.0.0.0:8000',
  ]) {
    test(url, () => assert.equal(baseUrlProblem(url), null))
  }
})

describe('a base URL that is refused', () => {
  const cases: [url: string, why: RegExp][] = [
    ['', /http:\/\/ or https:\/\//],
    ['api.example.com/v1', /http:\/\/ or https:\/\//],
    ['ftp://example.com', /http:\/\/ or https:\/\//],
    ['file:///etc/passwd', /http:\/\/ or https:\/\//],
    ['javascript:alert(1)', /http:\/\/ or https:\/\//],
    ['http://', /http:\/\/ or https:\/\//],
    ['http://1.2.3.4.5', /http:\/\/ or https:\/\//],
    ['https://user:secret@example.com/v1', /credentials/],
    ['https://user@example.com/v1', /credentials/],
    ['https://example.com/v1?key=x', /"\?" or "#"/],
    ['https://example.com/v1#x', /"\?" or "#"/],
    ['https://example.com/v1?', /"\?" or "#"/],
    ['http://169.254.169.254/latest', /link-local/],
    ['http://169.254.0.1', /link-local/],
    ['http://169.254.255.255', /link-local/],
    ['http://2852039166/', /link-local/],
    ['http://0xa9fea9fe/', /link-local/],
    ['http://0xa9.0xfe.0xa9.0xfe/', /link-local/],
    ['http://0251.0376.0251.0376/', /link-local/],
    ['http://169.254.43518/', /link-local/],
    ['http://169.254.169.254./', /link-local/],
    ['http://①⑥⑨.254.169.254/', /link-local/],
    ['http://[fe80::1]/', /link-local/],
    ['http://[febf::1]/', /link-local/],
    ['http://[::ffff:169.254.169.254]/', /link-local/],
    ['http://[::ffff:a9fe:a9fe]/', /link-local/],
    ['http://[::169.254.169.254]/', /link-local/],
    ['http://[64:ff9b::169.254.169.254]/', /link-local/],
    ['http://[2002:a9fe:a9fe::1]/', /link-local/],
    ['http://[::ffff:0:169.254.169.254]/', /link-local/],
    ['http://[::ffff:0:a9fe:a9fe]/', /link-local/],
    ['http://[0:0:0:0:FFFF:0:a9fe:a9fe]/', /link-local/],
    ['http://[::ffff:0:100.100.100.200]/', /metadata/],
    ['http://[64:ff9b:1::169.254.169.254]/', /link-local/],
    ['http://[64:ff9b:1::a9fe:a9fe]/', /link-local/],
    ['http://[64:ff9b:1:ffff:ffff:ffff:169.254.169.254]/', /link-local/],
    ['http://[64:ff9b:1:a9fe:a9:fe00::]/', /link-local/],
    ['http://[64:ff9b:1:abcd:a9:fea9:fe00:0]/', /link-local/],
    ['http://[64:ff9b:1::6464:64c8]/', /metadata/],
    ['http://[2001:0:4136:e378:8000:63bf:5601:5601]/', /link-local/],
    ['http://[2001:0:a9fe:a9fe::1]/', /link-local/],
    ['http://[fd12:3456::5efe:169.254.169.254]/', /link-local/],
    ['http://[2001:db8::200:5efe:a9fe:a9fe]/', /link-local/],
    ['http://[fd00:ec2::254]/', /metadata/],
    ['http://[fd00:0ec2:0:0:0:0:0:0254]/', /metadata/],
    ['http://100.100.100.200/', /metadata/],
    ['http://[::ffff:100.100.100.200]/', /metadata/],
    ['http://168.63.129.16/', /metadata/],
    ['http://metadata.google.internal/computeMetadata/v1', /metadata/],
    ['http://METADATA.google.internal./', /metadata/],
    ['https://metadata.goog', /metadata/],
  ]
  for (const [url, why] of cases) {
    test(url === '' ? '(empty)' : url, () => assert.match(baseUrlProblem(url) ?? 'allowed', why))
  }
})

describe('an address as a resolver gives it', () => {
  const cases: [address: string, refused: boolean][] = [
    ['127.0.0.1', false],
    ['::1', false],
    ['::', false],
    ['10.1.2.3', false],
    ['2001:db8::1', false],
    ['fec0::1', false],
    ['169.254.169.254', true],
    ['fe80::1%eth0', true],
    ['FE80::1', true],
    ['::ffff:169.254.169.254', true],
    ['::FFFF:A9FE:A9FE', true],
    ['fd00:ec2::254', true],
    ['::ffff:0:169.254.169.254', true],
    ['::ffff:0:a9fe:a9fe', true],
    ['64:ff9b:1::a9fe:a9fe', true],
    ['64:ff9b::a9fe:a9fe', true],
    ['64:ff9b:1::a00:7', false],
    ['not an address', false],
  ]
  for (const [address, refused] of cases) {
    test(`${address} is ${refused ? 'refused' : 'fine'}`, () => assert.equal(refusedHost(address) !== null, refused))
  }
})
