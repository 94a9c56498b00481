import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A key pair of the issuer, and what its key set says of it. */
export interface IssuerKey {
  kid: string
  privateKey: KeyObject
  jwk: Record<string, unknown>
}

export interface TestIssuer {
  url: string
  /** In its key set. */
  keys: IssuerKey[]
  /** How often its key set was read. */
  reads: number
  /** It answers 503. */
  isDown: boolean
  /** What its discovery document says in place of its own name. */
  namedIssuer: string
  /** Paths that were asked for. */
  asked: string[]
  /** What its device and token endpoints were sent. */
  forms: URLSearchParams[]
  /** The claims of the tokens that it grants, and how long they are said to live. */
  granted: object
  grantSeconds: number
  refreshToken: string
  token(claims?: object, more?: { header?: object; key?: IssuerKey }): string
  stop(): Promise<void>
}

export const AUDIENCE = 'https://gateway.example'

export function newIssuerKey(kid: string): IssuerKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' } }
}

export const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** As JOSE writes signatures of elliptic curves. */
export function signed(text: string, key: KeyObject): string {
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

/** An identity provider on 127.0.0.1 that signs any claims. */
export async function startIssuer(): Promise<TestIssuer> {
  const server = createServer((request, response) => {
    issuer.asked.push(request.url ?? '')
    const reply = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (issuer.isDown) reply(503, {})
    else if (request.method === 'POST') void grant(request).then(({ status, body }) => reply(status, body))
    else if (request.url === '/.well-known/openid-configuration') {
      reply(200, {
        ...{ issuer: issuer.namedIssuer, jwks_uri: `${issuer.url}/keys`, token_endpoint: `${issuer.url}/token` },
        device_authorization_endpoint: `${issuer.url}/device`,
      })
    } else if (request.url === '/keys') {
      issuer.reads += 1
      reply(200, { keys: issuer.keys.map(({ jwk }) => jwk) })
    } else reply(404, {})
  })
  /** The device flow of a public client; what is confirmed on the second look. */
  async function grant(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const form = new URLSearchParams(await textOf(request))
    issuer.forms.push(form)
    if (request.url === '/device') {
      const address = { verification_uri: `${issuer.url}/confirm`, user_code: 'ABCD-EFGH' }
      return { status: 200, body: { device_code: 'device', expires_in: 60, interval: 0.01, ...address } }
    }
    const isFirst = issuer.forms.filter((each) => each.get('grant_type')?.endsWith('device_code')).length === 1
    if (form.get('grant_type')?.endsWith('device_code') && isFirst) {
      return { status: 400, body: { error: 'authorization_pending' } }
    }
    if (form.get('refresh_token') !== null && form.get('refresh_token') !== issuer.refreshToken) {
      return { status: 400, body: { error: 'invalid_grant' } }
    }
    const answer = { token_type: 'bearer', expires_in: issuer.grantSeconds, refresh_token: issuer.refreshToken }
    return { status: 200, body: { access_token: issuer.token(issuer.granted), ...answer } }
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const issuer: TestIssuer = {
    url,
    keys: [newIssuerKey('first')],
    reads: 0,
    isDown: false,
    namedIssuer: url,
    asked: [],
    forms: [],
    granted: {},
    grantSeconds: 600,
    refreshToken: 'refresh-1',
    token(claims = {}, { header = {}, key = issuer.keys[0] } = {}) {
      if (key === undefined) throw new Error('the issuer has no key')
      const now = Math.floor(Date.now() / 1_000)
      const usual = { iss: url, aud: AUDIENCE, sub: 'anna', iat: now, exp: now + 600, jti: randomUUID() }
      const head = { alg: 'ES256', typ: 'JWT', kid: key.kid, ...header }
      return signed(`${encoded(head)}.${encoded({ ...usual, ...claims })}`, key.privateKey)
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return issuer
}

async function textOf(request: IncomingMessage): Promise<string> {
  let all = ''
  for await (const piece of request) all += String(piece)
  return all
}
