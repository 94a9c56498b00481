import { z } from 'zod'
import { AuthorizationError, type Token, type TokenTools } from '../../authorization.ts'
import { readSecretFile } from './read-secret-file.ts'

const RELATIVE_BASE = 'http://169.254.170.2'
/** Without TLS only the machine itself, and the two addresses at which containers are given their roles. */
const PLAIN_HOSTS = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|169\.254\.170\.(?:2|23)|\[fd00:ec2::23\])$/

const Answer = z.object({
  AccessKeyId: z.string().min(1),
  SecretAccessKey: z.string().min(1),
  Token: z.string().min(1),
  Expiration: z.iso.datetime({ offset: true }),
})

/** The role of the container that the gateway runs in. Null: it has none. */
export async function fromContainer(tools: TokenTools): Promise<Token | null> {
  const { environment } = tools
  const relative = environment['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI']
  const address = relative ? RELATIVE_BASE + relative : environment['AWS_CONTAINER_CREDENTIALS_FULL_URI']
  if (!address) return null
  const url = URL.parse(address)
  const isPlain = url?.protocol === 'http:' && PLAIN_HOSTS.test(url.hostname)
  if (url === null || !(url.protocol === 'https:' || isPlain)) {
    throw new AuthorizationError('AWS_CONTAINER_CREDENTIALS_FULL_URI is no address that credentials may come from.')
  }
  const authorization = await proof(tools)
  const headers = { accept: 'application/json', ...(authorization === null ? {} : { authorization }) }
  const { status, text } = await tools.request({ method: 'GET', url: url.href, headers, body: null, isInternal: true })
  const answer = Answer.safeParse(parsed(text))
  if (status !== 200 || !answer.success) {
    throw new AuthorizationError(
      `The container's credentials cannot be read: ${url.host} answers with status ${status}. Has it a role?`,
    )
  }
  const { AccessKeyId, SecretAccessKey, Token: session, Expiration } = answer.data
  return {
    values: { access_key_id: AccessKeyId, secret_access_key: SecretAccessKey, session_token: session },
    expiresAt: Date.parse(Expiration),
  }
}

async function proof(tools: TokenTools): Promise<string | null> {
  const file = tools.environment['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE']
  if (file) return readSecretFile(file, 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE', tools)
  return tools.environment['AWS_CONTAINER_AUTHORIZATION_TOKEN'] || null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
