import type { OutgoingRequest, TokenTools } from '../../authorization.ts'
import type { Options } from '../dialect/options.ts'

export const DEFAULT_SCOPE = 'https://cognitiveservices.azure.com/.default'
/** The metadata server of a machine of Azure; the variable is the one of Microsoft's own clients. */
const METADATA_HOST = 'http://169.254.169.254'

/** Asks for the machine's own identity: an app has its own endpoint, a machine the metadata server. */
export function managedIdentityRequest(options: Options, { environment }: TokenTools): OutgoingRequest {
  const resource = (options.token_scope ?? DEFAULT_SCOPE).replace(/\/\.default$/, '')
  const { IDENTITY_ENDPOINT: endpoint, IDENTITY_HEADER: secret } = environment
  const isApp = endpoint !== undefined && secret !== undefined
  const host = environment['AZURE_POD_IDENTITY_AUTHORITY_HOST'] ?? METADATA_HOST
  const url = new URL(isApp ? endpoint : `${host}/metadata/identity/oauth2/token`)
  url.searchParams.set('api-version', isApp ? '2019-08-01' : '2018-02-01')
  url.searchParams.set('resource', resource)
  // Which one, where the machine has several.
  if (options.client_id !== undefined) url.searchParams.set('client_id', options.client_id)
  const headers: Record<string, string> = isApp ? { 'x-identity-header': secret } : { metadata: 'true' }
  return { method: 'GET', url: url.href, headers, body: null, isInternal: true, proxy: '' }
}
