import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { createServer } from 'node:http'
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
    else if (request.url === '/.well-known/openid-configuration') {
      reply(200, { issuer: issuer.namedIssuer, jwks_uri: `${issuer.url}/keys` })
    } else if (request.url === '/keys') {
      issuer.reads += 1
      reply(200, { keys: issuer.keys.map(({ jwk }) => jwk) })
    } else reply(404, {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const issuer: TestIssuer = {
    url,
    keys: [newIssuerKey('first')],
    reads: 0,
    isDown: false,
    namedIssuer: url,
    asked: [],
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
