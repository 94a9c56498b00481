import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Configuration, TokenEndpointResponse } from 'openid-client'
import type { Environment } from '../../app/config.ts'
import { isSecureUrl } from '../../domain/tokens/secure-url.ts'
import { CliError } from '../cli-error.ts'
import { type Command, type Given, text } from '../command.ts'
import { programName } from '../program-name.ts'

/** What the next run finds of this one. */
interface Kept {
  token: string
  /** Unix milliseconds; null: the provider did not say. */
  expiresAt: number | null
  refreshToken: string | null
}

interface Asked {
  issuer: string
  clientId: string
  scope: string
  audience: string | undefined
  usesIdToken: boolean
}

/** A helper is asked every few minutes: what it prints must live until then. */
const EARLY_MS = 120_000

export const token: Command = {
  name: 'token',
  summary: 'Print a token of your identity provider, for agents that call a helper; sign in first with --login',
  positionals: [],
  options: {
    issuer: { type: 'string', placeholder: 'URL', help: 'The identity provider' },
    'client-id': { type: 'string', placeholder: 'ID', help: 'A public client there, with the device flow' },
    scope: { type: 'string', placeholder: 'SCOPES', help: 'Default: "openid profile email offline_access"' },
    audience: { type: 'string', placeholder: 'AUDIENCE', help: 'Where the provider takes one: whom the token is for' },
    'id-token': { type: 'boolean', help: 'The ID token, where the access tokens of the provider are opaque' },
    login: { type: 'boolean', help: 'Sign in with a browser, on this machine or another' },
  },
  examples: [
    'switchyard token --issuer https://login.example.com --client-id agents --login',
    'switchyard token --issuer https://login.example.com --client-id agents',
  ],
  isRemote: false,
  run,
}

async function run(given: Given): Promise<number> {
  const asked = askedOf(given)
  const path = placeOf(asked, given.environment)
  const isLogin = given.values['login'] === true
  const kept = isLogin ? null : read(path)
  const isFresh = kept !== null && kept.expiresAt !== null && kept.expiresAt - Date.now() > EARLY_MS
  const next = isFresh ? kept : isLogin ? await signIn(asked, given) : await renewed(asked, kept)
  if (next !== kept) write(path, next)
  if (isLogin) given.output.note(`Signed in. The token is kept in ${path}.`)
  else given.output.line(next.token)
  return 0
}

function askedOf(given: Given): Asked {
  const needed = (name: string) => {
    const value = text(given, name)
    if (value === undefined) throw new CliError(`token: --${name} is missing`, 2)
    return value
  }
  const [issuer, clientId] = [needed('issuer'), needed('client-id')]
  if (!isSecureUrl(issuer)) throw new CliError('token: --issuer is an https:// address', 2)
  const scope = text(given, 'scope') ?? 'openid profile email offline_access'
  return { issuer, clientId, scope, audience: text(given, 'audience'), usesIdToken: given.values['id-token'] === true }
}

/** Helpers run without a terminal, so a missing sign-in is an error there, not a question. */
async function renewed(asked: Asked, kept: Kept | null): Promise<Kept> {
  const { refreshToken = null } = kept ?? {}
  if (refreshToken === null) throw notSignedIn(asked)
  const { client, config } = await discovered(asked)
  try {
    const parameters = asked.audience === undefined ? {} : { audience: asked.audience }
    return keptOf(await client.refreshTokenGrant(config, refreshToken, parameters), asked, refreshToken)
  } catch (error) {
    if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant') throw notSignedIn(asked)
    throw failed(asked, error)
  }
}

async function signIn(asked: Asked, given: Given): Promise<Kept> {
  const { client, config } = await discovered(asked)
  try {
    const more = asked.audience === undefined ? {} : { audience: asked.audience }
    const begun = await client.initiateDeviceAuthorization(config, { scope: asked.scope, ...more })
    const at = begun.verification_uri_complete ?? begun.verification_uri
    given.output.note(`Open ${at} and confirm the code ${begun.user_code}`)
    return keptOf(await client.pollDeviceAuthorizationGrant(config, begun), asked, null)
  } catch (error) {
    throw failed(asked, error)
  }
}

type Library = typeof import('openid-client')

async function discovered(asked: Asked): Promise<{ client: Library; config: Configuration }> {
  const client = await import('openid-client')
  const execute = asked.issuer.startsWith('http:') ? [client.allowInsecureRequests] : []
  try {
    const config = await client.discovery(new URL(asked.issuer), asked.clientId, undefined, client.None(), { execute })
    return { client, config }
  } catch (error) {
    throw failed(asked, error)
  }
}

function keptOf(answer: TokenEndpointResponse, asked: Asked, refreshToken: string | null): Kept {
  const value = asked.usesIdToken ? answer.id_token : answer.access_token
  if (value === undefined) throw new CliError(`${asked.issuer} sent no ID token`, 1)
  return {
    token: value,
    expiresAt: answer.expires_in === undefined ? null : Date.now() + 1_000 * answer.expires_in,
    refreshToken: answer.refresh_token ?? refreshToken,
  }
}

function notSignedIn({ issuer, clientId }: Asked): CliError {
  const command = `${programName()} token --issuer ${issuer} --client-id ${clientId} --login`
  return new CliError(`not signed in at ${issuer}. Run this once, with the same options: ${command}`, 1)
}

/** Never with what was sent. */
function failed({ issuer }: Asked, error: unknown): CliError {
  const { error: code } = error as { error?: unknown }
  return new CliError(`${issuer}: ${typeof code === 'string' ? code : (error as Error).message}`, 1)
}

function placeOf(asked: Asked, environment: Environment): string {
  const cache = environment['XDG_CACHE_HOME'] ?? join(environment['HOME'] ?? homedir(), '.cache')
  const name = createHash('sha256').update(JSON.stringify(asked)).digest('hex').slice(0, 16)
  return join(cache, 'switchyard', `token-${name}.json`)
}

function read(path: string): Kept | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Kept
  } catch {
    return null
  }
}

/** In one step: two helpers at once must not leave half of a file. */
function write(path: string, kept: Kept): void {
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
  const next = `${path}.${process.pid}`
  writeFileSync(next, JSON.stringify(kept), { mode: 0o600 })
  renameSync(next, path)
}
