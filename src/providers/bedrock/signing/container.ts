import { AuthorizationError, type Token, type TokenTools } from '../../authorization.ts'
import { readSecretFile } from './read-secret-file.ts'
import { tokenIn } from './role-keys.ts'

const RELATIVE_BASE = 'http://169.254.170.2'
/** Without TLS only the machine itself, and the two addresses at which containers are given their roles. */
const PLAIN_HOSTS = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|169\.254\.170\.(?:2|23)|\[fd00:ec2::23\])$/

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
  const token = status === 200 ? tokenIn(text) : null
  if (token !== null) return token
  throw new AuthorizationError(
    `The container's credentials cannot be read: ${url.host} answers with status ${status}. Has it a role?`,
  )
}

async function proof(tools: TokenTools): Promise<string | null> {
  const file = tools.environment['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE']
  if (file) return readSecretFile(file, 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE', tools)
  return tools.environment['AWS_CONTAINER_AUTHORIZATION_TOKEN'] || null
}
