import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { provider } from '../../../../test/fixtures/bedrock/translate.ts'
import { AuthorizationError, type OutgoingRequest, type TokenTools } from '../../authorization.ts'
import { authorization } from './authorization.ts'

const WEB_TOKEN = 'eyJhbGciOi.web-identity.token'
const ROLE = 'arn:aws:iam::123456789012:role/gateway'

interface Machine {
  environment?: Record<string, string>
  files?: Record<string, string>
  answer?: Answer | ((request: OutgoingRequest) => Answer)
}

interface Answer {
  status: number
  text: string
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
      return Promise.resolve(typeof answer === 'function' ? answer(request) : answer)
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

describe('the role of a machine', () => {
  const keys = { AccessKeyId: 'A', SecretAccessKey: 'S', Token: 'T', Expiration: '2026-11-16T12:00:00Z' }
  const replies: Record<string, string> = {
    'PUT /latest/api/token': 'the-session',
    'GET /latest/meta-data/iam/security-credentials/': 'gateway-role\n',
    'GET /latest/meta-data/iam/security-credentials/gateway-role': JSON.stringify({ Code: 'Success', ...keys }),
  }
  const service =
    (changed: Record<string, Answer> = {}) =>
    ({ method, url }: OutgoingRequest): Answer => {
      const asked = `${method} ${new URL(url).pathname}`
      return changed[asked] ?? { status: replies[asked] === undefined ? 404 : 200, text: replies[asked] ?? '' }
    }

  test('comes from its metadata service, by a session, never through a proxy', async () => {
    const { tools, asked } = machine({ answer: service() })
    assert.deepEqual(await fetchToken(tools), {
      values: { access_key_id: 'A', secret_access_key: 'S', session_token: 'T' },
      expiresAt: Date.UTC(2026, 10, 16, 12),
    })
    assert.deepEqual(
      asked.map(({ headers }) => headers),
      [
        { 'x-aws-ec2-metadata-token-ttl-seconds': '300' },
        { 'x-aws-ec2-metadata-token': 'the-session' },
        { 'x-aws-ec2-metadata-token': 'the-session' },
      ],
    )
    for (const { url, proxy, isInternal } of asked) {
      assert.deepEqual([new URL(url).host, proxy, isInternal], ['169.254.169.254', '', true])
    }
  })

  test('is not asked for where the service is switched off, and may be elsewhere', async () => {
    const off = machine({ environment: { AWS_EC2_METADATA_DISABLED: 'true' }, answer: service() })
    assert.match(await wordsOf(off.tools), /There are no credentials/)
    assert.equal(off.asked.length, 0)
    const environment = { AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://[fd00:ec2::254]/' }
    const other = machine({ environment, answer: service() })
    await fetchToken(other.tools)
    assert.equal(other.asked[0]?.url, 'http://[fd00:ec2::254]/latest/api/token')
  })

  const roles = 'GET /latest/meta-data/iam/security-credentials/'
  const refusals: [what: string, changed: Record<string, Answer>, words: RegExp][] = [
    ['no session', { 'PUT /latest/api/token': { status: 403, text: 'no' } }, /names no role \(status 403\)/],
    ['no profile', { [roles]: { status: 404, text: '' } }, /instance profile attached/],
    ['a page in place of a name', { [roles]: { status: 200, text: '<html>' } }, /names no role/],
    ['no keys', { [`${roles}gateway-role`]: { status: 200, text: '{"Code":"Failed"}' } }, /cannot be read/],
  ]
  for (const [what, changed, words] of refusals) {
    test(`${what} is told`, async () => assert.match(await wordsOf(machine({ answer: service(changed) }).tools), words))
  }
})

describe('a role that is assumed with keys', () => {
  const text =
    '<AssumeRoleResponse><Credentials><AccessKeyId>ASIA2</AccessKeyId><SecretAccessKey>S2</SecretAccessKey>' +
    '<SessionToken>T2</SessionToken><Expiration>2026-11-16T12:00:00Z</Expiration></Credentials></AssumeRoleResponse>'
  const credentials = { access_key_id: 'AKID0123456789', secret_access_key: 'secret-0123456789' }
  const settings = { role_arn: ROLE, external_id: 'ours' }

  test('is asked for with a signature of those keys, which are stored or of the environment', async () => {
    const provider = unkeyed(settings, credentials)
    assert.equal(authorization.needsToken?.(provider), true)
    const { tools, asked } = machine({ answer: { status: 200, text } })
    assert.deepEqual(await authorization.fetchToken?.(provider, tools), {
      values: { access_key_id: 'ASIA2', secret_access_key: 'S2', session_token: 'T2' },
      expiresAt: Date.UTC(2026, 10, 16, 12),
    })
    assert.equal(asked[0]?.url, 'https://sts.us-east-1.amazonaws.com/')
    assert.match(
      asked[0]?.headers['authorization'] ?? '',
      /Credential=AKID0123456789\/19700101\/us-east-1\/sts\/aws4_request/,
    )
    assert.deepEqual(Object.fromEntries(new URLSearchParams(String(asked[0]?.body))), {
      Action: 'AssumeRole',
      Version: '2011-06-15',
      RoleArn: ROLE,
      RoleSessionName: 'switchyard',
      ExternalId: 'ours',
    })
    const environment = { AWS_ACCESS_KEY_ID: 'AENV', AWS_SECRET_ACCESS_KEY: 'S', AWS_SESSION_TOKEN: 'T' }
    const other = machine({ environment, answer: { status: 200, text } })
    await fetchToken(other.tools, settings)
    assert.match(other.asked[0]?.headers['authorization'] ?? '', /Credential=AENV\//)
    assert.equal(other.asked[0]?.headers['x-amz-security-token'], 'T')
  })

  test('a refusal is told in words, without what was signed', async () => {
    const message = `bad secret-0123456789. The Canonical String for this request should have been 'POST x-amz-security-token:T'`
    const body = `<ErrorResponse><Error><Code>SignatureDoesNotMatch</Code><Message>${message}</Message></Error></ErrorResponse>`
    const { tools } = machine({ answer: { status: 403, text: body } })
    const error = await authorization
      .fetchToken?.(unkeyed(settings, credentials), tools)
      .catch((thrown: Error) => thrown)
    assert.ok(error instanceof AuthorizationError)
    assert.match(error.message, /secret access key is wrong.*bad \[redacted\]\.$/)
  })
})

test('without any source the ways to give one are named', async () => {
  const { tools } = machine({})
  const nobody = { ...tools, request: () => Promise.reject(new AuthorizationError('no answer')) }
  for (const settings of [{}, { role_arn: ROLE }]) assert.match(await wordsOf(nobody, settings), /access_key_id/)
})
