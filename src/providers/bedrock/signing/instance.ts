import { z } from 'zod'
import { AuthorizationError, type OutgoingRequest, type Token, type TokenTools } from '../../authorization.ts'
import { tokenIn } from './role-keys.ts'

/** The metadata service of a machine of EC2; the variables are the ones of the vendor's own clients. */
const HOST = 'http://169.254.169.254'
const ROLES = '/latest/meta-data/iam/security-credentials/'
const SESSION = { 'x-aws-ec2-metadata-token-ttl-seconds': '300' }
/** Outside of AWS, this address does not answer. */
const TIMEOUT_MS = 2_000
const RoleName = z.string().regex(/^[\w+=,.@-]{1,64}$/)

/** The role of the machine that the gateway runs on. Null: it has none. */
export async function fromInstance(tools: TokenTools): Promise<Token | null> {
  const { environment } = tools
  if (environment['AWS_EC2_METADATA_DISABLED']?.toLowerCase() === 'true') return null
  const host = (environment['AWS_EC2_METADATA_SERVICE_ENDPOINT'] || HOST).replace(/\/+$/, '')
  const ask = (path: string, headers: OutgoingRequest['headers'], method: 'GET' | 'PUT' = 'GET') =>
    tools.request({
      ...{ method, url: host + path, headers, body: null, isInternal: true, proxy: '', timeoutMs: TIMEOUT_MS },
    })
  const session = await ask('/latest/api/token', SESSION, 'PUT').catch((error: unknown) => {
    if (error instanceof AuthorizationError) return null
    throw error
  })
  if (session === null) return null
  const proof = { 'x-aws-ec2-metadata-token': session.text.trim() }
  const listed = session.status === 200 ? await ask(ROLES, proof) : session
  const role = RoleName.safeParse(listed.text.split('\n')[0]?.trim())
  if (listed.status !== 200 || !role.success) {
    throw new AuthorizationError(
      `The machine's metadata service names no role (status ${listed.status}). Is an instance profile attached?`,
    )
  }
  const { status, text } = await ask(ROLES + role.data, proof)
  const token = status === 200 ? tokenIn(text) : null
  if (token !== null) return token
  throw new AuthorizationError(`The keys of the machine's role cannot be read (status ${status}).`)
}
