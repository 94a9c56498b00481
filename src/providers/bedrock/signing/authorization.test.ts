import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AuthorizationError, type OutgoingRequest, type TokenTools } from '../../authorization.ts'
import { provider } from '../fixtures/translate.ts'
import { authorization } from './authorization.ts'

const WEB_TOKEN = 'eyJhbGciOi.web-identity.token'
const ROLE = 'arn:aws:iam::123456789012:role/gateway'

interface Machine {
  environment?: Record<string, string>
  files?: Record<string, string>
  answer?: { status: number; text: string }
}

/** A made-up machine, and what is asked of it. */
function machine({ environment = {}, files = {}, answer = { status: 500, text: '' } }: Machine) {
  const asked: OutgoingRequest[] = []
  const tools: TokenTools = {
    now: () => 0,
    environment,
    readFile: (path) =>
      files[path] === undefined ? Promise.reject(new Error(WEB_TOKEN)) : Promise.resolve(files[path]),
    request(request) {
      asked.push(request)
      return Promise.resolve(answer)
    },
  }
  return { asked, tools }
}

const unkeyed = (settings = {}, credentials?: Record<string, string>) =>
  provider({ apiKey: null, settings: { region: 'us-east-1', ...settings }, ...(credentials ? { credentials } : {}) })
const fetchToken = (tools: TokenTools, settings = {}) =>
  authorization.fetchToken?.(unkeyed(settings), tools) ?? assert.fail()
const wordsOf = async (tools: TokenTools, settings = {}) => {
  const error = await fetchToken(tools, settings).then(
    () => assert.fail('it was authorized'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof AuthorizationError, String(error))
  assert.ok(!error.message.includes(WEB_TOKEN), 'never a secret')
  return error.message
}

describe('who signs', () => {
  const credentials = { access_key_id: 'AKID0123456789', secret_access_key: 'secret-0123456789' }
  test('a key is sent as it is, unless signatures are asked for', () => {
    assert.equal(authorization.appliesTo(provider()), false)
    assert.equal(authorization.appliesTo(provider({ settings: { region: 'us-east-1', auth: 'sigv4' } })), true)
    assert.equal(authorization.appliesTo(unkeyed()), true)
  })

  test('stored keys need no token; without them one is fetched', async () => {
    assert.equal(authorization.needsToken?.(unkeyed({}, credentials)), false)
    assert.equal(authorization.needsToken?.(unkeyed()), true)
    const request = {
      method: 'GET',
      url: 'https://bedrock.us-east-1.amazonaws.com/foundation-models',
      headers: {},
    } as const
    const stored = await authorization.headers({ ...request, body: null }, unkeyed({}, credentials), null, 0)
    assert.match(stored['authorization'] ?? '', /Credential=AKID0123456789\/19700101\/us-east-1\/bedrock\/aws4_request/)
    assert.equal(stored['x-amz-security-token'], undefined)
    const token = { values: { ...credentials, access_key_id: 'OTHER', session_token: 't' }, expiresAt: 1 }
    const fetched = await authorization.headers({ ...request, body: null }, unkeyed(), token, 0)
    assert.match(
      fetched['authorization'] ?? '',
      /Credential=OTHER\/.*SignedHeaders=host;x-amz-date;x-amz-security-token/,
    )
    assert.equal(fetched['x-amz-security-token'], 't')
  })
})

test('keys of the environment', async () => {
  const environment = { AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 'S', AWS_SESSION_TOKEN: 'T' }
  assert.deepEqual(await fetchToken(machine({ environment }).tools), {
    values: { access_key_id: 'A', secret_access_key: 'S', session_token: 'T' },
    expiresAt: null,
  })
})

describe('the role of a container', () => {
  const answer = {
    status: 200,
    text: JSON.stringify({ AccessKeyId: 'A', SecretAccessKey: 'S', Token: 'T', Expiration: '2026-11-16T12:00:00Z' }),
  }
  const expected = {
    values: { access_key_id: 'A', secret_access_key: 'S', session_token: 'T' },
    expiresAt: Date.UTC(2026, 10, 16, 12),
  }

  test('at the relative address, without a token', async () => {
    const { tools, asked } = machine({ environment: { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/x' }, answer })
    assert.deepEqual(await fetchToken(tools), expected)
    assert.deepEqual(asked[0], {
      ...{ method: 'GET', url: 'http://169.254.170.2/v2/x', headers: { accept: 'application/json' }, body: null },
      isInternal: true,
    })
  })

  test('at the full address, with the token of a file, which comes before that of the variable', async () => {
    const environment = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://169.254.170.23/v1/credentials',
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '/token',
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'older',
    }
    const { tools, asked } = machine({ environment, files: { '/token': 'fresh\n' }, answer })
    assert.deepEqual(await fetchToken(tools), expected)
    assert.equal(asked[0]?.headers['authorization'], 'fresh')
    const { AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: _, ...without } = environment
    const plain = machine({ environment: without, answer })
    await fetchToken(plain.tools)
    assert.equal(plain.asked[0]?.headers['authorization'], 'older')
  })

  test('not from any address without TLS', async () => {
    const ask = (url: string) => machine({ environment: { AWS_CONTAINER_CREDENTIALS_FULL_URI: url }, answer })
    for (const url of ['http://example.com/x', 'http://169.254.169.254/x', 'ftp://localhost', 'nonsense']) {
      assert.match(await wordsOf(ask(url).tools), /may come from/, url)
    }
    for (const url of ['https://example.com/x', 'http://localhost:1/x', 'http://[::1]/x', 'http://[fd00:ec2::23]/x']) {
      assert.deepEqual(await fetchToken(ask(url).tools), expected, url)
    }
  })

  test('an answer without credentials is told', async () => {
    const environment = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/x' }
    assert.match(await wordsOf(machine({ environment, answer: { status: 404, text: '{}' } }).tools), /status 404.*role/)
    assert.match(await wordsOf(machine({ environment, answer: { status: 200, text: 'x' } }).tools), /cannot be read/)
  })
})

describe('a web identity', () => {
  const environment = { AWS_WEB_IDENTITY_TOKEN_FILE: '/web', AWS_ROLE_ARN: ROLE }
  const files = { '/web': `${WEB_TOKEN}\n` }
  const xml = (body: string) =>
    `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">${body}</AssumeRoleWithWebIdentityResponse>`
  const answer = {
    status: 200,
    text: xml(
      '<AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>S/+</SecretAccessKey>' +
        '<SessionToken>T==</SessionToken><Expiration>2026-11-16T12:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult>',
    ),
  }

  test('assumes its role at the region’s token service', async () => {
    const { tools, asked } = machine({ environment, files, answer })
    assert.deepEqual(await fetchToken(tools), {
      values: { access_key_id: 'ASIA1', secret_access_key: 'S/+', session_token: 'T==' },
      expiresAt: Date.UTC(2026, 10, 16, 12),
    })
    assert.equal(asked[0]?.url, 'https://sts.us-east-1.amazonaws.com/')
    assert.deepEqual(Object.fromEntries(new URLSearchParams(String(asked[0]?.body))), {
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: ROLE,
      RoleSessionName: 'switchyard',
      WebIdentityToken: WEB_TOKEN,
    })
  })

  test('the role of the settings wins, also over keys of the environment', async () => {
    const keys = { AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 'S' }
    const { tools, asked } = machine({ environment: { ...environment, ...keys }, files, answer })
    await fetchToken(tools, { role_arn: 'arn:aws:iam::1:role/other' })
    assert.match(String(asked[0]?.body), /role%2Fother/)
    assert.match(await wordsOf(machine({}).tools, { role_arn: ROLE }), /AWS_WEB_IDENTITY_TOKEN_FILE is not set/)
  })

  const refusals: [code: string, words: RegExp][] = [
    ['ExpiredTokenException', /expired/],
    ['AccessDenied', /does not trust/],
    ['InvalidIdentityToken', /not known/],
    ['SomethingNew', /has no credentials/],
  ]
  for (const [code, words] of refusals) {
    test(`${code} is told in words, without the token`, async () => {
      const text = `<ErrorResponse><Error><Code>${code}</Code><Message>bad ${WEB_TOKEN}</Message></Error></ErrorResponse>`
      assert.match(await wordsOf(machine({ environment, files, answer: { status: 403, text } }).tools), words)
    })
  }

  test('a file that cannot be read is told', async () => {
    assert.match(
      await wordsOf(machine({ environment, answer }).tools),
      /AWS_WEB_IDENTITY_TOKEN_FILE names cannot be read/,
    )
  })
})

test('without any source the ways to give one are named', async () => {
  assert.match(await wordsOf(machine({}).tools), /access_key_id/)
})
