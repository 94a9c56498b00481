import { contentOfOtherKeys } from '../../content/stored.ts'
import { GatewayError } from '../../domain/errors.ts'
import { rotateSecrets } from '../../store/control/rotate-secrets.ts'
import { StoreError } from '../../store/engine/store-error.ts'
import { timestampOrNull } from '../contract/fields.ts'
import type { secretOperations } from '../contract/secrets.ts'
import { change, type ManagementDeps } from '../deps.ts'
import type { HandlersOf } from '../router.ts'

export function secretHandlers(deps: ManagementDeps): HandlersOf<typeof secretOperations> {
  return {
    'secrets.rotate': (_input, context) =>
      change(deps, context, async (transaction) => {
        const { reEncrypted, alreadyCurrent } = await rotateSecrets(transaction, deps.secrets).catch((error) => {
          if (error instanceof StoreError) throw new GatewayError('conflict', `Nothing was changed: ${error.message}.`)
          throw error
        })
        const content = await contentOfOtherKeys(transaction, deps.secrets.contentKeys)
        const result = {
          re_encrypted: reEncrypted,
          already_current: alreadyCurrent,
          content_with_other_keys: content.rows,
          content_until: timestampOrNull(content.until),
        }
        const audit = { action: 'secrets.rotate', workspace: null, resource: 'secrets', before: null, after: result }
        return { result, audit: reEncrypted === 0 ? null : audit }
      }),
  }
}
