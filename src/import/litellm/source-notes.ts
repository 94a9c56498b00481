import { isJsonObject } from '../../domain/request/call-request.ts'
import { exact, type Notes, unsupported } from './notes.ts'
import type { LitellmSource, SourceSection, Values } from './source.ts'

/** `default_litellm_params`: of every deployment that does not set them. */
export function defaultParams(router: SourceSection, notes: Notes): Values {
  const params = router.values['default_litellm_params']
  if (!isJsonObject(params)) return {}
  notes.add(router, 'default_litellm_params', exact('every entry'))
  return params
}

/** Values that a model uses have their finding already. */
export function noteCredentials({ models, credentials }: LitellmSource, notes: Notes): void {
  const used = new Set(models.map(({ params }) => params['litellm_credential_name']))
  for (const credential of credentials) {
    const isUsed = used.has(credential.name)
    const rest = isUsed ? unsupported('no model that uses it needs it') : exact(null, 'no model uses it: left out')
    for (const key of Object.keys(credential.values)) notes.fill(credential, `credential_values.${key}`, rest)
    for (const key of ['credential_name', ...Object.keys(credential.rest)])
      notes.add(credential, key, exact(null, isUsed ? '' : 'no model uses it: left out'))
  }
}

/** What models have beside their name, parameters and info. */
export function noteRest({ models }: LitellmSource, notes: Notes): void {
  for (const model of models) {
    if (model.rest['blocked'] === false) notes.add(model, 'blocked', exact(null))
  }
}
