import { GatewayError } from '../../domain/errors.ts'
import { type LiveKey, mayUse } from '../../domain/key.ts'
import { isConfigured, type Provider } from '../../domain/provider.ts'
import { isPassed, pathProblem } from '../../domain/request/passthrough.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { named, worded } from '../../domain/wording/worded.ts'

export interface Passed {
  provider: Provider
  /** Behind the provider's host, with the query. */
  target: string
}

const PLACE = /^\/passthrough\/([^/?#]+)(\/[^?#]*)(\?[\x21-\x7e]*)?$/

/** Where a call goes, or throws why it may not. `url`: as received, because decoding hides what a server may see. */
export function passedTo(url: string, key: LiveKey, { providers, workspaces }: Snapshot): Passed {
  const [, name = '', path = '', query = ''] = PLACE.exec(url) ?? []
  const workspace = workspaces.get(key.workspace)
  const provider = providers.get(name)
  if (provider === undefined || !isConfigured(provider)) {
    throw new GatewayError(
      'not_found',
      worded`There is no provider '${name.slice(0, 64)}'. Send /passthrough/PROVIDER/path.`,
    )
  }
  const problem = pathProblem(path)
  if (problem !== null) throw new GatewayError('invalid_request', problem)
  if (workspace?.hasDirectModels === false) {
    throw new GatewayError('forbidden', worded`Workspace '${named(key.workspace)}' serves routes only.`)
  }
  if (workspace?.guardrail != null) {
    throw new GatewayError(
      'forbidden',
      worded`A guardrail checks every call of this workspace, and cannot read this one.`,
    )
  }
  if (!mayUse(key, `${name}/passthrough`)) {
    throw new GatewayError('forbidden', worded`This key may not use '${named(name)}/passthrough'.`)
  }
  if (!isPassed(path, provider.passthrough ?? [])) {
    const hint = worded`An admin can allow it: list it under 'passthrough' of the provider.`
    throw new GatewayError(
      'forbidden',
      worded`Provider '${named(name)}' is not open for ${path.slice(0, 200)}. ${hint}`,
    )
  }
  return { provider, target: path + query }
}
