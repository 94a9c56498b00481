import { scrubMessage } from '../../../domain/errors.ts'
import { AuthorizationError, type Token, type TokenTools } from '../../authorization.ts'
import { domainOf } from '../endpoint.ts'
import { readSecretFile } from './read-secret-file.ts'

export interface WebIdentity {
  file: string
  role: string
  region: string
}

/** Keys of a role, for the token of a service account (Kubernetes). */
export async function fromWebIdentity({ file, role, region }: WebIdentity, tools: TokenTools): Promise<Token> {
  const { environment } = tools
  const token = await readSecretFile(file, 'AWS_WEB_IDENTITY_TOKEN_FILE', tools)
  const url = environment['AWS_ENDPOINT_URL_STS'] || `https://sts.${domainOf(region)}/`
  const fields = {
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: environment['AWS_ROLE_SESSION_NAME'] || 'switchyard',
    WebIdentityToken: token,
  }
  const { status, text } = await tools.request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
    ...(environment['AWS_ENDPOINT_URL_STS'] ? { isInternal: true as const } : {}),
  })
  const [id, secret, session] = ['AccessKeyId', 'SecretAccessKey', 'SessionToken'].map((name) => element(text, name))
  const expiresAt = Date.parse(element(text, 'Expiration') ?? '')
  if (status !== 200 || !id || !secret || !session || Number.isNaN(expiresAt)) {
    throw new AuthorizationError(refusal(status, text, role).replaceAll(token, '[redacted]'))
  }
  return { values: { access_key_id: id, secret_access_key: secret, session_token: session }, expiresAt }
}

const REASONS: Readonly<Record<string, string>> = {
  ExpiredTokenException: 'the token of the service account has expired',
  ExpiredToken: 'the token of the service account has expired',
  InvalidIdentityToken: 'the identity provider of the token is not known to the account, or its clock is off',
  AccessDenied: 'the role does not trust this service account',
  IDPRejectedClaim: 'the identity provider rejects the token',
  RegionDisabledException: 'the region is switched off in this account',
}

function refusal(status: number, text: string, role: string): string {
  const code = element(text, 'Code') ?? ''
  const reason = REASONS[code] ?? 'the answer has no credentials'
  const message = element(text, 'Message')
  const said = message === null ? '' : ` It says: ${scrubMessage(message)}`
  return `The role ${role} cannot be assumed (status ${status}): ${reason}.${said}`
}

/** The text of the first element of this name: these answers have no attributes and nothing nested in it. */
function element(xml: string, name: string): string | null {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]
  return found === undefined ? null : found.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
