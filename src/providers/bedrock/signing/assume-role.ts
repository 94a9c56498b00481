import { scrubMessage } from '../../../domain/errors.ts'
import { AuthorizationError, type OutgoingRequest, type Token, type TokenTools } from '../../authorization.ts'
import { domainOf } from '../endpoint.ts'
import { withoutCanonical } from '../failure.ts'
import { readSecretFile } from './read-secret-file.ts'
import { type Keys, signed } from './sign.ts'

export interface Role {
  arn: string
  region: string
  /** Asked for by roles of other accounts. */
  externalId?: string | undefined
}

/** Keys of a role, for the token of a service account (Kubernetes). */
export async function withWebIdentity(file: string, role: Role, tools: TokenTools): Promise<Token> {
  const token = await readSecretFile(file, 'AWS_WEB_IDENTITY_TOKEN_FILE', tools)
  const request = requestFor('AssumeRoleWithWebIdentity', role, { WebIdentityToken: token }, tools)
  return assumed(request, role, [token], tools)
}

/** Keys of a role, for credentials that may assume it. */
export async function withKeys(keys: Keys, role: Role, tools: TokenTools): Promise<Token> {
  const more = role.externalId === undefined ? {} : { ExternalId: role.externalId }
  const request = requestFor('AssumeRole', role, more, tools)
  const proof = await signed(request, keys, role.region, tools.now(), 'sts')
  return assumed(
    { ...request, headers: { ...request.headers, ...proof } },
    role,
    [keys.secretAccessKey, keys.sessionToken ?? ''],
    tools,
  )
}

function requestFor(
  Action: string,
  { arn, region }: Role,
  more: Record<string, string>,
  { environment }: TokenTools,
): OutgoingRequest {
  const own = environment['AWS_ENDPOINT_URL_STS']
  const RoleSessionName = environment['AWS_ROLE_SESSION_NAME'] || 'switchyard'
  const fields = { Action, Version: '2011-06-15', RoleArn: arn, RoleSessionName, ...more }
  return {
    method: 'POST',
    url: own || `https://sts.${domainOf(region)}/`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
    ...(own ? { isInternal: true as const } : {}),
  }
}

async function assumed(
  request: OutgoingRequest,
  role: Role,
  secrets: readonly string[],
  tools: TokenTools,
): Promise<Token> {
  const { status, text } = await tools.request(request)
  const [id, key, session] = ['AccessKeyId', 'SecretAccessKey', 'SessionToken'].map((name) => element(text, name))
  const expiresAt = Date.parse(element(text, 'Expiration') ?? '')
  if (status !== 200 || !id || !key || !session || Number.isNaN(expiresAt)) {
    const words = refusal(status, text, role.arn)
    throw new AuthorizationError(
      secrets.filter(Boolean).reduce((said, secret) => said.replaceAll(secret, '[redacted]'), words),
    )
  }
  return { values: { access_key_id: id, secret_access_key: key, session_token: session }, expiresAt }
}

const REASONS: Readonly<Record<string, string>> = {
  ExpiredTokenException: 'the token of the service account, or the session, has expired',
  ExpiredToken: 'the token of the service account, or the session, has expired',
  InvalidIdentityToken: 'the identity provider of the token is not known to the account, or its clock is off',
  AccessDenied: 'the role does not trust who asks, or expects another external id',
  IDPRejectedClaim: 'the identity provider rejects the token',
  InvalidClientTokenId: 'the access key is not known',
  SignatureDoesNotMatch: 'the secret access key is wrong, or the clock of this machine',
  RegionDisabledException: 'the region is switched off in this account',
}

function refusal(status: number, text: string, role: string): string {
  const code = element(text, 'Code') ?? ''
  const reason = REASONS[code] ?? 'the answer has no credentials'
  const message = element(text, 'Message')
  const said = message === null ? '' : ` It says: ${scrubMessage(withoutCanonical(message))}`
  return `The role ${role} cannot be assumed (status ${status}): ${reason}.${said}`
}

/** The text of the first element of this name: these answers have no attributes and nothing nested in it. */
function element(xml: string, name: string): string | null {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]
  return found === undefined ? null : found.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
