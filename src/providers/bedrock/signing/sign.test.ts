import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import { SignatureV4 } from '@smithy/signature-v4'
import { AwsV4Signer } from 'aws4fetch'
import { provider } from '../../../../test/fixtures/bedrock/translate.ts'
import { fc } from '../../../../test/property.ts'
import { modelTarget } from '../endpoint.ts'
import { signed } from './sign.ts'

/** The hash that the vendor's signer wants to be given. */
class Sha256 {
  readonly #hash
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as string | Buffer)
  }
  update(data: string | Uint8Array): void {
    this.#hash.update(data)
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.#hash.digest()))
  }
  reset(): void {}
}

const NOW = Date.UTC(2026, 10, 16, 12, 34, 56)
const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }

/** What the vendor's own signer makes of the same request. */
async function official(
  url: string,
  headers: Record<string, string>,
  body: string,
  sessionToken?: string,
  service = 'bedrock',
) {
  const signer = new SignatureV4({
    service,
    region: 'us-east-1',
    credentials: { ...KEYS, ...(sessionToken === undefined ? {} : { sessionToken }) },
    sha256: Sha256 as never,
    applyChecksum: false,
  })
  const { host, hostname, pathname, searchParams } = new URL(url)
  const request = {
    ...{ method: 'POST', protocol: 'https:', hostname, path: pathname, query: Object.fromEntries(searchParams) },
    ...{ headers: { ...headers, host }, body },
  }
  const options = { signingDate: new Date(NOW), unsignableHeaders: new Set(['content-type']) }
  const { headers: result } = (await signer.sign(request as never, options)) as unknown as {
    headers: Record<string, string>
  }
  return result
}

describe('signatures are those of the vendor’s own signer', () => {
  const models = [
    'amazon.nova-pro-v1:0',
    'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    "odd (name) ü+*!'~",
  ]
  for (const model of models) {
    for (const sessionToken of [undefined, 'FwoGZXIvYXdzE+/=']) {
      test(`${model}${sessionToken === undefined ? '' : ', of a session'}`, async () => {
        const { url, headers } = modelTarget(
          provider({ apiKey: null, headers: { 'X-Team': ' a   b ' } }),
          model,
          'converse',
        )
        const body = '{"messages":[{"role":"user","content":[{"text":"grüß dich"}]}]}'
        const keys = { ...KEYS, ...(sessionToken === undefined ? {} : { sessionToken }) }
        const ours = await signed({ method: 'POST', url, headers, body: Buffer.from(body) }, keys, 'us-east-1', NOW)
        const theirs = await official(url, headers, body, sessionToken)
        assert.equal(ours['authorization'], theirs['authorization'])
        assert.equal(ours['x-amz-date'], '20261116T123456Z')
        assert.equal(ours['x-amz-security-token'], sessionToken)
      })
    }
  }

  test('of the token service', async () => {
    const [url, headers, body] = ['https://sts.us-east-1.amazonaws.com/', { 'content-type': 'x' }, 'Action=AssumeRole']
    const ours = await signed({ method: 'POST', url, headers, body }, KEYS, 'us-east-1', NOW, 'sts')
    assert.equal(ours['authorization'], (await official(url, headers, body, undefined, 'sts'))['authorization'])
  })

  test('for any body and model', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string(), async (model, body) => {
        const { url, headers } = modelTarget(provider({ apiKey: null }), model, 'invoke')
        const ours = await signed({ method: 'POST', url, headers, body }, KEYS, 'us-east-1', NOW)
        assert.equal(ours['authorization'], (await official(url, headers, body))['authorization'])
      }),
      { numRuns: 50 },
    )
  })
})

test('the published vector get-vanilla', async () => {
  const signer = new AwsV4Signer({
    ...KEYS,
    ...{ method: 'GET', url: 'https://example.amazonaws.com/', service: 'service', region: 'us-east-1' },
    datetime: '20150830T123600Z',
  })
  const { headers } = await signer.sign()
  assert.equal(
    headers.get('authorization'),
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ' +
      'SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  )
})
