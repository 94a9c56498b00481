import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Configuration } from 'oidc-provider'
import { fixedPort } from './fixed-port.ts'

/** A person known to the identity provider. */
export interface Account {
  sub: string
  email?: string
  email_verified?: boolean
  name?: string
  groups?: string[]
}

export interface TestProvider {
  issuer: string
  /** The account that signs in next, until it is changed; null: they decline. */
  account: Account | null
  /** It shows other keys than those it signs with. */
  hidesKeys: boolean
  /** The bodies that were sent to its token endpoint. */
  tokenRequests: URLSearchParams[]
  /** The settings of a gateway that trusts it. */
  environment(publicUrl: string): Record<string, string>
  stop(): Promise<void>
}

export const CLIENT_SECRET = 'the-client-secret-of-this-test'
const CLIENT_ID = 'switchyard'

/** A real identity provider (the package oidc-provider) on 127.0.0.1, whose sign-in page asks for nothing. */
export async function startProvider(redirectUris: string[], port = 0): Promise<TestProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const accounts = new Map<string, Account>()
  const provider = new Provider(issuer, configuration(accounts, redirectUris))
  const made: TestProvider = {
    issuer,
    account: null,
    hidesKeys: false,
    tokenRequests: [],
    environment: (publicUrl) => ({
      PUBLIC_URL: publicUrl,
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT_ID,
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
      OIDC_NAME: 'Acme ID',
      OIDC_SCOPES: 'openid email profile groups',
    }),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { account } = made
    if (account === null) return provider.interactionFinished(request, response, { error: 'access_denied' })
    accounts.set(account.sub, account)
    await provider.interactionFinished(request, response, { login: { accountId: account.sub, remember: false } })
  }
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/')) {
      signIn(request, response).catch((error) => response.writeHead(500).end(String(error)))
      return
    }
    if (request.url === '/jwks' && made.hidesKeys) {
      const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] }))
      return
    }
    if (request.url === '/token') noteTokenRequest(request, made)
    void answer(request, response)
  })
  return made
}

function noteTokenRequest(request: IncomingMessage, { tokenRequests }: TestProvider): void {
  let body = ''
  request.on('data', (piece) => {
    body += String(piece)
  })
  request.on('end', () => tokenRequests.push(new URLSearchParams(body)))
}

function configuration(accounts: Map<string, Account>, redirectUris: string[]): Configuration {
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: redirectUris,
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    cookies: { keys: ['a key for the cookies of this test'] },
    pkce: { required: () => true },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ ...accounts.get(id), sub: id }) }),
    // Everybody has agreed to everything.
    async loadExistingGrant(context) {
      const { client, session, provider } = context.oidc
      const grant = new provider.Grant({ clientId: client?.clientId ?? '', accountId: session?.accountId ?? '' })
      grant.addOIDCScope('openid email profile groups')
      await grant.save()
      return grant
    },
  }
}

/** Follows redirects and keeps cookies, as a browser does; each has its own. */
export class Browser {
  readonly #cookies = new Map<string, string>()

  /** One request: where it leads is not followed. */
  async open(url: string): Promise<Response> {
    const response = await fetch(url, { redirect: 'manual', headers: { cookie: this.cookie(url) } })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1)
      const name = `${new URL(url).port} ${pair.split('=', 1)[0]}`
      if (/; Max-Age=0\b|expires=Thu, 01 Jan 1970/i.test(line)) this.#cookies.delete(name)
      else this.#cookies.set(name, pair)
    }
    return response
  }

  /** What it would send to this port. */
  cookie(url: string): string {
    const { port } = new URL(url)
    return [...this.#cookies].flatMap(([name, pair]) => (name.startsWith(`${port} `) ? [pair] : [])).join('; ')
  }

  /** Where the redirects lead, up to the first address that starts with `end`, which is not opened. */
  async follow(url: string, end: string): Promise<string> {
    let next = url
    for (let step = 0; step < 10 && !next.startsWith(end); step++) {
      const response = await this.open(next)
      const location = response.headers.get('location')
      if (location === null) throw new Error(`${next} answers ${response.status}: ${await response.text()}`)
      next = new URL(location, next).href
    }
    return next
  }
}

/** Ports of gateways are needed before they start: the provider sends browsers back to known addresses only. */
export async function gatewayAddress(): Promise<{ port: string; url: string; callback: string }> {
  const port = String(await fixedPort())
  return { port, url: `http://127.0.0.1:${port}`, callback: `http://127.0.0.1:${port}/sign-in/callback` }
}
